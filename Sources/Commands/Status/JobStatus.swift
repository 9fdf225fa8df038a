internal import Base
internal import Crawl
internal import Store
internal import Walk

/// All that `trawl status` shows of a job, gathered once for text and JSON.
struct JobStatus: Sendable {
  var overview: JobOverview
  /// Its job file; nil if there is none, or a broken one.
  private(set) var job: Job?
  /// Why no run can begin with its file.
  var fileProblem: ExitReport?
  /// The file of the last run has changed.
  var isFileChanged = false
  /// Whether the database has the job.
  var isStored = true
  /// The process that holds the job's lock.
  var runner: Int?
  /// In a bucket: who has the folder, and so may be running the job.
  var holder: String?
  var quotas: [QuotaLedger.Left] = []
  /// What to look up about them in the ledger.
  private(set) var asks: [QuotaAsk] = []
  /// Why quotas are not shown.
  private(set) var quotaNote: String?
  /// Nothing can be requested, as the ledger is damaged.
  private(set) var ledgerDamage: ExitReport?
  /// Lists older than `--max-age`, or than their own limit.
  var late: [ListOverview] = []
  /// The state of its lists; nil: never ran.
  var telling: Telling?
  /// Coverage of lists that are read in windows.
  var maps: [CoverageMap] = []
  /// Streams that the next run will request for stored records of others.
  var due: [DueChildren] = []
  /// By table: after a change readers must read the whole table again.
  var generations: [String: Int64] = [:]
  /// Its pictures; nil: not counted.
  var pictures: PictureStanding?
  /// Lists with rows mapped by an older job file.
  var older: [ListOverview] = []

  // Swift 6.3's optimiser crashes on some async functions into which others were inlined: those below stay separate.

  /// What the job file adds: older mappings, and which quotas to look up.
  @inline(never)
  mutating func compare(with job: Job, environment: Environment, now: Instant) {
    self.job = job
    var payer = job
    // The quota of the endpoint that the rows came from counts, even if the file names another.
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

  /// All quotas used at its origin. A job run from a path is not found by name, but the ledger knows its requests.
  @inline(never)
  mutating func readQuotas(ofOriginIn ledger: String, now: Instant) async {
    do {
      let origin = try WebAddress(overview.origin).origin.description
      quotas = try await LedgerReading.quotas(of: origin, file: ledger, now: now)
        .filter(\.isTold)
    } catch {
      note(ledger: error)
    }
  }

  mutating func note(ledger error: any Error) {
    quotaNote = "\(error)"
    ledgerDamage = ExitReport(error).flatMap { $0.status == .damaged ? $0 : nil }
  }

  /// What is due, by the database alone.
  @inline(never)
  mutating func count(due job: Job, _ store: RecordStore, _ time: Timekeeper) async throws {
    due = try await DueChildren.all(of: job, store: store, time: time)
    telling?.note(due: due, since: try await store.lastWholeRun(of: job.name))
  }

  /// Maps each list that is read in windows.
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
