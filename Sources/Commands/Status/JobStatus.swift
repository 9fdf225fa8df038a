internal import Base
internal import Crawl
internal import Store
internal import Walk

/// All that `trawl status` shows of one job, gathered once for text and JSON.
struct JobStatus: Sendable {
  var overview: JobOverview
  /// What its file says; nil where there is none, or a broken one.
  private(set) var job: Job?
  /// Its file is there, and no run of it can begin.
  var fileProblem: JobFileProblem?
  /// The file from which it ran last holds something else by now.
  var isFileChanged = false
  /// Whether the database knows it.
  var isStored = true
  /// The process that holds the job's lock now.
  var runner: Int?
  var quotas: [QuotaLeft] = []
  /// What is asked of the ledger about them.
  private(set) var asks: [QuotaAsk] = []
  /// Why the quotas are not shown.
  private(set) var quotaNote: String?
  /// Nothing can be requested: the ledger is damaged.
  private(set) var ledgerDamage: ExitReport?
  /// Lists that are older than `--max-age`, or than their own limit.
  var late: [ListOverview] = []
  /// The state of its lists; nil: it has not run.
  var telling: Telling?
  /// What is covered, of lists that are read in windows.
  var maps: [CoverageMap] = []
  /// Streams that the next run asks for records of others that are stored now.
  var due: [DueChildren] = []
  /// By table: another number means that readers of its changes read it whole.
  var generations: [String: Int64] = [:]
  /// Lists with rows that an older form of the job file mapped.
  var older: [ListOverview] = []

  init(_ overview: JobOverview, runner: Int?) {
    self.overview = overview
    self.runner = runner
  }

  /// A job that has never run.
  init(neverRan job: Job) {
    overview = JobOverview(neverRan: job.name, origin: job.base.origin.description)
    isStored = false
  }

  /// A job that has never run, and that cannot.
  init(neverRan name: String, _ problem: JobFileProblem) {
    overview = JobOverview(neverRan: name, origin: "")
    fileProblem = problem
    isStored = false
  }

  // The optimiser of Swift 6.3 crashes on some functions that wait and into which others were inlined:
  // those below stay functions of their own.

  /// What only the job's file says: older mappings, and what is left to ask of the ledger.
  @inline(never)
  mutating func compare(with job: Job, environment: Environment, now: Instant) {
    self.job = job
    var payer = job
    // The rows may have come from another endpoint than the file's: its quota counts.
    if let origin = try? WebAddress(overview.origin).origin {  // what is stored was one once
      payer.base = WebAddress(origin: origin, path: payer.base.path)
    }
    var mappings: [String: UInt64] = [:]
    for stream in job.streams {
      mappings[stream.name] = Fingerprinter.fingerprints(of: stream, in: job).mapping
    }
    older = overview.lists.filter { list in
      guard let mapping = mappings[list.stream], !list.isOrphaned else { return false }
      return list.mappings.contains { $0 != mapping }
    }
    let account = JobSelection.account(of: payer, environment)
    do {
      let quotas = try JobQuotas(job: payer, account: account.name, hasKey: account.hasKey)
      asks = quotas.all(at: now) + [quotas.gate]
    } catch {
      quotaNote = "\(error)"
    }
  }

  /// Of all that was asked of its origin. A job that was run from a path is not found by its name: the ledger knows
  /// what it asked all the same.
  @inline(never)
  mutating func readQuotas(ofOriginIn ledger: String, now: Instant) async {
    do {
      let origin = try WebAddress(overview.origin).origin.description
      quotas = try await LedgerReading.quotas(of: origin, file: ledger, now: now)
        .map { QuotaLeft(key: $0.key, left: $0.left) }.filter(\.isTold)
    } catch {
      note(ledger: error)
    }
  }

  mutating func note(ledger error: any Error) {
    quotaNote = "\(error)"
    ledgerDamage = ExitReport(error).flatMap { $0.status == .damaged ? $0 : nil }
  }

  /// What is due; the database is asked, not the API.
  @inline(never)
  mutating func count(due job: Job, _ store: RecordStore, _ time: Timekeeper) async throws {
    due = try await DueChildren.all(of: job, store: store, time: time)
    telling?.note(due: due)
  }

  /// The map of each list that is read in windows.
  @inline(never)
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
}
