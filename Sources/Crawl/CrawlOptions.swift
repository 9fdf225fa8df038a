public import Base

/// What a person or a timer requests of one run.
public struct CrawlOptions: Sendable {
  /// `run` or `backfill`, for the report.
  public var command = "run"
  /// As given, without secrets.
  public var arguments: [String] = []
  /// Values by parameter name; they replace the job's defaults.
  public var values: [String: [String]] = [:]
  /// Only these streams; empty: all.
  public var streams: [String] = []
  /// Failed lists that are not due for a retry yet.
  public var resting: Set<ListName> = []
  /// Only these lists; nil: all.
  public var only: Set<ListName>?
  /// A longer wait pauses the run.
  public var maxWait: Duration = .seconds(300)
  /// Requests to the API in this run; images are not counted.
  public var maxRequests: Int?
  public var maxTime: Duration?
  /// No request is made from this instant on.
  public var until: Instant?
  /// Reads again what an older mapping filled: no request is conditional, and no walk stops at the last complete range.
  public var isRefill = false
  /// Of a range, reads again what was read without a proof.
  public var isProof = false
  /// Pages of one unit and units of one stream: a preview takes few.
  public var pagesMax: Int?
  public var unitsMax: Int?
  static let whyPreviewed = "only a preview was requested"
  /// Pages of one list in one run; the next run resumes. It bounds an endless list.
  public static let listPages = 100_000
  /// Only this stretch of windowed streams.
  public var window: TimeWindow?
  /// Allows connections to loopback: `--allow-loopback`, or an endpoint there.
  public var allowsLoopback = false
  /// A backfill leaves this share of each quota to the timer's runs; nil: a timer's run.
  public var reserve: Double?
  /// Tries of a request before it is given up.
  public var triesMax = 10
  public var fetchesImages = true
  /// Images that are not fetched when the walk ends are left to the next run.
  public var imagesEndWithWalk = false
  /// No page is requested while one is written, and images follow the walk, so that a recording of the run can be
  /// replayed to the same end.
  public var isOneAtATime = false
  public var imagesAtOnce = 8
  /// Disk space that is always left free.
  public var imageFreeBytesMin = 500_000_000
  /// How long one image may take.
  var imageTimes = PictureFetch.times
  /// Missing memberships of one list that are marked despite the safety limit.
  public var acceptedVanish: Int?
  /// Columns that a person has confirmed as empty.
  public var acceptedEmpty: [String] = []
  /// How often a list that moves during its walk is walked at most. A timer's next run repeats it anyway; more than 1
  /// is for filling a range once.
  public var passesMax = 1

  public init() {}

  func asks(_ stream: String, _ parameters: String) -> Bool {
    let name = ListName(stream: stream, parameters: parameters)
    return !resting.contains(name) && only?.contains(name) ?? true
  }
}
