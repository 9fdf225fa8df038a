public import Base

extension RecordStore {
  /// Stores a page: records, memberships, nested lists, rejects, image queue, the page's facts and
  /// the place to go on at, all in one transaction or not at all.
  /// - Parameter early: what the unit's `EarlyReader` has read of it.
  public func commit(
    _ page: Page, early: EarlyRows? = nil, step: Step, facts: PageFacts = PageFacts(), of id: UnitID
  ) async throws(StoreError) -> PageReceipt {
    let unit = try opened(id)
    let moment = now
    let stamp = moment.description
    do {
      let receipt = try await together { [self] connection in
        let base = try base(of: step, unit, connection)
        let before = try keysBefore(step, unit, connection)
        var row = NewPage(PageSummary(page, step, signs: facts.signs), step, unit, at: stamp)
        row.status = facts.status
        row.etag = page.etag
        row.lastModified = page.lastModified
        row.answerPrint = unit.known?.print(of: page, at: step, before: base)
        if let same = try takeOver(page, row, before: before, facts: facts, connection) {
          try settleMove(unit, step, same.summary.counts, connection)
          return same
        }
        var writer = PageWriter(
          unit: unit, connection: connection, probe: probe, wanted: wanted, now: stamp,
          reader: FieldReader(zones), parameters: unit.parameters + facts.parameters, base: base,
          asked: facts.asked)
        try writer.store(
          page.records, named: page.names, damaged: page.damaged,
          // Values of this page alone were not known to whoever read it.
          early: facts.parameters.isEmpty ? early : nil)
        row.take(writer, before: before)
        try settleMove(unit, step, row.summary.counts, connection)
        if !facts.asked.isEmpty || !facts.parameters.isEmpty { row.answerPrint = nil }
        try row.save(connection)
        let missing = writer.answered.missing
        try markAsked(facts.asked.filter { !missing.contains($0) }, unit, stamp, connection)
        var receipt = Self.receipt(writer, row.summary)
        receipt.leftOut = try markLeftOut(missing, unit, at: moment, connection)
        settings.faults.reach(.beforePageCommit)
        return receipt
      }
      advance(unit, receipt.summary)
      unit.kept += receipt.summary.counts.kept
      settings.faults.reach(.afterPageCommit)
      return receipt
    } catch {
      recover(unit)
      throw error
    }
  }

  /// Stores what a look at a page showed, and none of its records: a later page of the walk brings
  /// them, or has brought them.
  public func note(
    look page: Page, step: Step, facts: PageFacts, of id: UnitID
  ) throws(StoreError) -> PageSummary {
    let unit = try opened(id)
    let stamp = now.description
    let summary = try write { connection in
      var writer = PageWriter(
        unit: unit, connection: connection, probe: probe, wanted: wanted, now: stamp,
        reader: FieldReader(zones), parameters: unit.parameters + facts.parameters, base: 0)
      let keys = try writer.keys(
        of: page.records, named: page.names, damaged: page.damaged)
      var summary = PageSummary(page, step, signs: facts.signs)
      summary.keysDigest = KeyBlob.digest(keys)
      summary.lookedAt = keys.count
      var row = NewPage(summary, step, unit, at: stamp)
      row.status = facts.status
      row.keys = keys
      try row.save(connection)
      return summary
    }
    unit.handed = nil
    settings.faults.reach(.afterLook)
    return summary
  }

  private static func receipt(_ writer: PageWriter, _ summary: PageSummary) -> PageReceipt {
    var receipt = PageReceipt(summary: summary)
    receipt.newSamples = writer.newSamples
    receipt.changedSamples = writer.changedSamples
    receipt.images = writer.images
    receipt.newRejects = writer.newRejects
    receipt.fieldRejects = writer.fieldRejects
    receipt.zeroDates = writer.reader.zeroDates
    return receipt
  }

  /// A 304: the page is as it was when it was stored, and so are its records. The facts are taken
  /// from the page whose validator was sent.
  /// - Parameter next: the next page, where the 304 itself names it.
  public func commitNotModified(
    step: Step, validator: Validator, next: Cursor? = nil,
    facts: PageFacts = PageFacts(status: 304), of id: UnitID
  ) throws(StoreError) -> PageReceipt {
    let unit = try opened(id)
    let stamp = now.description
    do {
      let summary = try write { connection in
        guard let old = try NewPage.load("page = ?", [.integer(validator.page)], connection) else {
          throw StoreError(.bug, step.address.description, "the page of its ETag is not stored")
        }
        let before = try keysBefore(step, unit, connection)
        var page = NewPage(old.summary, step, unit, at: stamp)
        page.takeOver(from: old)
        page.summary.next = next ?? page.summary.next
        page.summary.signs += facts.signs
        page.summary.firstKey = old.keys.first
        page.summary.lastKey = old.keys.last
        page.status = facts.status
        let count = old.keys.count
        var counts = Counts()
        for key in old.keys where unit.seen.insert(key) { page.summary.unseen += 1 }
        counts.dropped = min(old.summary.counts.dropped, count)
        counts.rejected = min(old.summary.counts.rejected, count - counts.dropped)
        let rest = count - counts.dropped - counts.rejected
        counts.repeated = min(count - page.summary.unseen, rest)
        counts.unchanged = rest - counts.repeated
        page.summary.counts = counts
        page.summary.leadingRepeats = old.keys.prefix { before.contains($0) }.count
        try page.save(connection)
        try markAsked(facts.asked, unit, stamp, connection)
        settings.faults.reach(.beforePageCommit)
        return page.summary
      }
      advance(unit, summary)
      settings.faults.reach(.afterPageCommit)
      return PageReceipt(summary: summary)
    } catch {
      recover(unit)
      throw error
    }
  }

