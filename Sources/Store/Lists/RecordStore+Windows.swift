public import Base

/// A stretch of a list that is certified although incomplete: nothing more can be requested.
public struct SettledWindow: Sendable, Equatable {
  public var window: TimeWindow
  /// The API's limit, or its reach.
  public var cause: Shortfall
  public var why: String
  /// The job's reach settled it, which may be edited, and not the API's own refusal.
  public var isByDeclaredReach: Bool
  /// Records that the API counts there and does not return; nil if it does not count.
  public var residue: Int?
  var issuedAt: Instant
  /// A refill reads rows of an older mapping again.
  public var isOfThisMapping: Bool
}

/// Windows of one list of one job, for planning what to request. None of it needs the job's tables.
extension RecordStore {
  /// Identifies a list for the queries below.
  public struct ListKey: Sendable {
    let values: [SQLValue]
    private let job: String
    private let stream: String
    let prints: Fingerprints

    public init(job: String, unit: Unit, prints: Fingerprints) {
      values = [.text(job), .text(unit.stream), .text(unit.parameterText)]
      (self.job, stream) = (job, unit.stream)
      self.prints = prints
    }

    /// Also the present request's fingerprint.
    var asked: [SQLValue] { values + [SQLValue(bits: prints.request)] }

    /// Nil: the list is not known yet.
    func fact(_ kind: FactKind, _ connection: Connection) throws(SQLiteError) -> FactKey? {
      let number = try connection.integer(
        "SELECT list_number FROM trawl_lists WHERE job = ?1 AND stream = ?2 AND parameters = ?3",
        values)
      return number.map { FactKey(kind, job: job, stream: stream, list: $0) }
    }
  }

  private static let ofList =
    "FROM trawl_windows u JOIN trawl_lists l USING (list_number) WHERE l.job = ?1 AND l.stream = "
    + "?2 AND l.parameters = ?3 AND u.window_from <> '' AND u.request_print = ?4"

