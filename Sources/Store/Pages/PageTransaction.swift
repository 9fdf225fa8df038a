public import Base
internal import Walk

extension RecordStore {
  /// Stores a page: records, memberships, nested lists, rejects, image queue, the page's facts and
  /// the place to resume, all in one transaction or not at all.
  /// - Parameter early: what the unit's `EarlyReader` has read of it.
  public func commit(
    _ page: Page, early: EarlyRows? = nil, step: Step, facts: PageFacts = PageFacts(), of id: UnitID
  ) async throws(StoreError) -> PageReceipt {
    let unit = try opened(id)
    let moment = now
    let stamp = moment.description
    do {
      let receipt = try await together { [self] in
        let base = try base(of: step, unit)
        let before = try keysBefore(step, unit)
        var row = NewPage(
          summary: PageSummary(page, step, signs: facts.signs), step: step, unit: unit, stamp: stamp
        )
        row.status = facts.status
        row.etag = page.etag
        row.lastModified = page.lastModified
        row.answerPrint = unit.known?.print(of: page, at: step, before: base)
        if let same = try takeOver(page, row, before: before, facts: facts) {
          try settleMove(unit, step, same.summary.counts)
          return same
        }
        var writer = PageWriter(
          unit: unit, connection: connection, probe: probe, wanted: wanted, now: stamp,
          reader: FieldReader(zones), parameters: unit.parameters + facts.parameters, base: base,
          asked: facts.asked)
        writer.hasNestedPart = page.hasNestedPart
        try writer.store(
          page.records, named: page.names, damaged: page.damaged,
          // The early reader did not know the values of this page alone.
          early: facts.parameters.isEmpty ? early : nil)
        if unit.plan.marksDropped {
          let vanishing = try Vanishing(unit, connection, probe, now: moment)
          try vanishing.noteDropped(writer.dropped, of: writer.keys)
        }
        row.take(writer, before: before)
        try settleMove(unit, step, row.summary.counts)
        if !facts.asked.isEmpty || !facts.parameters.isEmpty { row.answerPrint = nil }
        try row.save(connection)
        if writer.answered.isExact { try AskedRows(unit)?.noteNamed(connection) }
        let rules = unit.plan.rules
        let isDoubtful =
          !facts.asked.isEmpty
          && (writer.answered.isRefused || writer.answered.areUnnamed
            || rules.isDoubtful(row.summary, shared: writer.returns))
        // Records of other answers have its keys: requested again together, until they differ; if they are few and only
        // change, once.
        let across = max(0, row.summary.keyClashes.acrossPages - writer.sharedClashes)
        let isShared =
          across + writer.returns > 0 && unit.plan.stream.parent?.when.isEachTime == false
        var settled: [String] = []
        if isShared, writer.returns == 0, across * 10 < row.summary.counts.received {
          settled = try writer.askedAgain()
        }
        var missing = writer.answered.missing
        let emptied = missing.isEmpty ? try rowsEmptied(facts, row.summary, unit) : nil
        if emptied != nil { missing = facts.asked }
        let others = facts.asked.without(missing)
        // Requested again until an answer is beyond doubt: until then no walk judges their rows.
        let open = isDoubtful ? others : isShared ? others.without(settled) : []
        try miss(open, unit.plan.stream.name, unit.plan.job, unit.run, at: moment)
        for value in open where isShared {
          try connection.update(
            Book.due, [("changed_run", "\(unit.run)")],
            where: "job = ? AND stream = ? AND value = ?", unit.plan.ofStream + [.text(value)])
        }
        try mark(asked: others.without(open), unit.plan.ofStream, unit.run, stamp)
        var receipt = PageReceipt(
          summary: row.summary, images: writer.images, found: writer.foundNames)
        receipt.leftOut = try markLeftOut(
          missing, unit, at: moment, isDoubtful: isDoubtful, isAll: emptied != nil,
          isAlone: facts.asked.count == 1)
        receipt.leftOut.isOfOthers = writer.answered.areUnnamed
        if let emptied, receipt.leftOut.gone > 0 {
          // The value's list is empty, which is an answer.
          receipt.leftOut = LeftOut()
          try mark(asked: missing, unit.plan.ofStream, unit.run, stamp)
          try leave(emptied, of: unit.plan, unit.run, at: moment)
        }
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

  /// The rows of a value for which nothing came.
  private func rowsEmptied(
    _ facts: PageFacts, _ page: PageSummary, _ unit: OpenUnit
  ) throws(SQLiteError) -> String? {
    guard facts.asked.count == 1, page.counts.received == 0, unit.plan.stream.marksVanished,
      unit.plan.isOnlyOwner, let asked = AskedRows(unit)
    else { return nil }
    return try asked.rows(of: facts.asked[0], connection)
  }

  /// Stores what a look at a page showed, but none of its records: a page of the walk has them,
  /// before or later.
  public func note(
    look page: Page, step: Step, facts: PageFacts, of id: UnitID
  ) throws(StoreError) -> PageSummary {
    let unit = try opened(id)
    let stamp = now.description
    let summary = try write {
      var writer = PageWriter(
        unit: unit, connection: connection, probe: probe, wanted: wanted, now: stamp,
        reader: FieldReader(zones), parameters: unit.parameters + facts.parameters, base: 0)
      let keys = try writer.keys(
        of: page.records, named: page.names, damaged: page.damaged)
      var summary = PageSummary(page, step, signs: facts.signs)
      summary.note(keys)
      summary.lookedAt = keys.count
      summary.unseen = keys.count { !unit.seen.contains($0) }
      var row = NewPage(summary: summary, step: step, unit: unit, stamp: stamp)
      row.status = facts.status
      row.keys = keys
      try row.save(connection)
      return summary
    }
    unit.handed = nil
    settings.faults.reach(.afterLook)
    return summary
  }

  /// A 304: the body, and so its records, are as stored. The answer's head counts anew. Nil if it
  /// lacks what the stored answer had there: the page must be requested whole, now and in future.
  public func commitNotModified(
    step: Step, validator: Validator, head: Page,
    facts: PageFacts = PageFacts(status: 304), of id: UnitID
  ) async throws(StoreError) -> PageReceipt? {
    let unit = try opened(id)
    let stamp = now.description
    do {
      let summary: PageSummary? = try await together { [self] in
        let stored: StoredPage? = try connection.row(
          "SELECT \(StoredPage.columns) FROM trawl_pages WHERE page = ?",
          [.integer(validator.page)])
        guard let old = stored else {
          throw StoreError(.bug, step.address.description, "the page of its ETag is not stored")
        }
        // Its rows hold positions in the list, and the pages before it have more records now, or fewer.
        if unit.plan.countsPlaces,
          try base(of: old.summary.ordinal, at: old.summary.cursor, old.traversal, unit)
            != base(of: step, unit)
        {
          return nil
        }
        guard let said = old.summary.saying(head, unit.plan.stream) else {
          try noteSigns(of: unit) { $0["heads_missing"] = 1 }
          return nil
        }
        let before = try keysBefore(step, unit)
        var page = NewPage(summary: said, step: step, unit: unit, stamp: stamp)
        page.takeOver(from: old)
        page.summary.signs += facts.signs
        page.status = facts.status
        let count = old.keys.count
        var counts = Counts()
        page.summary.unseen = old.keys.count { unit.seen.insert($0) }
        counts.dropped = min(old.summary.counts.dropped, count)
        counts.rejected = min(old.summary.counts.rejected, count - counts.dropped)
        let rest = count - counts.dropped - counts.rejected
        counts.repeated = min(count - page.summary.unseen, rest)
        counts.unchanged = rest - counts.repeated
        page.summary.counts = counts
        page.summary.compare(old.keys, with: before)
        try page.save(connection)
        try mark(asked: facts.asked, unit.plan.ofStream, unit.run, stamp)
        settings.faults.reach(.beforePageCommit)
        return page.summary
      }
      guard let summary else { return nil }
      advance(unit, summary)
      settings.faults.reach(.afterPageCommit)
      return PageReceipt(summary: summary)
    } catch {
      recover(unit)
      throw error
    }
  }

  /// What came instead of a page, after all tries: an unreadable page is noted so that a later run
  /// requests it alone; everything else shows how the walk continued.
  public func commit(
    _ trouble: TroubleKind, cause: Cause, step: Step, of id: UnitID
  ) throws(StoreError) {
    let unit = try opened(id)
    let stamp = now.description
    var summary = PageSummary(
      purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: nil)
    summary.note([])
    summary.trouble = trouble
    try write {
      var page = NewPage(summary: summary, step: step, unit: unit, stamp: stamp)
      page.status = 0
      page.cause = cause
      try page.save(connection)
    }
    advance(unit, summary)
  }

  // MARK: The walk's memory

  /// How many records of its list come before the page.
  private func base(of step: Step, _ unit: OpenUnit) throws(SQLiteError) -> Int {
    try base(of: step.ordinal, at: step.cursor, unit.traversal, unit)
  }

  private func base(
    of ordinal: Int, at cursor: Cursor, _ traversal: Int64, _ unit: OpenUnit
  ) throws(SQLiteError) -> Int {
    if ordinal <= 1 { return 0 }
    let walk: [SQLValue] = [.integer(unit.id), .integer(traversal)]
    var first: Int?
    if case .number = cursor, unit.plan.countsPlaces {
      first = try connection.count(
        "SELECT max(received) FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal = 1 "
          + "AND purpose IN ('page', 'repair')", walk)
    }
    if let before = unit.plan.rules.recordsBefore(cursor, first: first) { return before }
    if traversal == unit.traversal, ordinal == unit.lastOrdinal + 1 { return unit.received }
    return try connection.count(
      "SELECT sum(received) FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal < ? "
        + "AND purpose IN ('page', 'repair')", walk + [.integer(Int64(ordinal))])
  }

  private func keysBefore(_ step: Step, _ unit: OpenUnit) throws(SQLiteError) -> [UInt64] {
    if step.ordinal <= 1 || step.purpose != .page { return [] }
    if unit.lastKeys.ordinal == step.ordinal - 1 { return unit.lastKeys.keys }
    return try StoredPages.keys(at: step.ordinal - 1, of: unit.id, unit.traversal, connection)
  }

  private func advance(_ unit: OpenUnit, _ summary: PageSummary) {
    unit.handed = nil
    guard summary.purpose.isCounted else { return }
    // An unreadable page has no records; positions are known again once it is read.
    unit.received += summary.counts.received
    unit.lastOrdinal = max(unit.lastOrdinal, summary.ordinal)
  }

  /// After a rollback, drops noted keys that are not stored.
  private func recover(_ unit: OpenUnit) {
    wanted.forget()
    do {
      try guarded {
        try unit.plan.found?.reload(connection)
        unit.plan.forgotten.reload()
        try unit.plan.readOpenRejects(connection)
        _ = try recall(unit)
      }
    } catch {
      // The caller gets the first error; the next run opens the unit anew.
      units[UnitID(number: unit.id)] = nil
    }
  }
}

extension [String] {
  /// By their bytes: an API may tell two spellings of one letter apart.
  fileprivate func without(_ others: [String]) -> [String] {
    let others = Set(others.map { ExactText($0) })
    return filter { !others.contains(ExactText($0)) }
  }
}
