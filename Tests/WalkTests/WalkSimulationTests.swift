import Base
import TestSupport
import Walk
import Testing

/// A list server made from a seed: how it pages, what it tells, and how it misbehaves.
struct RandomServer {
  var random: SeededRandom
  var keys: [Int]
  var nextKey: Int
  let size: Int
  let style: Int
  let tellsTotal: Bool
  let totalIsCounted: Bool
  let tellsMore: Bool
  let hasCap: Bool
  /// Chance in a hundred that the list changes after a page.
  let drift: Int
  /// The list changes at its front alone, as feeds do.
  let isFrontOnly: Bool
  let faults: Int
  private(set) var hasMoved = false
  private(set) var gone: Set<Int> = []
  /// The list as page 1 was answered.
  private(set) var atStart: Set<Int> = []

  init(seed: UInt64, drift: Int = 0, isFrontOnly: Bool = true, faults: Int = 0) {
    random = SeededRandom(seed: seed)
    let count = Int(random.next() % 60)
    keys = Array((0..<count).reversed())
    nextKey = count
    size = Int(random.next() % 9) + 1
    style = Int(random.next() % 5)
    tellsTotal = random.next() % 2 == 0
    totalIsCounted = random.next() % 2 == 0
    tellsMore = random.next() % 3 == 0
    hasCap = random.next() % 6 == 0
    self.drift = drift
    self.isFrontOnly = isFrontOnly
    self.faults = faults
  }

  func stream() throws -> Base.Stream {
    let pager: Pager =
      switch style {
      case 0: FakeJob.number
      case 1: FakeJob.offset
      case 2: try FakeJob.token()
      case 3: .link
      default: try FakeJob.address()
      }
    return try FakeJob.stream(
      pager, size: size, total: tellsTotal ? (totalIsCounted ? .counted : .worthless) : nil,
      more: tellsMore, cap: hasCap ? Cap(at: 30, doubt: style < 2 ? 30 : 15, expected: nil) : nil,
      overlaps: true)
  }

  mutating func answer(_ step: Step) -> Reply {
    if step.ordinal == 1, step.purpose == .page {
      atStart = Set(keys)
      hasMoved = false
    }
    if random.next() % 100 < UInt64(faults) { return .trouble(.unreadable("cut")) }
    let start = self.start(step.cursor.whole)
    var size = size
    if case .sized(_, let own) = step.cursor { size = own }
    if let part = step.cursor.partSize { size = part }
    let behind = start + size
    if hasCap { size = min(size, max(0, 30 - start)) }
    let end = min(keys.count, start + size)
    var page = ScriptPage(start < end ? keys[start..<end] : [])
    let reach = hasCap ? min(30, keys.count) : keys.count
    if tellsTotal { page.total = totalIsCounted ? keys.count : keys.count + 13 }
    if tellsMore { page.more = behind < reach }
    if style >= 2, start + self.size < reach { page.next = next(start + self.size) }
    if random.next() % 100 < UInt64(drift) { change() }
    return .page(page)
  }

  private func start(_ cursor: Cursor) -> Int {
    switch cursor {
    case .start, .part: 0
    case .number(let page): (page - 1) * size
    case .sized(let page, let size): (page - 1) * size
    case .offset(let offset): offset
    // A token names the record that it stands behind: it does not shift.
    case .token(let text): keys.firstIndex { $0 <= Int(text.dropFirst()) ?? 0 } ?? keys.count
    case .address(let text): Int(text.split(separator: "=").last ?? "") ?? 0
    }
  }

  private func next(_ start: Int) -> Cursor {
    style == 2
      ? .token("t\(keys[start])") : .address("https://api.example/v1/things?offset=\(start)")
  }

  private mutating func change() {
    if random.next() % 2 == 0 || keys.isEmpty {
      keys.insert(nextKey, at: 0)
      nextKey += 1
    } else {
      gone.insert(
        keys.remove(at: isFrontOnly ? 0 : Int(random.next() % UInt64(keys.count))))
    }
    hasMoved = true
  }
}

@Suite("Thousands of random walks")
struct WalkSimulationTests {
  static let seeds = Torture.seeds(plain: 500, long: 20_000)

  /// Records that came twice because pages by offset overlap.
  private func overlaps(_ run: WalkRun) -> Int {
    run.stored.reduce(0) { $0 + $1.counts.repeated }
  }

  @Test("over lists that stand still are complete with every key, or say truly what is missing")
  func still() throws {
    var verdicts: [Verdict: Int] = [:]
    for seed in Self.seeds {
      var server = RandomServer(seed: seed)
      let (run, certificate, _) = try walk(server.stream()) { server.answer($0) }
      verdicts[certificate.verdict, default: 0] += 1
      let isWhole = run.seen == Set(server.keys)
      if certificate.verdict == .complete, !isWhole {
        Issue.record("seed \(seed): complete with \(run.seen.count) of \(server.keys.count)")
      }
      if !server.hasCap, !certificate.verdict.isWhole {
        Issue.record("seed \(seed): \(certificate.verdict) (\(certificate.why)) of a list at rest")
      }
      let pages = server.keys.count / max(1, server.size - 1) + 4
      if run.requests.count > pages { Issue.record("seed \(seed): \(run.requests.count) requests") }
      if certificate.counts.received - overlaps(run) != certificate.counts.new {
        Issue.record("seed \(seed): something was counted twice")
      }
    }
    #expect(verdicts[.complete, default: 0] > 150 && verdicts[.limited, default: 0] > 20)
  }

