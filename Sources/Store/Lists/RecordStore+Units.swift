public import Base
public import Walk

extension RecordStore {
  /// Finds or creates the unit, and returns its state. A changed request voids what was certified
  /// of the stream; a changed mapping marks it, and an unfinished walk begins anew.
  /// - Parameter carrying: values for columns from the request that are not the unit's own: `host`,
  ///   and what a parent feed carries.
  /// - Parameter readsAll: also reads identical answers again, and compares unchanged records with their rows.
  public func openUnit(
    _ unit: Unit, of job: String, prints: Fingerprints, run: RunID,
    carrying: [ParameterValue] = [], readsAll: Bool = false, acceptingEmpty: [String] = []
  ) async throws(StoreError) -> UnitOpening {
    let plan = try plan(job, unit.stream)
    let listName = Self.listName(plan.stream, unit)
    return try await together { [self] in
      let voided = try judge(plan, prints)
      let list = try findList(plan, unit, listName, unit.values + carrying)
      let window = try findWindow(
        list.number, unit, prints, isBatch: plan.stream.isAskedInBatches)
      let open = OpenUnit(
        id: window.id, list: list.number, unit: unit, plan: plan, run: run.number, prints: prints,
        parameters: unit.values + carrying, traversal: window.traversal, beganAt: now.description)
      open.beganAfter = try connection.pendingBook.latest(connection)
      open.readsAll = readsAll
      try recallFilled(open, accepting: acceptingEmpty)
      var opening = try place(open, window, listName)
      opening.isReadAnew = list.isReadAnew
      opening.voidedFrom = voided
      return opening
    }
  }

  /// The list of a unit in words, as the database and every report call it.
  public static func listName(_ stream: Stream, _ unit: Unit) -> String {
    // A word whose value is empty is left out: `headlines country=us category=`.
    let empty = "\u{0}"
    let text = stream.listName?.filled { hole in
      unit.value(hole).map { $0.isEmpty ? empty : $0 }
    }
    if let text {
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      let told = words.filter { !$0.utf8.contains(0) }.joined(separator: " ")
      return told.isEmpty ? stream.name : told
    }
    let values = unit.values.map { "\($0.name)=\($0.value)" }
    return ([stream.name] + values).joined(separator: " ")
  }

  /// Deletes the pages of the unfinished walk and begins a new one: its token has expired, or the
  /// list has moved.
  public func startAgain(_ id: UnitID) throws(StoreError) {
    let unit = try opened(id)
    try write {
      unit.beganAfter = try connection.pendingBook.latest(connection)
      try connection.delete(Book.pages, where: "window = ? AND traversal = ?", unit.walk)
      try connection.update(
        Book.windows, [("traversal", "traversal + 1"), ("is_open", "1")], where: "window = ?",
        [.integer(unit.id)])
    }
    unit.forget()
    unit.traversal += 1
    unit.beganAt = now.description
  }

  /// The walk's rules, and what it was handed when it began, was resumed, or began again.
  public func begin(_ rules: WalkRules, _ handed: Handed, of id: UnitID) throws(StoreError) {
    let unit = try opened(id)
    unit.rules = (handed.rules, rules.text)
    unit.handed = handed
    unit.whole = handed.whole
  }

  func opened(_ id: UnitID) throws(StoreError) -> OpenUnit {
    guard let unit = units[id] else {
      throw StoreError(.bug, folder.databasePath, "unit \(id.number) is not open in this run")
    }
    return unit
  }

  /// Compares every certificate of the stream with the present request and mapping.
  /// - Returns: where the first of the windows begins that answer another request since now.
  private func judge(_ plan: StreamPlan, _ prints: Fingerprints) throws(SQLiteError) -> Instant? {
    let name = planName(plan.job, plan.stream.name)
    if judged[name] == prints { return nil }
    let voided =
      plan.stream.window == nil
      ? nil
      : try connection.instant(
        "SELECT min(window_from) FROM trawl_lists JOIN trawl_windows USING (list_number) "
          + "JOIN trawl_certificates c USING (window) WHERE job = ? AND stream = ? "
          + "AND window_from <> '' AND standing <> 'other request' AND c.request_print <> ?",
        plan.ofStream + [SQLValue(bits: prints.request)])
    let standing =
      "CASE WHEN request_print <> ?1 THEN 'other request' "
      + "WHEN mapping_print <> ?2 THEN 'older mapping' ELSE 'valid' END"
    try connection.update(
      Book.certificates, [("standing", standing)],
      where: "window IN (SELECT window FROM "
        + "trawl_windows JOIN trawl_lists USING (list_number) WHERE job = ?3 AND stream = ?4) "
        + "AND standing <> \(standing)",
      [
        SQLValue(bits: prints.request), SQLValue(bits: prints.mapping),
      ] + plan.ofStream)
    judged[name] = prints
    return voided
  }

