internal import Base
internal import Crawl
internal import Store
internal import TestSupport

/// One seed from its first run to its last: the real engine, database and ledger, with a list in memory and a virtual
/// clock. Returns the problems as sentences.
final class Simulation: Sendable {
  let scenario: Scenario
  let time: VirtualTime
  let server: SimulatedServer
  private let scratch = ScratchFolder(isInMemory: true)
  let problems = Locked<[String]>([])
  let story = Locked<[String]>([])
  /// How the walks of all runs ended.
  let ends = Locked<[(verdict: String, why: String)]>([])

  /// Limits of a simulation, which a run that does not end exceeds.
  static let chaosRunsMax = 7
  static let calmRunsMax = 6
  static let triesMax = 3
  /// A single seed tells its whole story.
  static let isReplay = Torture.seed != nil

  convenience init(seed: UInt64) { self.init(Scenario(seed: seed)) }

  init(_ scenario: Scenario) {
    self.scenario = scenario
    let seed = scenario.seed
    time = VirtualTime(seed: seed)
    server = SimulatedServer(scenario, time)
  }

  func problem(_ text: String) { problems.withLock { $0.append(text) } }
  func problem(of problems: [String]) { for problem in problems { self.problem(problem) } }
  func tell(_ text: String) { story.withLock { $0.append(text) } }

  /// The promises that its runs broke, with the command that repeats it; nil: none.
  func failure(_ problems: [String], in tests: String) -> String? {
    if problems.isEmpty { return nil }
    let told = problems.prefix(5) + ["\(scenario)"] + story.withLock { $0 }
    return """
      seed \(scenario.seed):
        \(told.joined(separator: "\n  "))
      replay: TRAWL_SEED=\(scenario.seed) swift test --disable-xctest --filter \(tests)
      """
  }

  /// The result of one run.
  struct Left {
    var facts: RunFacts?
    var stop: ArmedStop
    var askedBefore: Int
  }

  /// - Parameter kept: where its database is kept for others.
  func run(keeping kept: String? = nil) async throws -> [String] {
    var random = SeededRandom(seed: scenario.seed &+ 77)
    var folder = "\(scratch.path)/0"
    var oracle = Oracle(self)
    var conclusions = 0
    for number in 1...Self.chaosRunsMax where conclusions < 2 {
      let stop = ArmedStop(scenario, &random, copyTo: "\(scratch.path)/\(number)")
      let left = try await runOnce(folder, stop)
      if stop.hasCrashed { folder = "\(scratch.path)/\(number)" }
      conclusions += try oracle.look(at: folder, after: left) ? 1 : 0
      pass(left, &random)
    }
    server.change { $0.isCalm = true }
    var hasConcluded = false
    for _ in 1...Self.calmRunsMax where !hasConcluded {
      let left = try await runOnce(folder, ArmedStop())
      hasConcluded = try oracle.look(at: folder, after: left)
      pass(left, &random)
    }
    if !hasConcluded { problem("no walk came to its end in \(Self.calmRunsMax) calm runs") }
    let left = try await runOnce(folder, ArmedStop())
    _ = try oracle.look(at: folder, after: left)
    try oracle.lookAtCalm(folder, left)
    oracle.lookAtPace()
    if Torture.isOn || Self.isReplay || scenario.seed % 20 == 0 {
      try await compareStructure(of: folder, copyingTo: "\(scratch.path)/damaged")
      try await compareReset(of: folder, withFresh: "\(scratch.path)/fresh")
    }
    if let kept {
      let connection = try Connection("\(folder)/trawl.db", .readWrite)
      defer { connection.close() }
      try connection.execute("VACUUM INTO '\(kept)'")
    }
    return problems.withLock { $0 }
  }

  /// Passes the time until the timer's next run: when the pause is over, or sometimes much later.
  func pass(_ left: Left, _ random: inout SeededRandom) {
    let goesOn = left.facts?.units.compactMap(\.certificate.goesOnAt).max()
    if let goesOn, goesOn > time.now { time.advance(by: goesOn - time.now) }
    // A wait that no quota remembers is over before the next run.
    let state = server.now
    if let until = state.notBefore, until > time.now, !state.isRemembered || scenario.quota == nil {
      time.advance(by: until - time.now)
    }
    let minutes: [Int64] = [0, 1, 5, 30, 180]
    time.advance(by: .seconds(60 * minutes[Int(random.next() % 5)]))
  }

  // MARK: one run

  func runOnce(_ path: String, _ stop: ArmedStop) async throws -> Left {
    server.change {
      $0.isDead = false
      $0.pages = []
      $0.dropped = [:]
      $0.next = nil
      $0.nextBehindFlight = 0
      $0.runBegan = $0.asked.count
    }
    stop.arm(folder: path, server: server)
    let folder = try DataFolder(creating: path)
    let job = try scenario.job()
    var options = CrawlOptions()
    options.triesMax = Self.triesMax
    options.passesMax = scenario.passes
    options.maxRequests = stop.maxRequests
    let agreement = Agreement(folder: folder, time: time.timekeeper)
    let plan = try await agreement.plan(job, options)
    let faults = FaultPoint { place in stop.reach(place) }
    let store = try await RecordStore.open(
      folder, RecordStore.Settings(time: time.timekeeper, faults: faults))
    let ledger = try await QuotaLedger.open(
      file: "\(path)/ledger.db", timekeeper: time.timekeeper, faults: faults)
    let migrations = try await store.adopt(job, origin: job.base.origin)
    let exchange = ScriptedExchange { [server] request, _ in
      let asked = server.arrive(request)
      guard await stop.order.begin(asked, server) else { return server.giveUp(request) }
      defer { stop.order.end() }
      return server.answer(request, asked)
    }
    let run = try await JobRun(
      RunParts(
        job: job, options: options, exchange: exchange, time: time.timekeeper, store: store,
        ledger: ledger, content: nil, credential: nil, account: "nobody", faults: faults,
        isInterrupted: { stop.isAsked }, tell: { stop.hear($0) }, migrations: migrations))
    let before = server.now.asked.count
    let facts = await run.execute()
    stop.order.open()
    ends.withLock { ends in
      ends += facts.units.map { ($0.certificate.verdict.rawValue, $0.certificate.why) }
    }
    let proof = try await store.prove()
    for finding in proof.findings.prefix(3) {
      problem("the proof names \(finding.table) \(finding.key ?? ""): \(finding.what)")
    }
    await store.close()
    await ledger.close()
    let asked = server.now.asked[before...].map(\.target)
    let isSmooth = server.now.isCalm && stop.kind == .none && Agreement.isSmooth(facts)
    problem(of: Agreement.problems(between: plan, and: asked, isSmooth: isSmooth))
    // This reads every row and page again, so the short form does it for some of the seeds.
    if !stop.hasCrashed, Torture.isOn || Self.isReplay || scenario.seed % 5 == 0 {
      problem(of: try await agreement.problems())
    }
    tell(
      "run: \(facts.outcome.sentence) [\(stop.text)] "
        + facts.units.map { "\($0.certificate.verdict) \($0.certificate.rule)" }.joined())
    if Self.isReplay {
      for line in facts.story { tell("    \(line)") }
      let state = server.now
      for one in state.asked[before...] { tell("    \(one.at) \(one.target)") }
      for page in state.pages { tell("    page \(page.text)") }
      tell("    list \(state.list.entries.map(\.key))")
    }
    return Left(facts: facts, stop: stop, askedBefore: before)
  }
}