  /// What came in the place of a page, after all tries: a page that could not be read is named so that a
  /// later run asks it alone, and all else shows how the walk went on.
  public func commit(
    _ trouble: TroubleKind, cause: Cause, step: Step, of id: UnitID
  ) throws(StoreError) {
    let unit = try opened(id)
    let stamp = now.description
    var summary = PageSummary(
      purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: nil,
      keysDigest: KeyBlob.digest([]))
    summary.trouble = trouble
    try write { connection in
      var page = NewPage(summary, step, unit, at: stamp)
      page.status = 0
      page.cause = cause
      try page.save(connection)
    }
    advance(unit, summary)
  }

  // MARK: The walk's memory

  /// How many records stand before the page in its list.
  private func base(
    of step: Step, _ unit: OpenUnit, _ connection: Connection
  ) throws(SQLiteError) -> Int {
    if step.ordinal <= 1 { return 0 }
    if step.ordinal == unit.lastOrdinal + 1 { return unit.received }
    return Int(
      try connection.integer(
        "SELECT sum(received) FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal < ? "
          + "AND purpose IN ('page', 'repair')",
        [.integer(unit.id), .integer(unit.traversal), .integer(Int64(step.ordinal))]) ?? 0)
  }

  private func keysBefore(
    _ step: Step, _ unit: OpenUnit, _ connection: Connection
  ) throws(SQLiteError) -> Set<UInt64> {
    if step.ordinal <= 1 || step.purpose != .page { return [] }
    if unit.lastKeys.ordinal == step.ordinal - 1 { return unit.lastKeys.keys }
    let keys = try connection.row(
      "SELECT keys FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal = ? "
        + "AND trouble IS NULL AND \(Self.ofTheList) ORDER BY page DESC LIMIT 1",
      [.integer(unit.id), .integer(unit.traversal), .integer(Int64(step.ordinal - 1))]
    ) { $0.withBytes(0) { KeyBlob.keys($0) } }
    return Set(keys ?? [])
  }

  private func advance(_ unit: OpenUnit, _ summary: PageSummary) {
    unit.handed = nil
    // Read back when the next page asks for it; most walks never do.
    unit.lastKeys = (0, [])
    guard summary.purpose.isCounted else { return }
    // A page that could not be read has no records, and its place is known again once it is.
    unit.received += summary.counts.received
    unit.lastOrdinal = max(unit.lastOrdinal, summary.ordinal)
  }

  /// A transaction that was rolled back saw keys that are not stored.
  private func recover(_ unit: OpenUnit) {
    wanted.forget()
    do {
      try guarded { connection in
        try unit.plan.readOpenRejects(connection)
        _ = try recall(unit, connection)
      }
    } catch {
      // What failed first is what the caller hears; the unit is opened anew by the next run.
      units[UnitID(number: unit.id)] = nil
    }
  }

  // MARK: Validators

  /// What to send with a conditional request for this address: the ETag of the last answer that was
  /// stored for it, asked and mapped as now. Nil where its rows may not be there any more, and for a
  /// full page that was the last one of a list whose next pages stand in a header: a 304 speaks of
  /// the body alone, and what was added behind such a page changes only its `Link`.
  public func validator(
    for address: WebAddress, of id: UnitID
  ) throws(StoreError) -> Validator? {
    let unit = try opened(id)
    return try guarded { connection in
      let found = try connection.row(
        "SELECT page, etag, last_modified, next_cursor IS NOT NULL, received, (SELECT "
          + "max(received) "
          + "FROM trawl_pages w WHERE w.window = p.window AND w.traversal = p.traversal "
          + "AND w.ordinal < p.ordinal) FROM trawl_pages p WHERE window = ? "
          + "AND address_digest = ? AND address = ? AND request_print = ? AND mapping_print = ? "
          + "AND trouble IS NULL AND (etag IS NOT NULL OR last_modified IS NOT NULL) "
          + "ORDER BY page DESC LIMIT 1",
        [
          .integer(unit.id), SQLValue(bits: Digest64.of(address.description.utf8)),
          .text(address.description), SQLValue(bits: unit.prints.request),
          SQLValue(bits: unit.prints.mapping),
        ]
      ) { row in
        (
          Validator(page: row.integer(0), etag: row.text(1), lastModified: row.text(2)),
          hasNext: row.boolean(3), received: row.int(4), longest: row.optionalInt(5)
        )
      }
      guard let found else { return nil }
      guard unit.plan.stream.pager.namesNextInHead, !found.hasNext else { return found.0 }
      let full = min(unit.plan.stream.size?.value ?? 0, found.longest ?? .max)
      return found.received < full ? found.0 : nil
    }
  }
}

/// What makes a request conditional, and the stored page it stands for.
public struct Validator: Sendable, Equatable {
  let page: Int64
  public var etag: String?
  public var lastModified: String?
}