  /// The last certificate of each of its windows.
  private static let lastOfList =
    "FROM trawl_certificates c JOIN (SELECT u.window AS id, u.window_from, u.window_to "
    + "\(ofList)) u ON u.id = c.window WHERE c.certificate = "
    + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = c.window)"

  /// Windows that ended at the API's cap or beyond its reach, by their last certificates. One that was
  /// certified while the clock was ahead settles nothing.
  public func settled(_ list: ListKey) throws(StoreError) -> [SettledWindow] {
    let moment = now
    return try guarded {
      try connection.rows(
        "SELECT u.window_from, u.window_to, c.cause, c.why, c.trust, c.last_total, "
          + "c.distinct_keys, c.issued_at, c.standing = 'valid', "
          + "c.rule = 'beyondReach' \(Self.lastOfList) AND c.verdict = 'limited' "
          + "AND c.standing <> 'other request' "
          + "ORDER BY u.window_from", list.asked
      ) { row -> SettledWindow? in
        guard let window = row.window(0),
          let cause = row.text(2).flatMap({ Shortfall(rawValue: $0) })
        else { return nil }
        let isCounted = row.text(4) == Total.Trust.counted.rawValue
        return SettledWindow(
          window: window, cause: cause, why: row.text(3) ?? "", isByDeclaredReach: row.boolean(9),
          residue: isCounted ? row.optionalInt(5).map { max(0, $0 - row.int(6)) } : nil,
          issuedAt: row.instant(7) ?? Instant(seconds: 0), isOfThisMapping: row.boolean(8))
      }.compactMap { $0 }.filter { !$0.issuedAt.isAhead(of: moment) }
    }
  }

  /// Windows whose walk is unfinished, or was paused before its first page.
  public func begunWindows(_ list: ListKey) throws(StoreError) -> [TimeWindow] {
    try windows(
      "\(Self.ofList) AND u.mapping_print = ?5 AND u.is_open = 1 ORDER BY u.window_from",
      list.asked + [SQLValue(bits: list.prints.mapping)])
  }

  private func windows(
    _ those: String, _ values: [SQLValue]
  ) throws(StoreError) -> [TimeWindow] {
    try guarded {
      try connection.rows("SELECT u.window_from, u.window_to \(those)", values) { $0.window(0) }
    }.compactMap { $0 }
  }

  /// Windows that failed, or whose evidence speaks against them, by their last certificates, the last of these first;
  /// others may have covered them since.
  public func failedWindows(_ list: ListKey) throws(StoreError) -> [TimeWindow] {
    try windows(
      "\(Self.lastOfList) AND c.verdict IN ('failed', 'incomplete') ORDER BY c.certificate DESC",
      list.asked)
  }

  /// When the list was last good; nil: nothing is known of it, or only of another request or mapping.
  public func goodAt(_ list: ListKey) throws(StoreError) -> Instant? {
    try guarded {
      guard let key = try list.fact(.course, connection) else { return nil }
      let course = try connection.fact(key)?.text.flatMap { ListCourse($0) }
      return course?.prints == [list.prints.request, list.prints.mapping] ? course?.goodAt : nil
    }
  }

  /// The beginning of the first window, among those that end after a time, that may differ when it is read again: it
  /// was empty, had rejects, or was not proven.
  /// - Parameter isProvable: windows of the stream are usually proven.
  public func firstDoubtful(
    _ list: ListKey, since time: Instant, isProvable: Bool
  ) throws(StoreError) -> Instant? {
    try guarded {
      try connection.instant(
        "SELECT min(u.window_from) \(Self.lastOfList) AND u.window_to >= ?5 "
          + "AND c.verdict IN ('complete', 'unproven', 'incomplete') "
          + "AND (c.received = 0 OR c.cause = 'rejects' "
          + "OR c.verdict = 'unproven' AND (?6 OR c.rule = 'errorMeansEnd'))",
        list.asked + [.text(time.description), SQLValue(isProvable)])
    }
  }

  // MARK: the whole list

  /// The newest certificate of the whole list that meets the condition.
  private func ofWhole(
    _ list: [SQLValue], where condition: String
  ) throws(StoreError) -> StoredCertificate? {
    try guarded {
      try connection.row(
        "SELECT \(StoredCertificate.columns) FROM trawl_certificates c JOIN trawl_windows u USING (window) "
          + "JOIN trawl_lists l USING (list_number) WHERE l.job = ?1 AND l.stream = ?2 "
          + "AND l.parameters = ?3 AND u.window_from = '' AND \(condition) "
          + "ORDER BY c.certificate DESC LIMIT 1", list)
    }
  }

  private func lastValid(_ list: ListKey) throws(StoreError) -> StoredCertificate? {
    try ofWhole(list.asked, where: "c.request_print = ?4 AND c.standing = 'valid'")
  }

  /// When the last walk of the whole list that the API cut at its ceiling began; nil: none was cut. Later records are
  /// not in it.
  public func cutWalk(_ list: ListKey) throws(StoreError) -> Instant? {
    try ofWhole(
      list.asked,
      where: "c.request_print = ?4 AND c.verdict = 'limited' AND c.cause = 'ceiling'")?.beganAt
  }

  /// Whether walks of a whole list that proved nothing so far call for another: one on a second night, and a third if
  /// they read the same and no answer shows the end. A list that moved each time is read whole again after `age`.
  public func isHalfProven(
    _ list: ListKey, again age: Duration
  ) throws(StoreError) -> Bool {
    guard let half = try lastValid(list), half.certificate.verdict != .complete,
      half.unprovenReads > 0
    else { return false }
    let (reads, same) = (half.unprovenReads, half.patternWalks)
    if reads < 2 || reads == 2 && same < 2 || isPatternOld(half) { return true }
    return now - half.beganAt >= age
  }

  /// The same for a list of which usually only new records are read: the night after two walks shows whether it stays
  /// the same, and then the third walk proves it.
  public func isHalfProvenByNews(_ list: ListKey) throws(StoreError) -> Bool {
    guard let half = try lastValid(list), half.certificate.verdict == .unproven,
      half.certificate.rule != .lastCompleteRange
    else { return false }
    return half.provingAt == half.issuedAt || isPatternOld(half)
  }

  /// Two walks or more read the same, the first of them long ago.
  func isPatternOld(_ walk: StoredCertificate) -> Bool {
    walk.patternWalks > 1 && walk.patternSince.map { now - $0 >= WalkMemory.patternAge } ?? false
  }

  /// When a list was complete last, or was walked twice in one run to prove it, whichever is later.
  public func lastProving(of unit: Unit, job: String) throws(StoreError) -> Instant? {
    try ofWhole(
      [.text(job), .text(unit.stream), .text(unit.parameterText)], where: "c.standing = 'valid'")?
      .provingAt
  }

  /// The last request and mapping of a list.
  public func lastPrints(_ job: String, _ unit: Unit) throws(StoreError) -> Fingerprints? {
    try guarded {
      try connection.row(
        "SELECT u.request_print, u.mapping_print FROM trawl_windows u JOIN trawl_lists l "
          + "USING (list_number) WHERE l.job = ? AND l.stream = ? AND l.parameters = ? "
          + "ORDER BY u.window DESC LIMIT 1",
        [.text(job), .text(unit.stream), .text(unit.parameterText)]
      ) { Fingerprints(request: $0.bits(0), mapping: $0.bits(1)) }
    }
  }

  // MARK: density

  /// Records per second of the list, as its windows have shown.
  public func density(_ list: ListKey) throws(StoreError) -> Double? {
    try guarded {
      guard let key = try list.fact(.density, connection) else { return nil }
      let density = FactFields(try connection.fact(key))
      return density["request_print"] == SQLValue(bits: list.prints.request)
        ? density.real("per_second") : nil
    }
  }

  public func noteDensity(_ rate: Double, of list: ListKey) throws(StoreError) {
    try write {
      guard let key = try list.fact(.density, connection) else { return }
      try note(density: rate, list.prints, key)
    }
  }

  private func note(density: Double, _ prints: Fingerprints, _ key: FactKey) throws(SQLiteError) {
    try connection.note(
      key, ["per_second": .real(density), "request_print": SQLValue(bits: prints.request)])
  }

  /// Deletes a window that turned out too wide, and keeps its density: its parts replace it. Its
  /// records stay.
  public func dissolve(_ id: UnitID, density: Double?) throws(StoreError) {
    let unit = try opened(id)
    try write {
      // Another window may get its number.
      try noteSigns(of: unit) { signs in
        guard signs.integer("window") == Int(unit.id) else { return }
        (signs["window"], signs["traversal"]) = (.null, .null)
      }
      try connection.delete(Book.windows, where: "window = ?", [.integer(unit.id)])
      guard let density else { return }
      try note(density: density, unit.prints, unit.fact(.density))
    }
    units[id] = nil
  }

  /// Deletes a window of which nothing was ever read.
  public func dissolveUnread(_ id: UnitID) throws(StoreError) {
    let unit = try opened(id)
    try write {
      _ = try connection.delete(
        Book.windows,
        where: "window = ? AND window_from <> '' "
          + "AND NOT EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = trawl_windows.window) "
          + "AND NOT EXISTS (SELECT 1 FROM trawl_certificates c "
          + "WHERE c.window = trawl_windows.window)", [.integer(unit.id)])
    }
    units[id] = nil
  }
}
