public import Base

/// What walks leave for later ones.
extension RecordStore {
  /// What earlier walks left for proving the next one. A plan predicts the same next request as the
  /// run that makes it.
  /// - Parameters:
  ///   - filed: the window's certificates, newest first.
  ///   - whole: the last that was read to the list's end, for the same request.
  ///   - run: nil: for a plan.
  func memory(
    of window: Int64, _ stream: Base.Stream, _ job: String, prints: Fingerprints,
    _ filed: [StoredCertificate], _ whole: StoredCertificate?, in run: Int64? = nil
  ) throws(SQLiteError) -> WalkMemory {
    var memory = WalkMemory(isRangeProven: whole?.certificate.verdict == .complete)
    let signs = FactFields(try connection.fact(Self.signs(stream, of: job, prints)))
    memory.hasSeenMore = signs.flag("says_more")
    memory.sizesHold = signs.flag("sizes_fixed") == true ? false : signs.flag("sizes_hold")
    if case .number(_, let first) = stream.pager, first > 0, signs.flag("first_known") != true {
      memory.isFirstKnown = false
      if let run { memory.hasFirstFailed = signs["first_failed"] == .integer(run) }
    }
    memory.rowsListed = try rowsListed(of: window, stream, job)
    guard let whole, whole.standing == .valid else { return memory }
    if stream.newestFirst != nil {
      memory.isOutOfOrder = try connection.has(
        "(SELECT oldest > lag(oldest) OVER (ORDER BY page) AS rises FROM trawl_pages "
          + "WHERE window = ? AND oldest IS NOT NULL AND purpose = 'page' AND traversal = ?) WHERE rises",
        [.integer(window), .integer(whole.traversal)])
    }
    if whole.certificate.cause == .rejects {
      memory.isRangeLacking = try connection.has(
        "trawl_rejects WHERE window = ? AND column_name = ''", [.integer(window)])
    }
    memory.pattern = whole.certificate.pattern
    memory.patternSince = whole.beganAt
    memory.isPatternOld = isPatternOld(whole)
    let steady = filed.first {
      $0.certificate.verdict == .complete && $0.certificate.trust == .steady
        && $0.standing == .valid
    }?.certificate
    memory.hidden = steady.flatMap { steady in
      // A damaged row may hold any two numbers.
      steady.lastTotal.map { $0 &- steady.distinctKeys }
    }
    if let last = filed.first(where: \.isReadToItsEnd) {
      memory.lastPage =
        try connection.row(
          "SELECT cursor FROM trawl_pages WHERE window = ? AND traversal = ? AND received > 0 "
            + "AND \(StoredPages.ofTheList) ORDER BY ordinal DESC LIMIT 1",
          [.integer(window), .integer(last.traversal)]
        ) { $0.text(0).flatMap { Cursor($0) } } ?? nil
    }
    if let last = memory.lastPage, !Self.isPosition(last, of: stream.pager) {
      memory.lastPage = nil
    }
    return memory
  }

  /// An older walk may have paged in another way.
  private static func isPosition(_ cursor: Cursor, of pager: Pager) -> Bool {
    switch (pager, cursor) {
    case (_, .start), (.chain, .address), (.offset, .offset): true
    case (.number, .number), (.number, .sized): true
    case (.chain(let next), .token): next.parameter != nil || next.isState
    case (.chain, .part(let page, _)): isPosition(page, of: pager)
    default: false
    }
  }

  /// The rows of a list that stops at known records; nil if the API's total may count records without a row: dropped,
  /// rejected, cut or forgotten ones.
  private func rowsListed(
    of window: Int64, _ stream: Base.Stream, _ job: String
  ) throws(SQLiteError) -> Int? {
    guard stream.newestFirst != nil, stream.total?.trust == .counted, stream.keep == nil,
      stream.cap == nil
    else { return nil }
    let rows = try connection.integer(
      "SELECT rows FROM trawl_lists JOIN trawl_windows USING (list_number) WHERE window = ?1 "
        + "AND window_from = '' AND NOT EXISTS (SELECT 1 FROM trawl_rejects r "
        + "WHERE r.job = ?2 AND r.stream = ?3 AND column_name = '') AND NOT EXISTS (SELECT 1 FROM trawl_facts f "
        + "WHERE f.kind = 'forgotten' AND f.job = ?2)",
      [.integer(window), .text(job), .text(stream.name)])
    return rows.map(Statement.count)
  }

