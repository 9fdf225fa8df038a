internal import Crawl
internal import Jobs
internal import Ledger
internal import Model
internal import Store
internal import Walk

/// All that `trawl status` tells of one job, gathered once for text and JSON.
struct JobStatus: Sendable {
  struct QuotaLeft: Sendable {
    var key: QuotaKey
    var left: QuotaLedger.Left

    init(_ key: QuotaKey, _ left: QuotaLedger.Left) {
      self.key = key
      self.left = left
    }

    var name: String { key.name }
    /// Whose it is: the job's own name for it, a digest of the key, or that there is none.
    var account: String { key.account }

    /// What holds an API back that has no quota has no name, and is worth a word only while it does.
    var isTold: Bool { !name.isEmpty || left.blockedWhy != nil }
  }

  var overview: JobOverview
  /// As its file has it; nil where there is none, or a broken one.
  var job: Job?
  /// The file from which it ran last holds something else by now.
  var isFileChanged = false
  /// Whether the database knows it.
  var isStored = true
  /// The process that holds the job's lock now.
  var runner: Int?
  var quotas: [QuotaLeft] = []
  /// Why the quotas are not told.
  var quotaNote: String?
  /// Lists whose last good end is older than `--max-age`, or than the job's `every` allows.
  var late: [ListOverview] = []
  /// What is covered, of lists that are read in windows.
  var maps: [CoverageMap] = []
  /// Streams that the next run asks for records of others that are stored now.
  var due: [DueChildren] = []
  /// How late records come to a list, and how long its answers are good for, by stream.
  private var delays: [String: Duration] = [:]
  /// Streams that were asked for each record that they are for, and are asked again when one is new
  /// or has changed.
  private var resting: Set<String> = []
  /// Lists with rows that an older form of the job file mapped.
  var older: [ListOverview] = []
  /// When the last run began that read all it could.
  var lastTurn: Instant?
  /// What does not succeed, and heals itself, has not done so for some nights.
  var isOldTrouble = false

  init(_ overview: JobOverview, runner: Int?) {
    self.overview = overview
    self.runner = runner
  }

  /// A job that has never run.
  init(neverRan job: Job) {
    overview = JobOverview(neverRan: job.name, origin: job.base.origin.description)
    self.job = job
    isStored = false
  }

  /// What only the job's file tells: its quotas, and how it would map now.
  mutating func compare(
    with job: Job, environment: Environment, ledger: String, now: Instant
  ) async {
    self.job = job
    do {
      let asks = try compareDesign(job, environment, now: now)
      let left = try await LedgerReading.left(in: asks, file: ledger, now: now)
      quotas = Self.told(asks, left)
    } catch {
      quotaNote = "\(error)"
    }
  }

  /// Notes delays and older mappings; what is left to ask of the ledger. Inlined into the function that
  /// waits, it makes the optimiser of Swift 6.3 crash.
  @inline(never)
  private mutating func compareDesign(
    _ job: Job, _ environment: Environment, now: Instant
  ) throws -> [QuotaAsk] {
    var job = job
    // The rows may have come from another endpoint than the file's: its quota counts.
    if let origin = try? WebAddress(overview.origin).origin {  // what is stored was one once
      job.base = WebAddress(origin: origin, path: job.base.path)
    }
    for stream in job.streams {
      delays[stream.name] = stream.window?.delay
      if case .stale(let period) = stream.parent?.when {
        delays[stream.name, default: .zero] += period
      }
    }
    older = overview.lists.filter { list in
      guard let stream = job.stream(list.stream) else { return false }
      let mapping = Fingerprinter.fingerprints(of: stream, in: job).mapping
      return list.mappings.contains { $0 != mapping }
    }
    let account = JobSelection.account(of: job, environment)
    let quotas = try JobQuotas(job: job, account: account.name, hasKey: account.hasKey)
    return quotas.all(at: now) + [quotas.gate]
  }

  @inline(never)
  private static func told(_ asks: [QuotaAsk], _ left: [QuotaLedger.Left]) -> [QuotaLeft] {
    zip(asks, left).map { QuotaLeft($0.key, $1) }
      .filter(\.isTold)
  }

  /// A job that was run from a path is not found by its name: the ledger knows what was asked of
  /// its origin all the same.
  mutating func readQuotas(_ ledger: String, now: Instant) async {
    do {
      let origin = try WebAddress(overview.origin).origin.description
      quotas = try await LedgerReading.quotas(of: origin, file: ledger, now: now)
        .map { QuotaLeft($0.key, $0.left) }.filter(\.isTold)
    } catch {
      quotaNote = "\(error)"
    }
  }

  /// What is due; the database is asked, not the API.
  mutating func count(due job: Job, _ store: RecordStore, _ time: Timekeeper) async throws {
    due = try await DueChildren.all(of: job, store: store, time: time)
    resting = Set(
      job.streams.filter { [.new, .changed].contains($0.parent?.when) }.map(\.name)
    ).subtracting(due.map(\.stream))
  }

  /// The map of each list that is read in windows.
  mutating func chart(_ job: Job, _ store: RecordStore, now: Instant) async throws {
    let goals = try await store.goals(of: job.name)
    for list in overview.lists {
      if let map = try await CoverageMap(
        list, job, from: overview.origin, goals: goals, store: store, now: now)
      {
        maps.append(map)
      }
    }
  }

  /// A list that was never read to a good end is late from the first.
  /// - Parameter asRequestedNow: lists that a run without `--set` does not read are left out.
  mutating func judgeAge(_ most: Duration, now: Instant, asRequestedNow: Bool = false) {
    let planner = job.map { ListPlanner(job: $0, options: CrawlOptions()) }
    late = overview.lists.filter { list in
      if asRequestedNow, planner?.reads(list.stream, list.parameters) == false { return false }
      // By its schedule a first walk has no turn behind it that it could be late for.
      guard let end = list.lastGoodEnd else { return !asRequestedNow }
      // What a clock that was ahead has written into the future shows nothing.
      if end - now > ClockJudge.apart { return true }
      // What the API does not list yet cannot be there.
      return !resting.contains(list.stream) && now - end > most + (delays[list.stream] ?? .zero)
    }
  }
}
