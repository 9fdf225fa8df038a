/// Everything that a run knows of itself when it ends, collected once. Writers of reports only
/// arrange it: they query nothing and compute nothing anew.
public struct RunFacts: Sendable {
  /// The version of the JSON form: 2 has lists where 1 had units. New members may come within one.
  public static let schema = 2

  public var run: String
  public var job: String
  public var command: String
  /// What was called, without secrets.
  public var arguments: [String]
  public var origin: String
  public var startedAt: Instant
  public var endedAt: Instant
  /// How far the API's clock is ahead of this machine's; nil: no answer has given the time.
  public var clockOffset: Duration?
  public var duration = Duration.zero
  public var outcome = RunOutcome()
  public var units: [UnitFacts] = []
  /// Streams of the run of which no list was read, each with why, in one sentence.
  public var resting: [String] = []
  public var requests = RequestFacts()
  public var images = ImageTally()
  public var quotas: [QuotaFacts] = []
  public var rejects: [RejectSample] = []
  /// Rows of `trawl_rejects` that this run left: of records and of single values.
  public var rejectCount = 0
  /// Of each list that has a window; empty where none has.
  public var coverage: [CoverageFacts] = []
  /// Of a report that does not name all of them: the number of the others.
  public var unnamedCoverage = 0
  /// What was forecast of the whole run before its first request, where it could be.
  public var forecast: Forecast?
  /// What the run did to the tables before it began.
  public var migrations: [String] = []
  public var warnings: [String] = []
  /// The decisions of the run in sentences, in order.
  public var story: [String] = []
  /// Columns that the records do not fill, or whose values do not fit, found by this run.
  public var columns: [ColumnFinding] = []
  /// What came, changed or went; tables without any of it are left out.
  public var changes: [TableChanges] = []
  /// Records that this run has forgotten, since they were not seen again for as long as the job keeps them.
  public var forgotten = 0
  /// What the watched queries of a person's settings reported.
  public var watches: [WatchFacts] = []
  /// What to do next where something is not complete: commands and instants.
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

  /// Page by page, as it was committed.
  public var stored = Counts()

  /// Of a report that does not name all its lists: what all of them were.
  public var storedGroups: [ListGroup] = []

  /// The lists by how they ended.
  public var groups: [ListGroup] {
    storedGroups.isEmpty ? ListGroup.all(of: units) : storedGroups
  }

  public var listCount: Int { groups.reduce(0) { $0 + $1.lists } }

  /// What this run brought: the sums over all lists, and what was stored of those whose walk an error has ended.
  public var counts: Counts {
    let told = groups.reduce(into: Counts()) { $0 += $1.counts }
    return stored.received > told.received ? stored : told
  }

  /// What became of records, each counted once, however many lists and streams have brought it.
  public func sum(_ part: KeyPath<TableChanges, Int>) -> Int {
    changes.reduce(0) { $0 + ($1.isOfLists ? 0 : $1[keyPath: part]) }
  }

  /// How many lists have a verdict.
  public func lists(_ verdict: Verdict) -> Int {
    groups.reduce(0) { $0 + ($1.verdict == verdict ? $1.lists : 0) }
  }

  /// Not all of it passes by itself.
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
  /// Of the whole walk, of which earlier runs may have read a part.
  public var certificate: Certificate
  /// What this run itself brought.
  public var counts: Counts
  /// What the list has now; of one that was never stored what came.
  public var rows: Int
  /// It was as declared at the last walk that says anything of it, or there was none.
  public var wasAsDeclared = false
  /// Less than declared, and no run has reported that.
  public var isNewShortfall = false
  public var requests = 0
  /// Rows or memberships that this unit marked as gone, and those that looked gone but were too
  /// many to believe it.
  public var vanished = 0
  public var withheld = 0
  /// What became of records that a walk without a proof did not return; nil: none had to be checked.
  public var missing: MissingTally?
  /// What the list itself said of its length at page 1.
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
  /// The certificate's sentence, with how much came where that is another number than the rows.
  public var why: String {
    let received = certificate.counts.received
    if received == rows || received == 0 || certificate.why.contains("received") {
      return certificate.why
    }
    return "\(certificate.why); \(Wording.number(received)) received"
  }
}

/// What was asked of the API (images are counted apart).
public struct RequestFacts: Sendable, Equatable {
  public var sent = 0
  public var notModified = 0
  /// Requests that were asked again, by the cause of the first failure.
  public var retries: [Cause: Int] = [:]
  /// In order; bounded, and their sum is whole.
  public var waits: [WaitFacts] = []
  public static let waitsMax = 5_000
  /// Of a report that does not name all its waits: how many others there are, and how long they were.
  public var unnamedWaitCount = 0
  public var unnamedWaits = Duration.zero
  public var bytes = 0
  /// One entry a request, in order, for the chart; bounded.
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
  /// 0 when no answer came.
  public var status: Int
  public var cause: Cause?

  public init(at: Instant, duration: Duration, status: Int, cause: Cause?) {
    self.at = at
    self.duration = duration
    self.status = status
    self.cause = cause
  }
}

/// Images by where they were found, and those that were refused.
public struct ImageTally: Sendable, Equatable {
  public var wanted = 0
  public var fromMemory = 0
  public var fromDisk = 0
  public var fromNetwork = 0
  /// Of those from the network: bytes that were stored already under the same digest.
  public var sameBytes = 0
  public var bytes = 0
  public var requests = 0
  public var refused: [String: Int] = [:]
  public var pending = 0
  /// Why images stopped before all were fetched.
  public var stoppedBecause: String?
  /// The disk is nearly full.
  public var hasNoRoom = false
  /// Most of the files that rows name are not there; nil: they were not looked for.
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

/// One reject, shortened, for a person to look at.
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