  @Test("with faults end with every key, or are failed")
  func faults() throws {
    for seed in Self.seeds {
      var server = RandomServer(seed: seed, faults: 20)
      let (run, certificate, _) = try walk(server.stream()) { server.answer($0) }
      if certificate.verdict == .complete, run.seen != Set(server.keys) {
        Issue.record("seed \(seed): complete with \(run.seen.count) of \(server.keys.count)")
      }
      // Runs on what is stored, without faults, end with the truth.
      var calm = RandomServer(seed: seed)
      var second = Walker(try FakeJob.builder(calm.stream()), resuming: run.stored)
      var later = WalkRun(after: run)
      try later.drive(&second) { calm.answer($0) }
      // A page 1 that was read behind others proves nothing of the time before.
      let isLate = run.stored.first { $0.ordinal == 1 }?.isUnreadable ?? false
      let isSound = later.certificate.map { $0.verdict.isWhole || isLate } ?? false
      if !calm.hasCap, later.seen != Set(calm.keys) || !isSound {
        Issue.record("seed \(seed): \(later.certificate?.why ?? "no end") in the second run")
      }
    }
  }

  @Test("that are killed anywhere and go on end as if they had never stopped")
  func kills() throws {
    for seed in Self.seeds {
      var server = RandomServer(seed: seed)
      let builder = try FakeJob.builder(server.stream())
      var run = WalkRun()
      var requests = 0
      var runs = 0
      while run.certificate == nil, runs < 100 {
        var walker = Walker(builder, resuming: run.stored)
        var next = runs == 0 ? WalkRun() : WalkRun(after: run)
        next.commitsMax = 2 + Int(seed % 3)
        try next.drive(&walker) { server.answer($0) }
        run = next
        requests += run.requests.count
        runs += 1
      }
      let certificate = try #require(run.certificate, "seed \(seed) never ends")
      let isWhole = run.seen == Set(server.keys)
      if !server.hasCap, !isWhole || !certificate.verdict.isWhole {
        Issue.record("seed \(seed): \(certificate.why), \(run.seen.count) of \(server.keys.count)")
      }
      if !server.hasCap, certificate.counts.received - overlaps(run) != server.keys.count {
        Issue.record("seed \(seed): received \(certificate.counts.received)")
      }
    }
  }

  @Test("over lists that move at the front are never complete without a key that stayed")
  func front() throws {
    var verdicts: [Verdict: Int] = [:]
    for seed in Self.seeds {
      var server = RandomServer(seed: seed, drift: 30)
      let (run, certificate, _) = try walk(server.stream()) { server.answer($0) }
      verdicts[certificate.verdict, default: 0] += 1
      let missing = server.atStart.subtracting(server.gone).subtracting(run.seen)
      if certificate.verdict == .complete, !missing.isEmpty {
        Issue.record("seed \(seed): complete without \(missing.sorted())")
      }
    }
    #expect(verdicts[.complete, default: 0] > 50 && verdicts[.incomplete, default: 0] > 50)
  }

  @Test("over a moving list in several passes end complete once it rests, in bounded requests")
  func passes() throws {
    var limits = Walker.Limits()
    limits.passesMax = 3
    var verdicts: [Verdict: Int] = [:]
    for seed in Self.seeds {
      var server = RandomServer(seed: seed, drift: 6)
      var walker = Walker(try FakeJob.builder(server.stream()), limits: limits)
      var run = WalkRun()
      try run.drive(&walker) { server.answer($0) }
      let certificate = try #require(run.certificate)
      verdicts[certificate.verdict, default: 0] += 1
      let missing = server.atStart.subtracting(server.gone).subtracting(run.seen)
      if certificate.verdict == .complete, !missing.isEmpty {
        Issue.record("seed \(seed): complete without \(missing.sorted())")
      }
      if run.requests.count > 3 * (server.nextKey / max(1, server.size - 1) + 5) {
        Issue.record("seed \(seed): \(run.requests.count) requests")
      }
      // Pages that name what they stand behind do not shift: such a walk is not walked again.
      var restarts = [0, 2]
      switch try server.stream().pager {
      case .number, .offset: restarts = [2]
      default: break
      }
      if certificate.cause == .moved, !restarts.contains(walker.restarts) {
        Issue.record("seed \(seed): drifted after \(walker.restarts + 1) passes")
      }
    }
    #expect(verdicts[.complete, default: 0] > verdicts[.incomplete, default: 0] * 3)
  }

  /// A record that goes from the middle of a list shows in no page that is read again; only a
  /// counted total tells it.
  @Test("over lists that move anywhere are never complete without a key, where the API counts")
  func anywhere() throws {
    for seed in Self.seeds {
      var server = RandomServer(seed: seed, drift: 30, isFrontOnly: false)
      let (run, certificate, _) = try walk(server.stream()) { server.answer($0) }
      let missing = server.atStart.subtracting(server.gone).subtracting(run.seen)
      let isCounted = server.tellsTotal && server.totalIsCounted
      if isCounted, certificate.verdict == .complete, !missing.isEmpty {
        Issue.record("seed \(seed): complete without \(missing.sorted())")
      }
    }
  }
}
