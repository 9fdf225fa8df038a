public import Base
internal import Walk

extension RecordStore {
  /// Concludes the walk (after `paused` and some failures it stays open), marks what vanished, and
  /// folds the pages of earlier walks, in one transaction that soon survives a power cut.
  /// - Parameters:
  ///   - asked: values of the parent stream that this unit was requested for.
  ///   - patience: the maximum age of the last proof if the list changes in each walk.
  ///   - open: the kinds of proof that the walk could have had.
  ///   - handed: the inputs of the verdict besides the pages.
  ///   - acceptVanishing: how many rows the user accepts as gone despite the limit.
  public func certify(
    _ id: UnitID, _ certificate: Certificate, asked: [String] = [], patience: Duration? = nil,
    open: Set<ProofKind>? = nil, acceptVanishing: Int? = nil, isProving: Bool = false,
    handed: String? = nil
  ) async throws(StoreError) -> CertifiedUnit {
    let unit = try opened(id)
    let issued = now
    settings.faults.reach(.beforeCertificate)
    let result = try await together(isVerdict: true) { [self] in
      // A pause or a failure in between says nothing of what the list was known to lack.
      let filed = try unit.certificates(connection)
      let before = filed.first(where: \.isTelling)
      var vanishing = try Vanishing(unit, connection, probe, now: issued)
      vanishing.hasMoved = moved[unit.plan.job] != nil
      vanishing.wasWithheld = before?.withheld ?? 0 > 0
      // If there are as many rows as the walk has stored, none of them can be gone.
      if certificate.verdict.isWhole, Self.readsToTheEnd(certificate, unit),
        try unit.plan.present.known(connection) != unit.kept
      {
        // Records that are requested one by one are marked by the answers.
        if unit.plan.stream.confirmation == nil || certificate.showsWhoLeft {
          try vanishing.conclude(certificate, accepting: acceptVanishing ?? 0)
        } else if certificate.verdict == .complete {
          try vanishing.noteWaiting()
        }
      }
      let withheld = vanishing.withheld + unit.withheld
      let certificate = certificate.withholding(
        withheld, areTogether: vanishing.isBlock, undecided: vanishing.undecided,
        older: vanishing.older)
      // What is not read in each run stays due until no sign is against it and no record is undecided.
      let isAnswered =
        unit.plan.stream.parent?.when.isEachTime == true
        || certificate.verdict != .incomplete && vanishing.undecided == 0
      let asked = isAnswered ? asked : []
      let mayGoOn = certificate.mayGoOn
      let complete = filed.first { $0.isReadToItsEnd && $0.standing == .valid }
      var course = try Course(unit, connection, now: issued)
      let keys = unit.seen.digest
      var walk = ListCourse.Walk(
        certificate, keys: keys, open: open, isSearch: unit.plan.stream.isSearch,
        patience: patience, isOfAll: !unit.plan.stream.isAskedInBatches)
      // Records that were together raise no alert until it is known whether they left.
      walk.isUndecided = vanishing.isBlock
      walk.beganAt = Instant(stored: unit.beganAt)
      if unit.plan.stream.parent?.when.mayRest == true, certificate.verdict != .complete {
        walk.restedAt = try lastWholeRun(of: unit.plan.job, before: unit.run)
      }
      var paper = NewCertificate(
        certificate: certificate, unit: unit, connection: connection, issuedAt: issued,
        last: filed.first, complete: complete)
      paper.isProving = isProving
      paper.handed = handed
      paper.keysDigest = keys
      paper.wasWhole = course.course.wasWhole
      paper.vanished = vanishing.marked + unit.confirmed
      paper.withheld = withheld
      let goesOn = try paper.save()
      try connection.set(
        Book.windows, [("is_open", SQLValue(mayGoOn))], where: "window = ?", [.integer(unit.id)])
      let began =
        asked.isEmpty
        ? nil
        : try connection.integer(
          "SELECT min(run) FROM trawl_pages WHERE window = ? AND traversal = ?", unit.walk)
      if !mayGoOn { try fold(unit) }
      unit.hasCertificates = true
      // Without memberships, marked records count as altered.
      if vanishing.marked > 0, unit.plan.list != nil { try forgetAnswers(besides: unit) }
      try noteFilled(unit, certificate)
      let coverage = Coverage(unit: unit, connection: connection)
      try coverage.absorb(certificate, at: issued)
      let isNews = try course.note(walk, coverage)
      try mark(
        asked: asked, unit.plan.ofStream, unit.run, issued.description, began: began)
      // A walk that did not reach the end says nothing new about withheld rows.
      let apart =
        [.paused, .failed].contains(certificate.verdict) ? before?.withheld ?? 0 : withheld
      let rows = try rows(unit, certificate, apart: apart)
      try connection.set(
        Book.lists, [("rows", SQLValue(rows))], where: "list_number = ? AND rows <> ?1",
        [.integer(unit.list)])
      var told = certificate
      if [.absent, .failed].contains(certificate.verdict) { told.goesOnAt = goesOn }
      return CertifiedUnit(
        vanished: paper.vanished, withheld: paper.withheld, rows: rows,
        wasAsDeclared: before?.certificate.isAsDeclared != false, areTogether: vanishing.isBlock,
        isNewShortfall: isNews, mayHeal: try course.mayHeal(certificate),
        certificate: told)
    }
    settings.faults.reach(.afterCertificate)
    unit.filed = nil
    if !certificate.mayGoOn { units[id] = nil }
    return result
  }

