import Base
import Crawl
import Store
import TestSupport
import Synchronization
import Testing

/// A thousand answers that ask for a wait, in every form and by clocks that are wrong.
@Suite("A wait that a server asks for")
struct WaitTests {
  struct Told: Sendable {
    var status: Int
    var fields: [HeaderField]
    /// From now on.
    var asked: Duration
  }

  @Test("is none where only a counter is at zero: a job that counts by another name goes on")
  func counter() async throws {
    let place = RequestTests.Place()
    let job = try RequestTests.job(hasHealth: false)
    var other = job
    other.name = "other"
    other.quotas = [Quota(name: "gentle", allow: 9, window: .rolling(.seconds(60)), burst: 9)]
    other.streams[0].spends = ["gentle": 1]
    let isSpent = Mutex(true)
    let counter = [
      HeaderField("X-RateLimit-Remaining", "0"), HeaderField("X-RateLimit-Reset", "600"),
    ]
    let exchange = place.serving { request in
      isSpent.withLock { $0 } ? place.answer(request, 429, "", counter) : place.page(request)
    }
    #expect(try await place.run(exchange, job: job) { $0.maxWait = .zero }.kinds == [.paused])
    isSpent.withLock { $0 = false }
    #expect(try await place.run(exchange, job: other).kinds == [.asDeclared])
    #expect(try await place.run(exchange, job: job) { $0.maxWait = .zero }.kinds == [.paused])
  }

  @Test("is no shorter than it asks, and longer by less than two seconds", arguments: 1...4)
  func thousand(seed: UInt64) async throws {
    let time = VirtualTime(seed: seed)
    let random = Mutex(SeededRandom(seed: seed &+ Torture.seedBase))
    let state = Mutex((asked: Instant?.none, waits: 0, wrong: [String]()))
    let exchange = ScriptedExchange { request, _ in
      let page = Self.page(request)
      let now = time.now
      let told: Told? = state.withLock { state in
        if let asked = state.asked {
          state.asked = nil
          let over = now - asked
          if over < .zero || over >= .seconds(2) {
            state.wrong.append("page \(page): \(over) from what was asked")
          }
          return nil
        }
        state.waits += 1
        return random.withLock { Self.told(at: now, &$0) }
      }
      guard let told else { return .success(Self.list(request, page, time)) }
      state.withLock { $0.asked = now + told.asked }
      return .success(.json(request, "{}", told.fields, status: told.status, at: now))
    }
    let facts = try await Self.walk(exchange, time.timekeeper)
    let end = state.withLock { $0 }
    #expect(end.wrong.isEmpty, "\(end.wrong.prefix(5))")
    #expect(end.waits == Self.pages + 1, "one for each page, and for page 1 at the end")
    #expect(facts.units.first?.certificate.verdict == .complete)
  }

  /// 4 x 250 answers.
  static let pages = 250

  static func page(_ request: Base.Request) -> Int {
    Int((request.address.query ?? "").split(separator: "=").last ?? "1") ?? 1
  }

  static func list(_ request: Base.Request, _ page: Int, _ time: VirtualTime) -> Answer {
    .json(request, #"{"items":[{"id":"\#(page)"}],"total":\#(pages)}"#, at: time.now)
  }

  /// Any of the forms in which a server says so. Its clock has whole seconds in `Date`, and may be
  /// off by a day.
  static func told(at now: Instant, _ random: inout SeededRandom) -> Told {
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    let skew = [0, 0, -86_400, 3600, -7][roll(5)]
    let there = now + .seconds(Int64(skew)) + .milliseconds(Int64(roll(1000)))
    let seconds = [1, 2, 7, 30, 61, 115, 900][roll(7)]
    var fields = [HeaderField("Date", CivilTime(there).httpDate)]
    // The first whole second that lies so far ahead by the server's clock.
    let target = Instant(seconds: there.seconds + Int64(seconds))
    let untilTarget = target - there
    switch roll(6) {
    case 0:
      fields.append(HeaderField("Retry-After", "\(seconds)"))
      return Told(
        status: [429, 403, 503][roll(3)], fields: fields, asked: .seconds(Int64(seconds)))
    case 1:
      fields.append(HeaderField("Retry-After", CivilTime(target).httpDate))
      return Told(status: [429, 503][roll(2)], fields: fields, asked: untilTarget)
    case 2:
      fields.append(HeaderField("Retry-After", "\(target.seconds)"))
      return Told(status: 429, fields: fields, asked: untilTarget)
    case 3:
      fields += [
        HeaderField("X-RateLimit-Limit", "60"), HeaderField("X-RateLimit-Remaining", "0"),
        HeaderField("X-RateLimit-Reset", "\(target.seconds)"),
      ]
      return Told(status: [429, 403][roll(2)], fields: fields, asked: untilTarget)
    case 4:
      fields += [
        HeaderField("RateLimit-Remaining", "0"), HeaderField("RateLimit-Reset", "\(seconds)"),
      ]
      return Told(status: 429, fields: fields, asked: .seconds(Int64(seconds)))
    default:
      fields += [
        HeaderField("RateLimit-Policy", "\"all\";q=60;w=900"),
        HeaderField("RateLimit", "\"all\";r=0;t=\(seconds)"),
      ]
      return Told(status: 429, fields: fields, asked: .seconds(Int64(seconds)))
    }
  }

  /// Numbered lists with a quota that is never spent by itself.
  static func job(lists: [String] = ["things"]) throws -> Job {
    let id = Column(name: "id", source: .paths([try JSONPath("id")]), kind: .text)
    let streams = try lists.map { name -> Base.Stream in
      var stream = Base.Stream(
        name: name, path: Template([.text("/\(name)")]),
        pager: .number(parameter: "page", first: 1), records: try JSONPath("items"), table: name,
        key: ["id"], columns: [id])
      stream.total = Total(paths: [try JSONPath("total")], trust: .counted)
      stream.spends = ["all": 1]
      return stream
    }
    var job = Job(
      name: "shop", about: "a shop", base: try WebAddress("https://api.example/v1"),
      streams: streams, source: "a test")
    job.quotas = [
      Quota(name: "all", allow: 100_000, window: .rolling(.seconds(3600)), burst: 100_000)
    ]
    return job
  }

  static func walk(
    _ exchange: any Exchange, _ time: Timekeeper, job: Job? = nil,
    in scratch: ScratchFolder = ScratchFolder(isInMemory: true),
    _ change: (inout CrawlOptions) -> Void = { $0.maxWait = .seconds(86_400) }
  ) async throws -> RunFacts {
    let job = try job ?? Self.job()
    let store = try await RecordStore.open(
      try DataFolder(creating: scratch.path), RecordStore.Settings(time: time))
    let ledger = try await QuotaLedger.open(file: "\(scratch.path)/ledger.db", timekeeper: time)
    _ = try await store.adopt(job, origin: job.base.origin)
    var options = CrawlOptions()
    options.isOneAtATime = true
    change(&options)
    let run = try await JobRun(
      RunParts(
        job: job, options: options, exchange: exchange, time: time, store: store, ledger: ledger,
        content: nil, credential: nil, account: "nobody"))
    let facts = await run.execute()
    await store.close()
    await ledger.close()
    return facts
  }
}
