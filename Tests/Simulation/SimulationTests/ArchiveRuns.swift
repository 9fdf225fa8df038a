import Base
import Crawl
@testable import SimulationKit
import Store
import TestSupport

/// Backfills of an archive, one run a day: the real engine, database and ledger, with a virtual clock.
final class ArchiveRuns: Sendable {
  struct Asked: Sendable {
    var address: WebAddress
    var from: Int64
    var to: Int64
  }

  private struct State {
    var asked: [Asked] = []
    /// Whether a request is answered with 400.
    var refuses: @Sendable (Asked) -> Bool = { _ in false }
    var isDead = false
    var problems: [String] = []
  }

  let archive: SimulatedArchive
  let time: VirtualTime
  let allowance: Int?
  let range: TimeWindow
  private let scratch = ScratchFolder(isInMemory: true)
  private let state = Locked(State())
  private let place = Locked(0)

  init(
    _ archive: SimulatedArchive, range: TimeWindow, now: Instant, allowance: Int? = nil,
    seed: UInt64 = 1
  ) {
    self.archive = archive
    self.range = range
    self.allowance = allowance
    time = VirtualTime(at: now, seed: seed)
  }

  func refuse(_ refuses: @escaping @Sendable (Asked) -> Bool) {
    state.withLock { $0.refuses = refuses }
  }

  var asked: [Asked] { state.withLock { $0.asked } }
  var problems: [String] { state.withLock { $0.problems } }
  var path: String { "\(scratch.path)/\(place.withLock { $0 })" }

  /// One run in one process.
  /// - Parameter kill: the place and visit at which it is killed.
  func run(
    _ range: TimeWindow?, kill: (FaultPoint.Place, Int)? = nil, refills: Bool = false
  ) async throws -> (facts: RunFacts, isSettled: Bool) {
    let job = try job(refills: refills)
    let options = options(range, refills: refills)
    let folder = try DataFolder(creating: path)
    let agreement = Agreement(folder: folder, time: time.timekeeper)
    let plan = try await agreement.plan(job, options)
    let (faults, isKilled) = arm(kill)
    let before = state.withLock { state in
      state.isDead = false
      return state.asked.count
    }
    let store = try await RecordStore.open(
      folder, RecordStore.Settings(time: time.timekeeper, faults: faults))
    let ledger = try await QuotaLedger.open(
      file: "\(path)/ledger.db", timekeeper: time.timekeeper, faults: faults)
    _ = try await store.adopt(job, origin: job.base.origin)
    let survey = try await survey(job, store, range ?? self.range, refills)
    let exchange = exchange(knowing: range == nil || refills ? [] : survey.covered)
    let run = try await JobRun(
      RunParts(
        job: job, options: options, exchange: exchange, time: time.timekeeper, store: store,
        ledger: ledger, content: nil, credential: nil, account: "nobody", faults: faults,
        isInterrupted: { isKilled.withLock { $0 } }))
    let facts = await run.execute()
    let after = try await self.survey(job, store, range ?? self.range, refills)
    await store.close()
    await ledger.close()
    try await compare(plan, facts, agreement, from: before, isKilled: isKilled.withLock { $0 })
    if isKilled.withLock({ $0 }) { place.withLock { $0 += 1 } }
    return (facts, after.isSettled && !isKilled.withLock { $0 })
  }

  private func job(refills: Bool) throws -> Job {
    var job = try archive.job(allowance: allowance)
    if refills {
      // A column that the rows lack.
      job.streams[0].columns.append(
        Column(name: "also", source: .paths([try JSONPath("id")]), kind: .text))
    }
    return job
  }

  private func options(_ range: TimeWindow?, refills: Bool) -> CrawlOptions {
    var options = CrawlOptions()
    options.window = range
    options.reserve = range == nil ? nil : 0.2
    options.triesMax = 1
    options.isRefill = refills
    return options
  }

  /// What `--dry-run` would show now.
  func plan(_ range: TimeWindow?) async throws -> Plan {
    let agreement = Agreement(folder: try DataFolder(creating: path), time: time.timekeeper)
    return try await agreement.plan(job(refills: false), options(range, refills: false))
  }

