/// Everything that a run knows of itself when it ends, collected once. Reports only arrange it: they query nothing and
/// compute nothing.
public struct RunFacts: Sendable {
  /// The version of the JSON form: 2 has lists where 1 had units. A version may gain members.
  public static let schema = 2

  public var run: String
  public var job: String
  public var command: String
  /// The command's arguments, without secrets.
  public var arguments: [String]
  public var origin: String
  public var startedAt: Instant
  public var endedAt: Instant
  /// How far the API's clock is ahead of this machine's; nil: no answer gave a time.
  public var clockOffset: Duration?
  public var duration = Duration.zero
  public var outcome = RunOutcome()
  public var units: [UnitFacts] = []
  /// Streams of the run of which no list was read, each with its reason in one sentence.
  public var resting: [String] = []
  public var requests = RequestFacts()
  public var images = ImageTally()
  public var quotas: [QuotaFacts] = []
  public var rejects: [RejectSample] = []
  /// Rows that this run left in `trawl_rejects`: records and single values.
  public var rejectCount = 0
  /// For each list that has a window.
  public var coverage: [CoverageFacts] = []
  /// The number of lists that a shortened report omits.
  public var unnamedCoverage = 0
  /// What the run did to the tables before it began.
  public var migrations: [String] = []
  public var warnings: [String] = []
  /// The decisions of the run in sentences, in order.
  public var story: [String] = []
  /// Columns that the records of this run do not fill, or whose values do not fit.
  public var columns: [ColumnFinding] = []
  /// What came, changed or went; unchanged tables are omitted.
  public var changes: [TableChanges] = []
  /// Records that this run forgot, since they were unseen for as long as the job keeps them.
  public var forgotten = 0
  /// What the watched queries of the user's settings reported.
  public var watches: [WatchFacts] = []
  /// What to do next if something is not complete: commands and times.
  public var nextSteps: [NextStep] = []

  public init(
    run: String, job: String, command: String, arguments: [String], origin: String,
    startedAt: Instant
  ) {
    self.run = run
    self.job = job
    self.command = command
    self.arguments = arguments
    self.origin = origin
    self.startedAt = startedAt
    endedAt = startedAt
  }

  /// Summed page by page, as committed.
  public var stored = Counts()

  /// The groups of all lists, for a report that does not name all of them.
  public var storedGroups: [ListGroup] = []

  /// The lists, grouped by how they ended.
  public var groups: [ListGroup] {
    storedGroups.isEmpty ? ListGroup.all(of: units) : storedGroups
  }

  public var listCount: Int { groups.reduce(0) { $0 + $1.lists } }

  /// The records of this run: the sums over all lists, or of the stored pages if an error ended a walk.
  public var counts: Counts {
    let told = groups.reduce(into: Counts()) { $0 += $1.counts }
    return stored.received > told.received ? stored : told
  }

  /// A sum over the tables: each record counts once, however many lists and streams returned it.
  public func sum(_ part: KeyPath<TableChanges, Int>) -> Int {
    changes.reduce(0) { $0 + ($1.isOfLists ? 0 : $1[keyPath: part]) }
  }

  /// The number of lists with a verdict.
  public func lists(_ verdict: Verdict) -> Int {
    groups.reduce(0) { $0 + ($1.verdict == verdict ? $1.lists : 0) }
  }

  /// Whether some next step needs the user.
  public var needsPerson: Bool { nextSteps.contains(where: \.needsPerson) }
}

/// One unit of a run.
public struct UnitFacts: Sendable, Equatable {
  public var stream: String
  public var table: String
  /// `followers of octocat`.
  public var listName: String
  public var parameterText = ""
  public var window: TimeWindow?
  /// Of the whole walk, which earlier runs may have begun.
  public var certificate: Certificate
  /// Records of this run only.
  public var counts: Counts
  /// The rows of the list now; if it was never stored, the records received.
  public var rows: Int
  /// It was as declared after the last walk that shows it, or there was none.
  public var wasAsDeclared = false
  /// Less than declared, which no run has reported yet.
  public var isNewShortfall = false
  public var requests = 0
  /// Rows or memberships that this unit marked as gone, and those that look gone but are too many to believe it.
  public var vanished = 0
  public var withheld = 0
  /// What became of records that an unproven walk lacks; nil: none needed checking.
  public var missing: MissingTally?
  /// By page 1, or of a backfilled range by its first windows.
  public var forecast: Forecast?