  /// A walk of the whole list, from its first page to its true end, even if records moved
  /// meanwhile.
  static func readsToTheEnd(_ certificate: Certificate, _ unit: OpenUnit) -> Bool {
    // If the API only estimates a list's length, its end is not certain.
    unit.plan.stream.marksVanished && unit.unit.window == nil && certificate.trust != .estimate
      && [
        .singleAnswer, .noNextPage, .countedTotal, .emptyPage, .moreFlag, .nothingUnseen,
        .shortPage,
      ].contains(certificate.rule)
  }

  /// Records that the walk marked are not on its own pages, but may be on those of other walks: these are not reused.
  func forgetAnswers(besides unit: OpenUnit) throws(SQLiteError) {
    let list = unit.plan.list
    try forgetAnswers(
      with: unit.plan.table.name,
      // A membership ends only in its own list.
      of: list == nil || list?.isShared == true ? nil : unit.list,
      validatorsOf: list == nil ? nil : unit.list, besides: unit.walk)
  }

  /// No stored page of the table's lists may be reused any more, except those of one walk.
  /// - Parameters:
  ///   - list: the only one of them.
  ///   - other: the only one whose pages are no longer requested conditionally.
  func forgetAnswers(
    with table: String, of list: Int64? = nil, validatorsOf other: Int64? = nil,
    besides walk: [SQLValue] = [0, 0]
  ) throws(SQLiteError) {
    for (columns, list) in [(["answer_print"], list), (["etag", "last_modified"], other)] {
      // Each of thousands of lists may do it in one night.
      let lists =
        list == nil ? "IN (SELECT list_number FROM trawl_lists WHERE table_name = ?3)" : "= ?3"
      try connection.update(
        Book.pages, columns.map { ($0, "NULL") },
        where: "(\(columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR "))) "
          + "AND NOT (window = ?1 AND traversal = ?2) "
          + "AND window IN (SELECT window FROM trawl_windows WHERE list_number \(lists))",
        walk + [list == nil ? .text(table) : SQLValue(list)])
    }
  }

  static let pagesFoldedAtOnce = 500

  /// Pages of earlier walks are summed up in their certificates. Kept are those that a current
  /// claim rests on: of the newest walk, of the last that reached the list's end, and of the walk
  /// before if two walks in a row are its proof. The certificates of these walks are kept, with the
  /// last that says anything about the list, and those that they rest on; the ones between are
  /// history.
  private func fold(_ unit: OpenUnit) throws(SQLiteError) {
    // After the first walk of a list there is nothing to fold.
    guard unit.hasCertificates || unit.traversal > 1 else { return }
    // With the one of this walk.
    let filed = try StoredCertificate.all(of: unit.id, connection)
    let newest = Self.keptFor.map { isMeant in filed.first(where: isMeant) }
    let before = newest[..<2].compactMap { kept in
      kept?.certificate.proof == .twice ? filed.first { $0.number == kept?.restsOn } : nil
    }
    let walks = newest.dropLast().compactMap { $0?.traversal } + before.map(\.traversal)
    let earlier = try connection.rows(
      "SELECT DISTINCT traversal FROM trawl_pages WHERE window = ? AND traversal < ?", unit.walk
    ) { $0.integer(0) }
    for walk in earlier where !walks.contains(walk) {
      // A statement that may fail half way keeps its changes in memory until it ends: 5 MB for
      // 10,000 pages; so pages are deleted in parts.
      while try connection.delete(
        Book.pages, where: "page IN (\(Self.pagesToFold))", [.integer(unit.id), .integer(walk)],
        besides: unit.seen) == Self.pagesFoldedAtOnce
      {}
    }
    let kept = newest.compactMap { $0 }.flatMap { [$0.number, $0.restsOn] }
    for certificate in filed where !kept.contains(certificate.number) {
      try connection.delete(
        Book.certificates, where: "certificate = ?", [.integer(certificate.number)])
    }
  }

  /// The newest certificate of each of these conditions is kept, and the pages of its walk for all
  /// but the last. What `twice` rests on keeps its pages only for the first two.
  private static let keptFor: [@Sendable (StoredCertificate) -> Bool] =
    [{ _ in true }, { $0.isReadToItsEnd }] + Absentees.ordered + [{ $0.isTelling }]

  private static let pagesToFold =
    "SELECT page FROM trawl_pages WHERE window = ?1 AND traversal = ?2 "
    // cut: until none is left
    + "LIMIT \(pagesFoldedAtOnce)"

  /// Records that an empty answer does not show to be gone still belong to the list, and so do
  /// those that a walk did not reach.
  /// - Parameter apart: rows that look gone but are too many to be believed.
  private func rows(
    _ unit: OpenUnit, _ certificate: Certificate, apart: Int
  ) throws(SQLiteError) -> Int {
    let counted = try count(unit, certificate, apart: apart)
    // A membership table has its own rows, which are counted.
    let isCut =
      unit.plan.list == nil && [.paused, .failed, .absent].contains(certificate.verdict)
    guard isCut || certificate.cause == .empty else { return counted }
    return max(
      counted,
      try connection.count(
        "SELECT rows FROM trawl_lists WHERE list_number = ?", [.integer(unit.list)]))
  }

  /// What the list holds now.
  private func count(
    _ unit: OpenUnit, _ certificate: Certificate, apart: Int
  ) throws(SQLiteError) -> Int {
    let plan = unit.plan
    guard plan.list != nil else {
      let counts = certificate.counts
      // A stream of single answers for many parents requests those that are due, not all; and of a list that the API
      // cut, windows may have read more.
      let isWhole =
        unit.unit.window == nil && certificate.rule != .lastCompleteRange
        && !plan.stream.isAskedInBatches
        && (certificate.verdict != .limited || plan.stream.window == nil)
      if isWhole { return counts.kept }
      if let known = try plan.present.known(connection) { return known }
      return try plan.present.count(connection)
    }
    let there = try ListPlace(plan, unit.parameters).present(connection)
    // Unlike in a proof, those that look gone do not count: the API's own count lacks them, too.
    return max(0, there - apart - (try Absentees.olderCount(unit, connection)))
  }
}

extension Certificate {
  /// The walk stays open and a later run resumes it: after a pause, and after a failure that says
  /// nothing against the pages that were read.
  var mayGoOn: Bool {
    verdict == .paused
      || verdict == .failed && ![.loop, .tooManyEmptyPages, .onlyRejects].contains(rule)
  }
}

extension ListPlan {
  /// What distinguishes one list from the others in the membership table.
  func own(_ parameters: [ParameterValue]) -> NamedRow {
    var reader = FieldReader(LocalZones())
    let request = FieldReader.Request(parameters: parameters, position: 0, parent: nil)
    row.clear()
    return listSlots.map { slot in
      _ = reader.read(fields[slot], of: .nothing, request, into: row, slot)
      return (fields[slot].name, row.value(slot))
    }
  }

  /// The rows of one list in the membership table, by numbered parameters.
  func condition(_ unit: OpenUnit) -> (String, [SQLValue]) {
    let own = own(unit.parameters)
    let parts = own.enumerated().map { "\(SQLName.quoted($1.name)) = ?\($0 + 1)" }
    return (parts.isEmpty ? "1" : parts.joined(separator: " AND "), own.map(\.value))
  }
}