  /// Compares the `--dry-run` before the run with the run, and what all commands say afterwards.
  private func compare(
    _ plan: Plan, _ facts: RunFacts, _ agreement: Agreement, from before: Int, isKilled: Bool
  ) async throws {
    let asked = self.asked[before...]
    var problems = Agreement.problems(
      between: plan, and: asked.map(\.address.target),
      isSmooth: !isKilled && Agreement.isSmooth(facts))
    let holes = plan.lists.compactMap(\.range).flatMap(\.holes)
    if plan.lists.contains(where: { $0.range != nil }) {
      problems += asked.compactMap { one in
        // Requests have whole seconds.
        holes.contains { $0.from.seconds <= one.from && one.to <= $0.to.seconds + 1 }
          ? nil : "\(one.address.target) lies in no hole of the plan"
      }
    }
    if !isKilled, Agreement.isSmooth(facts) { problems += try await agreement.problems() }
    state.withLock { $0.problems += problems }
  }

  func survey(
    _ job: Job, _ store: RecordStore, _ range: TimeWindow, _ refills: Bool
  ) async throws -> RangeSurvey {
    try await RangeSurvey(
      job, job.streams[0], Unit(stream: "things"), range: range,
      again: refills ? .olderMapping : .nothing, store: store, now: time.now)
  }

  /// One run a day until no hole is left; returns the facts of all runs.
  func fill(daysMax: Int) async throws -> [RunFacts] {
    var all: [RunFacts] = []
    for _ in 0..<daysMax {
      let (facts, isSettled) = try await run(range)
      all.append(facts)
      if isSettled { break }
      time.advance(by: .seconds(SimulatedArchive.day))
    }
    return all
  }

  private func exchange(knowing covered: [TimeWindow]) -> ScriptedExchange {
    ScriptedExchange { [self] request, _ in
      if state.withLock({ $0.isDead }) {
        return .failure(.simulated(.closed, request))
      }
      time.advance(by: .milliseconds(40))
      let asked = note(request.address, covered)
      if state.withLock({ $0.refuses })(asked) {
        return .success(.json(request, status: 400, at: time.now))
      }
      return .success(archive.answer(request, at: time.now))
    }
  }

  /// The run must not request what was covered when it began.
  private func note(_ address: WebAddress, _ covered: [TimeWindow]) -> Asked {
    let window = SimulatedArchive.window(address)
    let asked = Asked(address: address, from: window?.from ?? .min, to: window?.to ?? .max)
    state.withLock { state in
      state.asked.append(asked)
      guard let window else { return }
      for stretch in covered
      where stretch.from.seconds <= window.from && window.to <= stretch.to.seconds {
        // If it only shares the end of the stretch, the window is the second after it.
        if window.from < stretch.to.seconds {
          state.problems.append("\(address) lies in what was covered: \(stretch)")
        }
      }
    }
    return asked
  }

  // MARK: kill -9

  private func arm(_ kill: (FaultPoint.Place, Int)?) -> (FaultPoint, Locked<Bool>) {
    let isKilled = Locked(false)
    guard let (place, visit) = kill else { return (.none, isKilled) }
    let visits = Locked(0)
    let source = path
    let target = "\(scratch.path)/\(self.place.withLock { $0 } + 1)"
    let faults = FaultPoint { [self] here in
      guard here == place,
        visits.withLock({
          $0 += 1; return $0
        }) == visit
      else { return }
      isKilled.withLock { $0 = true }
      state.withLock { $0.isDead = true }
      ArmedStop.copy(source, to: target)
    }
    return (faults, isKilled)
  }

  // MARK: the database

  func keys() throws -> [Int] {
    try texts("SELECT id FROM shop_things ORDER BY id").compactMap { Int($0) }
  }

  func texts(_ sql: String) throws -> [String] {
    try Database("\(path)/trawl.db").rows(sql, null: "")
  }
}