  /// Whether the times that a window goes by name no zone, or are of another than UTC where they name none.
  public func hasLocalTimes(_ stream: Base.Stream, of job: String) throws(StoreError) -> Bool {
    guard let name = stream.window?.column, case .time(_, let zone)? = stream.column(name)?.kind
    else { return false }
    if let zone { return zone != "UTC" }
    guard let design = designs[job] else { return false }
    let source = try DesignedStream(stream.name, design)
    return try guarded {
      guard try source.isThere([name], connection) else { return false }
      return try connection.has(
        "(SELECT \(SQLName.quoted(name)) AS time FROM \(SQLName.quoted(source.table.name)) "
          // cut: the newest rows show how the API writes them
          + "ORDER BY rowid DESC LIMIT 100) WHERE time NOT LIKE '%Z'")
    }
  }

  /// A sign that was seen to work says nothing about a sign at another place.
  private static func signs(
    _ stream: Base.Stream, of job: String, _ prints: Fingerprints
  ) -> FactKey {
    var digest = Digest64()
    digest.addField(String(prints.request))
    digest.addField(stream.signOfMore)
    return FactKey(.signs, job: job, stream: stream.name, Hexadecimal.text(digest.value))
  }

  /// Whether the sign that more pages follow works: for all lists of the stream. Once seen to work,
  /// it counts as working.
  public func note(signOfMore saysMore: Bool, of id: UnitID) throws(StoreError) {
    let unit = try opened(id)
    try note(of: id) { signs in
      if let known = signs.flag("says_more"), known || !saysMore { return }
      signs["says_more"] = SQLValue(saysMore)
      signs["window"] = .integer(unit.id)
      signs["traversal"] = .integer(unit.traversal)
    }
  }

  /// Whether numbered pages in other sizes work: for all lists of the stream. If they no longer do, it stays noted that
  /// they did: proofs of earlier walks rest on it.
  public func note(sizesHold: Bool, of id: UnitID) throws(StoreError) {
    try note(of: id) { $0[sizesHold ? "sizes_hold" : "sizes_fixed"] = SQLValue(true) }
  }

  /// Nothing comes before the page that the job calls the first: for all lists of the stream.
  /// - Parameter isShown: false: the request failed, or its answer was old. If so in a later run, too, the API always
  ///   answers so.
  public func note(firstShown isShown: Bool, of id: UnitID) throws(StoreError) {
    let run = SQLValue.integer(try opened(id).run)
    try note(of: id) { signs in
      let failed = signs["first_failed"]
      signs["first_known"] = SQLValue(
        isShown || signs.flag("first_known") == true || failed != nil && failed != run)
      if !isShown { signs["first_failed"] = run }
    }
  }

  /// A 304 hid other records: no list of the stream is requested conditionally any more.
  public func noteFalse304(of id: UnitID) throws(StoreError) {
    try note(of: id) { $0["false_304"] = SQLValue(true) }
  }

  private func note(of id: UnitID, _ change: (inout FactFields) -> Void) throws(StoreError) {
    let unit = try opened(id)
    try write { try noteSigns(of: unit, change) }
  }

  func noteSigns(of unit: OpenUnit, _ change: (inout FactFields) -> Void) throws(SQLiteError) {
    let key = factOfSigns(unit)
    let known = FactFields(try connection.fact(key))
    var signs = known
    change(&signs)
    if signs == known { return }
    signs["seen_at"] = .text(now.description)
    try connection.note(key, signs)
  }

  func factOfSigns(_ unit: OpenUnit) -> FactKey {
    Self.signs(unit.plan.stream, of: unit.plan.job, unit.prints)
  }
}

extension RecordStore {
  /// Whether the clock of a job's API and ours have agreed in an earlier run.
  public func hasAgreed(clockOf job: String) throws(StoreError) -> Bool {
    try guarded { try connection.fact(FactKey(.clock, job: job)) != nil }
  }

  public func note(agreedClockOf job: String) throws(StoreError) {
    try write { try connection.note(FactKey(.clock, job: job), .integer(1)) }
  }
}
