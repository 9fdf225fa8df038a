internal import Base
internal import Bucket
internal import Crawl
internal import Transport

/// A claimed folder while a command works in it: renews the lease, puts what was stored, and reports what it held back
/// once that is kept.
final class BucketSession: Sendable {
  let place: BucketPlace
  let claim: Claim
  private let time: Timekeeper
  private let isHurried: @Sendable () -> Bool
  private let state: Locked<State>
  private let beats = Locked<[Task<Void, Never>]>([])

  private struct State {
    /// Numbered messages, each held until a put that began later has ended.
    var held: [(number: Int, tell: @Sendable () -> Void)] = []
    var numbers = 0
    var pace: PutPace
    var hasRequested = false
    /// How often something was forgotten, and how many of these are gone from older pieces too.
    var forgotten = 0
    var wiped = 0
    /// A failure to keep what was stored has been reported.
    var isToldLost = false
  }

  init(
    _ place: BucketPlace, _ claim: Claim, _ time: Timekeeper,
    isHurried: @escaping @Sendable () -> Bool
  ) {
    (self.place, self.claim, self.time, self.isHurried) = (place, claim, time, isHurried)
    state = Locked(State(pace: PutPace(began: time.elapsed())))
  }

  var isLive: Bool { claim.isLive }
  /// Why nothing more may be requested; nil while the lease lives.
  var lapse: String? { claim.lost.map { place.report($0).lines[0] } }

  // MARK: beside the work

  /// Renews the lease by the real clock, whatever clock a run uses.
  func begin() {
    let beat = place.lease / 20
    let renewing = Task(executorPreference: CommandThreads.shared) { [claim] in
      while !Task.isCancelled {
        do { try await Timekeeper.live.sleep(min(.seconds(1), beat)) } catch { return }
        // The next tick tries again, until the lease ends.
        try? claim.tick()
      }
    }
    beats.withLock { $0.append(renewing) }
  }

  /// From now on puts as `PutPace` says.
  func beginPutting() {
    let putting = Task(executorPreference: CommandThreads.shared) { [self] in
      while !Task.isCancelled {
        do { try await Timekeeper.live.sleep(.milliseconds(500)) } catch { return }
        guard state.withLock({ $0.pace.isDue(at: time.elapsed()) }), isLive else { continue }
        // The ledger was put before the requests. The next put tries again; the end reports a failure.
        try? await put([Claim.database], isWritten: true)
      }
    }
    beats.withLock { $0.append(putting) }
  }

  /// Before the first request of a folder's first run: if killed, the machine resumes with its cache.
  func putFirst() async {
    let isFirst = state.withLock { state in
      defer { state.hasRequested = true }
      return !state.hasRequested
    }
    guard isFirst, claim.head.files[Claim.database] == nil else { return }
    // The next put tries again.
    try? await put(isWritten: true)
  }

  /// What was forgotten is to leave the bucket too.
  func wipe() { state.withLock { $0.forgotten += 1 } }

  /// Reports and feeds that no longer name a record go to the bucket before the record is forgotten: from then on no
  /// command could tell which of them to remove there, and each would fetch them again.
  func putErased() async throws {
    try await at(.traces) { [self] () throws(BucketError) in
      try patiently { () throws(BucketError) in try claim.putFiles(isRenewed: true) }
    }
  }

