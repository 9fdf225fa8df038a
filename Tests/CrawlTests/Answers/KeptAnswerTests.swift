import Base
import Crawl
import TestSupport
import Testing

/// Things, and single answers for them, from a cache with some outdated ones.
final class StaleCache: Sendable {
  /// How an answer says that it is old.
  enum Told: CaseIterable, Sendable {
    case age, date, warning, nginx, cloudflare, standard

    func fields(at now: Instant) -> [HeaderField] {
      let field: HeaderField? =
        switch self {
        case .age: HeaderField("Age", "20000")
        case .date: nil
        case .warning: HeaderField("Warning", "110 - \"Response is Stale\"")
        case .nginx: HeaderField("X-Cache-Status", "UPDATING")
        case .cloudflare: HeaderField("CF-Cache-Status", "STALE")
        case .standard: HeaderField("Cache-Status", "Edge; hit; ttl=-412")
        }
      let made = self == .date ? now - .seconds(21_600) : now
      return [HeaderField("Date", CivilTime(made).httpDate)] + [field].compactMap { $0 }
    }
  }

  let time: VirtualTime
  let told: Told
  let states = Locked<[String: Int]>([:])
  /// The kept answer of a path, whatever is current.
  let kept = Locked<[String: (body: String, at: Instant)]>([:])
  let heedsRequests: Bool

  init(_ told: Told, _ time: VirtualTime, heedsRequests: Bool = false) {
    (self.told, self.time, self.heedsRequests) = (told, time, heedsRequests)
    states.withLock { $0 = Dictionary(uniqueKeysWithValues: (1...10).map { ("i\($0)", 0) }) }
  }

