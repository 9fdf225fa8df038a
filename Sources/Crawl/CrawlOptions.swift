public import Base

/// What a person or a timer asks of one run.
public struct CrawlOptions: Sendable {
  /// `run` or `backfill`, for the report.
  public var command = "run"
  /// As they were given, without secrets.
  public var arguments: [String] = []
  /// Values by parameter name; they take the place of the job's defaults.
  public var values: [String: [String]] = [:]
  /// Only these streams; empty: all.
  public var streams: [String] = []
  /// Lists that failed and are not asked before their hour has come.
  public var resting: Set<ListName> = []
  /// Only these lists; nil: all.
  public var only: Set<ListName>?
  /// A longer wait ends the run as a pause.
  public var maxWait: Duration = .seconds(300)
  /// Requests to the API in this run; images are not counted.
  public var maxRequests: Int?
  public var maxTime: Duration?
  /// No request is made from this instant on.
  public var until: Instant?
  /// What an older mapping filled is read again: nothing is asked conditionally, and no walk stops
  /// at the last complete range.
  public var isRefill = false
  /// Of a range, what was read without a proof is read again.
  public var isProof = false
  /// Pages of one unit and units of one stream; a look at an API takes one of each.
  public var pagesMax: Int?
  public var unitsMax: Int?
  /// Lists of a stream that is asked for by its values alone; nil: as of any other.
  public var listsMax: Int?
  static let whyPreviewed = "only a preview was requested"
  /// Pages of one list that one run requests: the next one goes on. No list is endless in one night.
  var listPagesMax = Self.listPages
  public static let listPages = 100_000
  /// Only this stretch of windowed streams.
  public var window: TimeWindow?
  /// Loopback may be connected to, by hand (`--allow-loopback`, or an endpoint on loopback).
  public var allowsLoopback = false
  /// A backfill leaves this share of each quota to the timer's runs; nil: this is the timer's.
  public var reserve: Double?
  /// Asked in a page's place: tries and time before it is given up.
  public var triesMax = 10
  var triesTimeMax: Duration = .seconds(15 * 60)
  var breakerMax = HostBreaker.failuresMax
  public var fetchesImages = true
  /// Images that are not fetched when the walk ends are left to the next run.
  public var imagesEndWithWalk = false
  /// No page is asked while one is written, and images come behind the walk: a recording of such a
  /// run can be replayed to the same end.
  public var isOneAtATime = false
  public var imagesAtOnce = 8
  /// Room that is left on the disk whatever comes.
  var imageFreeBytesMin = 500_000_000
  /// How long one image may take.
  var imageTimes = PictureFetch.times
  /// So many missing memberships of one list are marked, whatever the bound says.
  public var acceptedVanish: Int?
  /// Columns that a person knows to be empty now.
  public var acceptedEmpty: [String] = []
  /// How often a list that moved under the walk is walked, the first time included. More than once
  /// costs requests that a timer's next run makes anyway: it is for filling a range once.
  public var passesMax = 1

  public init() {}

  func asks(_ stream: String, _ parameters: String) -> Bool {
    let name = ListName(stream: stream, parameters: parameters)
    return !resting.contains(name) && only?.contains(name) ?? true
  }
}