  private static let listColumns = [
    "table_name", "list", "list_table", "list_key", "list_where", "list_part",
  ]

  /// - Returns: also whether it has different rows now, so that what was known of it is gone.
  private func findList(
    _ plan: StreamPlan, _ unit: Unit, _ listName: String, _ parameters: [ParameterValue]
  ) throws(SQLiteError) -> (number: Int64, isReadAnew: Bool) {
    let key = plan.ofStream + [.text(unit.parameterText)]
    let place = ListPlace(plan, parameters)
    let values = [
      .text(plan.table.name), .text(listName), .text(place.table),
      .text(place.key.jsonText), .text(place.whereJSON), SQLValue(place.part),
    ]
    let found = try connection.row(Self.listQuestion, key + values) {
      (number: $0.integer(0), isSame: $0.boolean(1), hasSameRows: $0.boolean(2))
    }
    let named = Array(zip(Self.listColumns, values))
    guard let found else {
      let number = try connection.insert(
        Book.lists, Array(zip(["job", "stream", "parameters"], key)) + named)
      return (number, false)
    }
    var isReadAnew = false
    if !found.isSame {
      try connection.set(
        Book.lists, named, where: "list_number = ?", [.integer(found.number)])
      let isEnlisted = try ListedRecords(plan: plan, connection: connection).enlist(parameters)
      // The rows that are the list now do not have what was read of it.
      if !found.hasSameRows, !isEnlisted {
        isReadAnew = try connection.has(
          "trawl_windows WHERE list_number = ?", [.integer(found.number)])
        try BookReset(
          job: plan.job, lists: [found.number], streams: nil, connection: connection
        ).perform(.resetCoverage)
      }
    }
    return (found.number, isReadAnew)
  }

  private static let listQuestion =
    "SELECT list_number, "
    + listColumns.enumerated().map { "\($1) IS ?\($0 + 4)" }.joined(separator: " AND ")
    + ", list_table IS ?6 AND list_where IS ?8"
    + " FROM trawl_lists WHERE job = ?1 AND stream = ?2 AND parameters = ?3"

  /// The row of a unit, as it is when it is opened.
  private struct Window {
    var id: Int64
    var traversal: Int64
    /// A walk is unfinished.
    var isOpen = false
    /// Nothing of it was ever stored.
    var isNew = false
  }

  /// The condition for a walk that was killed before its verdict and stored only what ended it.
  private static let hasNothingToResume =
    "EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = w.window AND p.traversal = w.traversal) "
    + "AND NOT EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = w.window "
    + "AND p.traversal = w.traversal AND coalesce(trouble, 'unreadable') = 'unreadable')"

  /// Starts a new walk unless one was interrupted.
  private func findWindow(
    _ list: Int64, _ unit: Unit, _ prints: Fingerprints, isBatch: Bool
  ) throws(SQLiteError) -> Window {
    let key: [SQLValue] = [
      .integer(list), .text(unit.window?.from.description ?? ""),
      .text(unit.window?.to.description ?? ""),
    ]
    let own = [SQLValue(bits: prints.request), SQLValue(bits: prints.mapping)]
    let found = try connection.row(
      "SELECT window, traversal, is_open AND request_print = ?4 AND mapping_print = ?5 "
        + "AND (?6 OR NOT (\(Self.hasNothingToResume))) FROM trawl_windows w "
        + "WHERE list_number = ?1 AND window_from = ?2 AND window_to = ?3",
      key + own + [.integer(isBatch ? 1 : 0)]
    ) { Window(id: $0.integer(0), traversal: $0.integer(1), isOpen: $0.boolean(2)) }
    guard var window = found else {
      let number = try connection.insert(
        Book.windows,
        [
          ("list_number", key[0]), ("window_from", key[1]), ("window_to", key[2]),
          ("request_print", own[0]), ("mapping_print", own[1]), ("traversal", 1), ("is_open", 1),
        ])
      return Window(id: number, traversal: 1, isNew: true)
    }
    // Pages with another request or mapping are not part of this walk.
    if !window.isOpen {
      window.traversal &+= 1
      try connection.set(
        Book.windows,
        [
          ("traversal", .integer(window.traversal)), ("is_open", 1), ("request_print", own[0]),
          ("mapping_print", own[1]),
        ], where: "window = ?", [.integer(window.id)])
    }
    return window
  }