  /// Reports once all that precedes it is kept.
  func hold(_ telling: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.held.append((state.numbers, telling))
      state.numbers += 1
      state.pace.listEnded()
    }
  }

  /// The steps of a command's end, and what is missing if one fails.
  private enum Stage {
    case traces, put, wipe, files, collect, leave

    func lack(_ shown: String) -> String {
      switch self {
      case .traces:
        "reports and feeds in \(shown) may still name what is to be forgotten, which is not forgotten yet"
      case .put:
        "what this command wrote since its last upload is not in \(shown): run it again on this machine; when another one writes there first, it is lost"
      case .wipe: "older objects of \(shown) still hold what was forgotten: trawl forget"
      case .files:
        "all rows are in \(shown); the reports and feeds are not: the next command on this machine uploads them"
      case .collect:
        "all that this command wrote is in \(shown); objects that are no longer needed are not removed there yet"
      case .leave:
        "all that this command wrote is in \(shown); another machine waits until the lease ends"
      }
    }
  }

  private func at<Value: Sendable>(
    _ stage: Stage, _ work: @escaping @Sendable () throws(BucketError) -> Value
  ) async throws -> Value {
    do { return try await place.blocking(work) } catch {
      // Without a head there is nothing to run again.
      guard var report = error as? ExitReport, claim.lost != .headless else { throw error }
      report.lines.append(stage.lack(place.shown))
      throw report
    }
  }

  /// Puts what differs, and releases held messages.
  private func put(
    _ files: [String] = Claim.databases, isWritten: Bool = false
  ) async throws {
    let (behind, forgotten, wipes) = state.withLock { state in
      state.pace.begin()
      return (state.numbers, state.forgotten, state.forgotten > state.wiped)
    }
    defer { state.withLock { $0.pace.end(at: time.elapsed()) } }
    try await at(.put) { [self] () throws(BucketError) in
      try putPatiently(files, isWhole: wipes, isWritten: isWritten)
    }
    if wipes {
      try await at(.wipe) { [self] () throws(BucketError) in
        try claim.collect(isWhole: true)
        state.withLock { $0.wiped = max($0.wiped, forgotten) }
      }
    }
    let tellings = state.withLock { state in
      defer { state.held.removeAll { $0.number < behind } }
      return state.held.filter { $0.number < behind }
    }
    for telling in tellings { telling.tell() }
  }

  private func putPatiently(
    _ files: [String], isWhole: Bool = false, isWritten: Bool = false
  ) throws(BucketError) {
    try patiently { () throws(BucketError) in
      _ = try claim.put(files, isWhole: isWhole, isWritten: isWritten)
    }
  }

  /// Waits for a restarted store or a lost network, as long as the lease lives without renewal.
  private func patiently(_ work: () throws(BucketError) -> Void) throws(BucketError) {
    let end = time.elapsed() + place.lease * 2 / 3
    while true {
      do throws(BucketError) {
        return try work()
      } catch {
        guard case .store(let failure) = error, failure.kind == .unreachable, isLive, !isHurried(),
          time.elapsed() < end
        else { throw error }
      }
    }
  }

  /// The same for a caller that reports a failure.
  func keep() async throws {
    do { try await put() } catch {
      state.withLock { $0.isToldLost = true }
      throw error
    }
    state.withLock { $0.isToldLost = false }
  }

  /// Whether the reports of a run are there; if not, the end says why.
  func putsReports() async -> Bool {
    do {
      try await place.blocking { [claim] () throws(BucketError) in try claim.putFiles() }
      return true
    } catch {
      return false
    }
  }

  var isToldLost: Bool { state.withLock { $0.isToldLost } }

  /// The ledger of runs in this folder: blocks are put before they are used.
  var ledger: TravellingLedger {
    TravellingLedger(claim: "claim \(claim.epoch)") {
      [self] () throws(TravellingLedger.Problem) in
      do throws(BucketError) {
        if let lost = claim.lost { throw lost }
        try putPatiently([Claim.ledger], isWritten: true)
      } catch {
        throw TravellingLedger.Problem(sentence: place.report(error).lines[0])
      }
    }
  }

  /// Puts everything and gives the folder back. Damage is not put.
  func end(isDamaged: Bool = false) async throws {
    guard !isDamaged, claim.isRestored else {
      await stop()
      return try await place.blocking { [claim] () throws(BucketError) in
        try claim.leave(isDamaged: isDamaged)
      }
    }
    // First what the command has written: its report rests on that.
    do {
      try await put()
      try await at(.files) { [claim] () throws(BucketError) in try claim.putFiles() }
      try await at(.collect) { [claim] () throws(BucketError) in try claim.collect() }
    } catch {
      await stop()
      let isReachable = (error as? ExitReport)?.status != .unreachable
      // If even that fails, other machines wait until the lease ends.
      try? await place.blocking { [claim] () throws(BucketError) in
        try claim.leave(isReachable: isReachable)
      }
      throw error
    }
    await stop()
    try await at(.leave) { [claim] () throws(BucketError) in try claim.leave() }
  }

  private func stop() async {
    let tasks = beats.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
