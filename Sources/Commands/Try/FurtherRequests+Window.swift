internal import Base
internal import Crawl
internal import Store
internal import Walk

extension FurtherRequests {
  /// Whether the API understands how the job requests a time: that of a record of page 1 is requested, and its answer
  /// must not be empty, nor hold what is far from it. Later runs would read nothing, or too much, and believe it.
  /// - Returns: nil: nothing speaks against it, or there is no time to ask for.
  mutating func window(of look: Look, now: Instant) async -> String? {
    // A search leaves out what it likes.
    guard let rule = look.stream.window, let column = rule.column, !look.stream.isSearch,
      let times = look.sample?.times(in: column),
      let time = ProbedTime(times.filter { $0 < now - rule.delay }, rule, look.stream)
    else { return nil }
    let planner = WindowPlanner(rule)
    // Begun as by a run; between the windows of a backfill there is no overlap.
    let overlap = look.stream.namesWindowEnd ? .zero : rule.overlap
    let range = TimeWindow(
      from: time.start - overlap, to: min(time.start + planner.step, now - rule.delay))
    guard planner.reachable(range, now: now).askable == range,
      let certificates = await ask(look.stream, rule, range)
    else { return nil }
    let asked =
      "window: page 1 has a record with \(column) \(time.value), and a request from \(range.from) to \(range.to)"
    let cure = "look at form, from, to and on"
    if let refused = certificates.first(where: { $0.verdict == .failed && $0.pages == 0 }) {
      return "\(asked) failed: \(refused.why); \(cure)"
    }
    // Records of page 1 that are stored as they came.
    let came = certificates.first?.counts.unchanged ?? 0
    let far = came - times.count { time.isNear($0, range) }
    let isAll = times.count == look.sample?.rows.count && times.count < Look.rowsMax
    if isAll, far * 2 > times.count {
      let names = look.stream.namesWindowEnd ? "from and to" : "from"
      return "\(asked) brings \(Wording.number(far)) of page 1 from far outside: "
        + "the API may not know \(names); \(cure)"
    }
    // An empty page that others follow, or that others precede, shows nothing.
    let isEmpty = certificates.allSatisfy {
      $0.pages > 0 && $0.counts.received == 0 && $0.verdict != .paused && $0.cause != .unread
    }
    if certificates.isEmpty || !isEmpty { return nil }
    for (words, other) in Self.otherEnds(of: rule, look.stream) {
      guard let counts = await ask(look.stream, other, range)?.first?.counts else { continue }
      if time.fits(counts) { return "\(asked) brings none: write \(words), and it does" }
    }
    return "\(asked) brings none: \(cure)"
  }

  private mutating func ask(
    _ stream: Stream, _ rule: Window, _ range: TimeWindow
  ) async -> [Certificate]? {
    var asked = stream
    asked.window = rule
    let facts = await read(asked) { options in
      options.window = range
      // Behind an empty page 1 the page before it is requested.
      options.pagesMax = 2
    }
    return facts?.units.map(\.certificate)
  }

  /// What the job may say of the ends instead, as far as it changes a request.
  private static func otherEnds(of rule: Window, _ stream: Stream) -> [(String, Window)] {
    let (begin, end) = (#"begin: "outside""#, #"end: "outside""#)
    var others: [(String, Window)] = []
    func add(_ words: String, begins: Bool, ends: Bool) {
      var other = rule
      if begins { other.includesBegin = false }
      if ends { other.includesEnd = false }
      others.append((words, other))
    }
    let mayEnd =
      rule.includesEnd && stream.namesWindowEnd && (rule.form.isOfDays || rule.step != nil)
    if rule.includesBegin { add(begin, begins: true, ends: false) }
    if mayEnd { add(end, begins: false, ends: true) }
    if rule.includesBegin, mayEnd { add("\(begin), \(end)", begins: true, ends: true) }
    return others
  }
}

/// The time of a record of page 1, requested as a window of one step.
private struct ProbedTime {
  let value: Instant
  /// Where its step begins: of the API's days, if their zone is known.
  let start: Instant
  /// Records of page 1 that are in its step; nil: younger ones come, too.
  private let count: Int?
  private let hasEnd: Bool
  private let slack: Duration

  init?(_ times: [Instant], _ rule: Window, _ stream: Stream) {
    guard let newest = times.max() else { return nil }
    let planner = WindowPlanner(rule)
    func step(of time: Instant) -> Instant {
      let offset = Duration.seconds(rule.zone?.offset(at: time) ?? 0)
      return planner.roundedDown(time + offset) - offset
    }
    hasEnd = stream.namesWindowEnd
    // Filters may go by days of any zone.
    slack = planner.step + .seconds(86_400)
    // Without an end later records come, too.
    guard hasEnd else {
      (value, start, count) = (newest, step(of: newest), nil)
      return
    }
    // The newest may be changed right now. The steps beside it must not hold as many, or an answer with those would be
    // taken for its own.
    let counts = Dictionary(times.map { (step(of: $0), 1) }, uniquingKeysWith: +)
    let sorted = times.sorted()
    let middle = sorted[sorted.count / 2]
    let telling = sorted.filter { time in
      let own = step(of: time)
      return counts[own] != counts[own - planner.step] && counts[own] != counts[own + planner.step]
    }
    let chosen = telling.isEmpty ? middle : telling[telling.count / 2]
    (value, start) = (chosen, step(of: chosen))
    count = counts[step(of: chosen)]
  }

  /// Whether what came are the records of its step.
  func fits(_ counts: Counts) -> Bool {
    count.map { $0 == counts.unchanged } ?? (counts.received > 0)
  }

  func isNear(_ time: Instant, _ range: TimeWindow) -> Bool {
    time >= range.from - slack && (!hasEnd || time <= range.to + slack)
  }
}

extension StoredSample {
  fileprivate func times(in column: String) -> [Instant] {
    guard let at = columns.firstIndex(of: column) else { return [] }
    return rows.compactMap { $0[at].flatMap { Instant(rfc3339: $0) } }
  }
}