  private func place(
    _ open: OpenUnit, _ window: Window, _ listName: String
  ) throws -> UnitOpening {
    let id = open.id
    let unit = open.unit
    if window.isNew { open.filed = [] }
    let filed = try open.certificates(connection)
    let last = filed.first
    open.hasCertificates = last != nil
    open.known = KnownAnswers(open, areStored: last != nil && !open.readsAll)
    let complete = filed.first { $0.isReadToItsEnd && $0.standing != .otherRequest }
    var opening = UnitOpening(
      id: UnitID(number: id), state: .fresh, listName: listName, last: last,
      lastWhole: complete,
      reader: EarlyReader(
        map: open.plan.map, parameters: open.parameters, zones: zones, pool: open.plan.pool,
        parts: open.plan.earlyParts, known: open.known,
        takesAll: open.plan.stream.takesAll))
    opening.wasRead =
      try complete?.standing == .valid || Course(open, connection, now: now).course.wasWhole
    opening.memory = try memory(
      of: id, open.plan.stream, open.plan.job, prints: open.prints, filed, complete, in: open.run)
    try Emptiness(unit: open, connection: connection, now: now)
      .note(in: &opening.memory, lastWhole: complete)
    if let last, last.standing != .otherRequest, let until = waitEnd(last) {
      opening.state = .absent(until: until)
    }
    if window.isOpen {
      let (pages, times) = try recall(open)
      if let times {
        let walkBreak = try walkBreak(of: id, open.traversal, times, isWindow: unit.window != nil)
        opening.state = .resume(pages: pages, after: walkBreak)
        open.beganAfter = 0
      }
    }
    if open.plan.stream.isConditional, !window.isNew,
      FactFields(try connection.fact(factOfSigns(open))).flag("false_304") != true
    {
      opening.hasValidators = try connection.has(
        "trawl_pages WHERE window = ? AND (etag IS NOT NULL OR last_modified IS NOT NULL)",
        [.integer(id)])
    }
    units[opening.id] = open
    return opening
  }

  /// Until when something absent is not requested again; nil: it may be requested now. A wait that
  /// began while the clock was ahead does not count.
  func waitEnd(_ last: StoredCertificate) -> Instant? {
    guard last.certificate.verdict == .absent, let until = last.certificate.goesOnAt, until > now,
      !last.issuedAt.isAhead(of: now), until - now <= Self.waitMax
    else { return nil }
    return until
  }

  /// What does not exist is requested again after 30 days at the latest.
  private static let waitMax = Duration.seconds(31 * 86_400)

  /// Reads the walk's pages: their summaries, and the keys seen so far.
  func recall(_ unit: OpenUnit) throws -> ([PageSummary], PageTimes?) {
    unit.forget()
    var pages: [PageSummary] = []
    var stored = StoredPages(of: unit.id, traversal: unit.traversal)
    try stored.read(in: connection) { page in
      pages.append(page.summary)
      guard page.summary.trouble == nil, page.summary.purpose.isCounted else { return }
      unit.received += page.summary.counts.received
      unit.lastOrdinal = max(unit.lastOrdinal, page.summary.ordinal)
    }
    unit.seen = stored.seen
    unit.lastKeys = (stored.last.ordinal, stored.last.keys)
    if let times = stored.times { unit.beganAt = times.first.description }
    unit.spellings.isRecalled = !pages.isEmpty
    return (pages, stored.times)
  }
}
