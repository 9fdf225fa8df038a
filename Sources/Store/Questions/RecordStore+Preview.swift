public import Base

/// The state of a list before a run comes to it, without opening it.
public struct UnitPreview: Sendable {
  public var state = UnitOpening.State.fresh
  /// The certificate of the last walk that reached the list's end, for the same request.
  public var lastWhole: StoredCertificate?
  /// Pages of the last walk that reached the list's end or the API's ceiling, else of the last one that ended; and
  /// whether it stopped at known records.
  public var lastPages: Int?
  public var wasOfNew = false
  /// Of the last walk, for the same request.
  public var last: StoredCertificate?
  /// A walk was begun and did not reach the list's end: the next run resumes it.
  public var isWanting = false
  /// What earlier walks left for proving the next one, except what speaks against an empty answer.
  public var memory = WalkMemory()

  public init() {}
}

/// What a run would find, in a database that may never have seen the job. Nothing is written.
extension RecordStore {
  /// What `due` would return to a run that begins now, all of it. None if the parent's table does
  /// not exist yet.
  /// - Parameter again: as if the stream had never been requested.
  public func previewDue(
    _ stream: String, of job: String, request: UInt64, again: Bool, isOfAll: Bool
  ) throws(StoreError) -> [DueValue] {
    guard let feed = try Feed(stream, design(of: job)),
      var moment = try nextMoment(of: feed, request, again: again)
    else { return [] }
    moment.isOfAll = isOfAll
    return try values(feed, moment)
  }

  /// How many values `previewDue` would return.
  public func countDue(
    _ stream: String, of job: String, request: UInt64
  ) throws(StoreError) -> Int {
    guard let feed = try Feed(stream, design(of: job)),
      let moment = try nextMoment(of: feed, request, again: false)
    else { return 0 }
    return try count(feed, moment)
  }

  /// The moment of a run that begins now; nil if the parent's table does not exist yet.
  private func nextMoment(
    of feed: Feed, _ request: UInt64, again: Bool
  ) throws(StoreError) -> DueMoment? {
    let (isThere, last) = try guarded {
      let columns = feed.parent.map { parent in
        [parent.column] + feed.rule.carries.filter { parent.stream.table.column($0) != nil }
      }
      return (
        try feed.parent?.stream.isThere(columns ?? [], connection) ?? true,
        try connection.integer("SELECT max(run) FROM trawl_runs") ?? 0
      )
    }
    guard isThere else { return nil }
    var moment = DueMoment(
      run: last + 1, now: now.description, isAnew: again,
      isOfAnother: try isOfAnotherRequest(feed, request))
    moment.round = try openRound(feed, moment)
    return moment
  }

  /// What `openUnit` would find.
  public func preview(
    _ unit: Unit, _ stream: Base.Stream, of job: String, prints: Fingerprints
  ) throws(StoreError) -> UnitPreview {
    let key: [SQLValue] = [
      .text(job), .text(unit.stream), .text(unit.parameterText),
      .text(unit.window?.from.description ?? ""), .text(unit.window?.to.description ?? ""),
    ]
    return try guarded {
      var preview = UnitPreview()
      let found = try connection.row(
        "SELECT window, traversal, is_open AND request_print = ?6 AND mapping_print = ?7, list_number "
          + "FROM trawl_windows JOIN trawl_lists USING (list_number) WHERE job = ?1 AND stream = ?2 "
          + "AND parameters = ?3 AND window_from = ?4 AND window_to = ?5",
        key + [SQLValue(bits: prints.request), SQLValue(bits: prints.mapping)]
      ) {
        (id: $0.integer(0), traversal: $0.integer(1), isOpen: $0.boolean(2), list: $0.integer(3))
      }
      guard let found else { return preview }
      let filed = try StoredCertificate.all(of: found.id, connection)
      let ended = filed.first {
        $0.certificate.verdict.isWhole || $0.certificate.verdict == .limited
          || $0.certificate.cause == .rejects
      }
      let length = (ended ?? filed.first(where: \.isTelling))?.certificate
      preview.lastPages = length?.pages
      preview.wasOfNew = length?.rule == .lastCompleteRange
      preview.lastWhole = filed.filter(\.isReadToItsEnd).compactMap { $0.judged(by: prints) }.first
      preview.memory = try memory(
        of: found.id, stream, job, prints: prints, filed, preview.lastWhole)
      preview.last = filed.first?.judged(by: prints)
      if let last = preview.last, let until = waitEnd(last) {
        preview.state = .absent(until: until)
      } else if let last = preview.last {
        preview.isWanting = try isWanting(last, found.id, found.list, preview.lastWhole)
      } else {
        preview.isWanting = found.isOpen
      }
      if found.isOpen {
        var stored = StoredPages(of: found.id, traversal: found.traversal)
        let pages = try stored.summaries(in: connection)
        if let times = stored.times {
          let walkBreak = try walkBreak(
            of: found.id, found.traversal, times, isWindow: unit.window != nil)
          preview.state = .resume(pages: pages, after: walkBreak)
        }
      }
      return preview
    }
  }

  /// Whether a walk that did not reach the list's end is resumed or repeated. If its last run got no further, that
  /// happens only after another window of the list was read, and less and less often.
  private func isWanting(
    _ latest: StoredCertificate, _ window: Int64, _ list: Int64, _ whole: StoredCertificate?
  ) throws(SQLiteError) -> Bool {
    if latest.number == whole?.number || latest.certificate.verdict == .limited { return false }
    let gotFurther = try connection.has(
      "trawl_pages WHERE window = ? AND purpose = 'page' AND run = ?",
      [.integer(window), .integer(latest.run)])
    if latest.certificate.verdict == .paused, gotFurther { return true }
    let wait = whole.map { (latest.issuedAt - $0.wholeAt) / 2 } ?? .zero
    guard now - latest.issuedAt >= wait else { return false }
    return try connection.has(
      "trawl_certificates JOIN trawl_windows USING (window) WHERE list_number = ? "
        + "AND window <> ? AND certificate > ?",
      [.integer(list), .integer(window), .integer(latest.number)])
  }
}