  func body(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return states.withLock { states in
      let names = states[name] == nil ? states.keys.sorted() : [name]
      return listing(names.map { #"{"id":"\#($0)","state":\#(states[$0] ?? 0)}"# })
    }
  }

  func keep(_ path: String) {
    let body = body(path)
    kept.withLock { $0[path] = (body, time.now) }
  }

  var exchange: ScriptedExchange {
    .answering { [self] request, _ in
      time.advance(by: .milliseconds(300))
      let path = request.address.path
      let isPast = heedsRequests && request.fields.contains { $0.name == "Cache-Control" }
      if !isPast, let (body, at) = kept.withLock({ $0[path] }) {
        let fields = told.fields(at: told == .date ? at + .seconds(21_600) : time.now)
        return .json(request, body, fields)
      }
      let date = HeaderField("Date", CivilTime(time.now).httpDate)
      return .json(request, body(path), [date])
    }
  }

  static func job() throws -> Job {
    try Job.file(
      """
      things: {
        get: "/things", pages: { by: "single" }, records: "items", key: ["id"],
        columns: { id: "id", state: "state as integer" }, vanish: "mark",
      },
      details: {
        for: { each: "things.id", when: "changed" }, get: "/details/{id}", records: "items",
        key: ["id"], columns: { id: "id", state: "state as integer" },
      },
      """, name: "shop")
  }
}

@Suite("What a cache has kept too long")
struct KeptAnswerTests {
  private let gallery = Gallery()

  private func night(_ job: Job, _ cache: StaleCache) async throws -> (RunFacts, asked: [String]) {
    gallery.time.advance(by: .day)
    let exchange = cache.exchange
    let facts = try await gallery.run(job, exchange).facts
    #expect(try await gallery.proves())
    return (facts, exchange.asked.map(\.lastPart))
  }

  private func details(_ facts: RunFacts) -> Certificate? {
    facts.units.first { $0.stream == "details" }?.certificate
  }

  private let state = "SELECT state FROM shop_details WHERE id = 'i3'"

  @Test(
    "is no detail of what has changed: it is requested again", arguments: StaleCache.Told.allCases)
  func details(told: StaleCache.Told) async throws {
    let cache = StaleCache(told, gallery.time)
    let job = try StaleCache.job()
    _ = try await night(job, cache)
    cache.keep("/v1/details/i3")
    cache.states.withLock { $0["i3"] = 1 }
    for _ in 0..<2 {
      let (facts, asked) = try await night(job, cache)
      #expect(details(facts)?.verdict == .unproven, "\(details(facts)?.why ?? "")")
      #expect(asked.filter { $0 == "i3" }.count == 2)
    }
    cache.kept.withLock { $0 = [:] }
    let (facts, _) = try await night(job, cache)
    #expect(details(facts)?.verdict == .complete)
    #expect(try gallery.rows(state) == ["1"])
    let (_, asked) = try await night(job, cache)
    #expect(asked == ["things"])
  }

  @Test("is requested past a cache that heeds it at once", arguments: StaleCache.Told.allCases)
  func past(told: StaleCache.Told) async throws {
    let cache = StaleCache(told, gallery.time, heedsRequests: true)
    let job = try StaleCache.job()
    _ = try await night(job, cache)
    cache.keep("/v1/details/i3")
    cache.states.withLock { $0["i3"] = 1 }
    let (facts, _) = try await night(job, cache)
    #expect(details(facts)?.verdict == .complete)
    #expect(try gallery.rows(state) == ["1"])
  }

  @Test(
    "is no page of a proof by two ends where it is older than the answer before it",
    arguments: [(28, true), (40, false)])
  func olderPage(age: Int, isYounger: Bool) async throws {
    let exchange = ScriptedExchange.answering { [time = gallery.time] request, _ in
      time.advance(by: .seconds(30))
      let isSecond = request["token"] != nil
      let items = (isSecond ? 4...5 : 1...3).map { #"{"id":\#($0)}"# }
      let fields = isSecond ? [HeaderField("Age", "\(age)")] : []
      return .json(request, listing(items, next: isSecond ? nil : "2"), fields)
    }
    let left = try await gallery.run(Job("shop", Base.Stream("things", "/things")), exchange)
    #expect(left.verdicts == [isYounger ? .complete : .unproven])
  }

  @Test("marks nobody of a list of one page as gone", arguments: StaleCache.Told.allCases)
  func list(told: StaleCache.Told) async throws {
    let cache = StaleCache(told, gallery.time)
    let job = try StaleCache.job()
    _ = try await night(job, cache)
    let half = listing((1...5).map { #"{"id":"i\#($0)","state":0}"# })
    cache.kept.withLock { $0["/v1/things"] = (half, gallery.time.now + .seconds(80_000)) }
    let (facts, _) = try await night(job, cache)
    #expect(facts.units.first?.certificate.verdict == .unproven)
    #expect(
      try gallery.rows("SELECT count(*) FROM shop_things WHERE vanished_at IS NULL") == ["10"])
    cache.kept.withLock { $0 = [:] }
    #expect(try await night(job, cache).0.units.first?.certificate.verdict == .complete)
  }
}

@Suite("A second reading")
struct SecondReadingTests {
  /// Pages of a list that loses a record while it is read; each takes at least 0.8 s and is kept for a minute.
  /// A cache that gives no time cannot be detected.
  @Test("out of a cache that says when its answers were made is none", arguments: [800, 1700])
  func cached(milliseconds: Int64) async throws {
    let gallery = Gallery()
    let time = gallery.time
    var stream = try Base.Stream("things", "/things", "id integer, at time", by: .tokens())
    stream.window = Window(from: "from", to: nil, column: "at", overlap: .zero)
    let job = try Job("shop", stream)
    let began = time.now
    let held = Locked(Array(0..<25))
    let kept = Locked<[String: (text: String, at: Instant)]>([:])
    let exchange = ScriptedExchange.answering { request, _ in
      let place = request["token"].flatMap { Int($0) } ?? 0
      if let old = kept.withLock({ $0[request.address.description] }),
        time.now - old.at < .seconds(60)
      {
        return .json(request, old.text, [HeaderField("Date", CivilTime(old.at).httpDate)])
      }
      time.advance(by: .milliseconds(milliseconds))
      let items = held.withLock { held in
        let items = held.dropFirst(place).prefix(5).map {
          #"{"id":\#($0),"at":"\#(began - .seconds(86_400 - Int64($0)))"}"#
        }
        if place == 5, held.count == 25 { held.remove(at: 1) }
        return items
      }
      let text = listing(items, next: place + 5 < 24 ? "\(place + 5)" : nil)
      kept.withLock { $0[request.address.description] = (text, time.now) }
      return .json(request, text, [HeaderField("Date", CivilTime(time.now).httpDate)])
    }
    let left = try await gallery.run(job, exchange)
    let rows = try gallery.rows("SELECT count(*) FROM shop_things")
    #expect(left.verdicts != [.complete] || rows == ["25"], "\(left.verdicts) \(rows)")
  }
}
