import Base
import Crawl
import TestSupport

/// Nights of a machine whose clock is sometimes wrong, and of an API that knows the time: a list of records with a time
/// filter, read by the real engine, database and ledger.
final class ClockNights: Sendable {
  /// What the API's answers say about the time.
  enum Told: Sendable, CaseIterable {
    case truth, nothing
    /// A cache has kept the answer for a day, and says so.
    case cached
    case year1970, year2099
    /// A cache that does not say so: the same time in each answer, four hours and seven minutes old.
    case still
    /// Its local time.
    case west, east
    /// The API's clock is wrong, but runs.
    case monthBehind
  }

  struct Night: Sendable {
    /// The offset of the machine's clock from the truth.
    var off = Duration.zero
    var told = Told.truth
    /// Somebody sets the clock during the first request.
    var setTo: Duration?
  }

  static let start = Instant(seconds: 1_795_269_600)

  private let scratch = ScratchFolder(isInMemory: true)
  private let gallery: Gallery
  private let state = Locked(State())

  private struct State {
    /// In seconds since 1970, by number.
    var records: [Int64] = []
    var asked = 0
  }

  /// The true time.
  var truth: Instant { Self.start + time.timekeeper.elapsed() }

  var time: VirtualTime { gallery.time }

  func add(at instant: Instant) { state.withLock { $0.records.append(instant.seconds) } }

  // MARK: the job

  let reach: Duration?
  let allow: Int?
  let trustsOurClock: Bool

  init(reach: Duration? = nil, allow: Int? = nil, trustsOurClock: Bool = false) {
    self.reach = reach
    self.trustsOurClock = trustsOurClock
    self.allow = allow
    gallery = Gallery(in: scratch.path)
  }

  func job() throws -> Job {
    var stream = try Base.Stream("things", "/things", "id integer, at time", by: .single)
    stream.window = Window(
      from: "from", to: "to", column: "at", overlap: .zero, reach: reach)
    if allow != nil { stream.spends = ["hour": 1] }
    var job = try Job("shop", stream)
    job.trustsOurClock = trustsOurClock
    if let allow {
      job.quotas = [Quota(name: "hour", allow: allow, window: .rolling(.seconds(3600)))]
    }
    return job
  }

  // MARK: a night

  @discardableResult
  func run(_ night: Night = Night()) async throws -> RunFacts {
    time.setWallClock(truth + night.off)
    let began = truth
    let exchange = ScriptedExchange.answering { request, number in
      self.time.advance(by: .milliseconds(300))
      if number == 1, let off = night.setTo { self.time.setWallClock(self.truth + off) }
      return self.answer(request, night, began: began)
    }
    let facts = try await gallery.run(job(), exchange).facts
    time.setWallClock(truth)
    return facts
  }

  private func answer(_ request: Request, _ night: Night, began: Instant) -> Answer {
    let (from, to) = (request["from"], request["to"])
    let ends = [from, to].map { $0.flatMap { Instant(rfc3339: $0)?.seconds } }
    let now = truth
    let items = state.withLock { state in
      state.asked += 1
      return state.records.enumerated().filter { _, at in
        at <= now.seconds && at >= ends[0] ?? .min && at <= ends[1] ?? .max
      }.map { #"{"id":\#($0),"at":"\#(Instant(seconds: $1))"}"# }
    }
    var fields: [HeaderField] = []
    func date(_ instant: Instant) {
      fields.append(HeaderField("Date", CivilTime(instant).httpDate))
    }
    switch night.told {
    case .truth: date(truth)
    case .nothing: break
    case .cached:
      date(truth - .seconds(86_400))
      fields.append(HeaderField("Age", "86400"))
    case .year1970: date(Instant(seconds: 500))
    case .year2099: date(Instant(seconds: 4_070_908_800))
    case .still: date(began - .seconds(14_820))
    case .west: date(truth - .seconds(18_000))
    case .east: date(truth + .seconds(20_700))
    case .monthBehind: date(truth - .seconds(30 * 86_400))
    }
    return .json(request, listing(items), fields)
  }

  // MARK: what it left

  var asked: Int { state.withLock { $0.asked } }

  func texts(_ sql: String) throws -> [String] { try gallery.rows(sql) }

  /// Records that no run has read.
  func unread() throws -> [Int] {
    let read = Set(try texts("SELECT CAST(id AS TEXT) FROM shop_things").compactMap { Int($0) })
    return state.withLock { $0.records.indices.filter { !read.contains($0) } }
  }

  /// Unread records within what counts as covered: they are lost.
  func lost() throws -> [Int] {
    let covered = try texts("SELECT covered_from || ' ' || covered_to FROM trawl_coverage")
      .map { $0.split(separator: " ").compactMap { Instant(rfc3339: String($0))?.seconds } }
    let records = state.withLock { $0.records }
    return try unread().filter { index in
      covered.contains { $0.count == 2 && $0[0] <= records[index] && records[index] < $0[1] }
    }
  }

  /// What counts as covered of the future.
  func future() throws -> [String] {
    try texts(
      "SELECT covered_to FROM trawl_coverage WHERE covered_to > '\(truth + .seconds(2))'")
  }
}