  public init(stream: String, table: String, listName: String, certificate: Certificate) {
    self.stream = stream
    self.table = table
    self.listName = listName
    self.certificate = certificate
    counts = certificate.counts
    rows = certificate.counts.kept
  }

  /// A cap that the job expects is a success, like `complete`.
  public var isAsDeclared: Bool { certificate.isAsDeclared }
}

extension UnitFacts {
  /// The certificate's sentence, with the number of records received if it differs from the rows.
  public var why: String {
    let received = certificate.counts.received
    if received == rows || received == 0 || certificate.why.contains("received") {
      return certificate.why
    }
    return "\(certificate.why); \(Wording.number(received)) received"
  }
}

/// The requests to the API (without images).
public struct RequestFacts: Sendable, Equatable {
  public var sent = 0
  public var notModified = 0
  /// Requests that were retried, by the cause of their first failure.
  public var retries: [Cause: Int] = [:]
  /// In order, up to `waitsMax`; their sum is always complete.
  public var waits: [WaitFacts] = []
  public static let waitsMax = 5_000
  /// For a report that omits waits: how many, and how long they were.
  public var unnamedWaitCount = 0
  public var unnamedWaits = Duration.zero
  public var bytes = 0
  /// One entry for each request, in order, for the chart; up to `timelineMax`.
  public var timeline: [RequestMark] = []
  public static let timelineMax = 20_000

  public init() {}

  public var retried: Int { retries.values.reduce(0, +) }
  public var waited: Duration { waits.reduce(unnamedWaits) { $0 + $1.duration } }
}

public struct WaitFacts: Sendable, Equatable {
  public var reason: String
  public var startedAt: Instant
  public var duration: Duration

  public init(reason: String, startedAt: Instant, duration: Duration) {
    self.reason = reason
    self.startedAt = startedAt
    self.duration = duration
  }
}

public struct RequestMark: Sendable, Equatable {
  public var at: Instant
  public var duration: Duration
  /// 0 if no answer came.
  public var status: Int
  public var cause: Cause?

  public init(at: Instant, duration: Duration, status: Int, cause: Cause?) {
    self.at = at
    self.duration = duration
    self.status = status
    self.cause = cause
  }
}

/// Images by where they were found, and refused ones.
public struct ImageTally: Sendable, Equatable {
  public var wanted = 0
  public var fromMemory = 0
  public var fromDisk = 0
  public var fromNetwork = 0
  /// How many from the network were stored already with the same bytes.
  public var sameBytes = 0
  public var bytes = 0
  public var requests = 0
  public var refused: [String: Int] = [:]
  public var pending = 0
  /// Why fetching stopped early.
  public var stoppedBecause: String?
  /// The disk is nearly full.
  public var hasNoRoom = false
  /// The job's limit for the folder is reached, and not all are here.
  public var isAtLimit = false
  /// Most of the files that rows name are missing; nil: not checked.
  public var areFilesMissing: Bool?
  /// The first new images, for the report.
  public var newPaths: [ImageSample] = []
  public static let newPathsMax = 60

  public init() {}

  public var refusedCount: Int { refused.values.reduce(0, +) }
}

public struct ImageSample: Sendable, Equatable {
  public var path: String
  public var title: String

  public init(path: String, title: String) {
    self.path = path
    self.title = title
  }
}

/// One quota before and after the run.
public struct QuotaFacts: Sendable, Equatable {
  public var name: String
  public var allowed: Int
  public var leftBefore: Int
  public var leftAfter: Int
  public var resetsAt: Instant?

  public init(name: String, allowed: Int, leftBefore: Int, leftAfter: Int, resetsAt: Instant?) {
    self.name = name
    self.allowed = allowed
    self.leftBefore = leftBefore
    self.leftAfter = leftAfter
    self.resetsAt = resetsAt
  }
}

/// One reject, shortened for display.
public struct RejectSample: Sendable, Equatable {
  public var table: String
  public var path: String
  public var reason: String
  public var raw: String

  public init(table: String, path: String, reason: String, raw: String) {
    self.table = table
    self.path = path
    self.reason = reason
    self.raw = raw
  }
}
