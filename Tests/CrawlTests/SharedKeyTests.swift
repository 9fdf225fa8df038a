import Base
import Crawl
import TestSupport
import Testing

@Suite("A key that two lists give to different records")
struct SharedKeyTests {
  /// Lists of things, by the shop that they are requested for.
  private struct Shops: Sendable {
    let gallery = Gallery()
    var when = ParentFeed.When.new
    var isPaged = false
    /// By shop, the title of each thing by its id.
    var things: [String: [String: String]] = [:]

    /// One night; returns whether a list of things is incomplete since its key is ambiguous.
    func night() async throws -> Bool {
      let job = try SharedKeyTests.mall("id,title", when, isPaged: isPaged)
      let things = things
      let exchange = ScriptedExchange.json { request, _ in
        guard request.lastPart != "shops" else {
          return listing(things.keys.sorted().map { #"{"id":"\#($0)"}"# })
        }
        let titles = things[request.lastPart] ?? [:]
        let records = titles.sorted { $0.key < $1.key }
        return listing(records.map { #"{"id":"\#($0)","title":"\#($1)"}"# }, next: nil)
      }
      let left = try await gallery.run(job, exchange, then: .day)
      #expect(try await gallery.proves())
      return left.facts.units.contains { $0.certificate.cause == .ambiguousKey }
    }
  }

  /// Things of each shop, whose key does not name the shop.
  fileprivate static func mall(
    _ columns: String, _ when: ParentFeed.When, isPaged: Bool = false
  ) throws -> Job {
    let shops = try Base.Stream(whole: "shops", "/shops", "id")
    var all = try Base.Stream("things", "/of/{id}", columns, by: isPaged ? .tokens() : .single)
    all.hasOnePage = true
    if isPaged { all.membership = Membership("held", of: "id", as: "shop", key: "thing") }
    all.parent = ParentFeed(stream: "shops", column: "id", when: when, batch: 1)
    return try Job("mall", shops, all)
  }

  private static func titles(
    _ word: String, _ ids: [String] = ["1", "2", "3"]
  ) -> [String: String] {
    Dictionary(uniqueKeysWithValues: ids.map { ($0, "\(word) \($0)") })
  }

  @Test("is found where the second list first comes in a later run", arguments: [false, true])
  func later(isPaged: Bool) async throws {
    var shops = Shops(isPaged: isPaged)
    shops.things["a"] = Self.titles("a")
    #expect(try await !shops.night())
    shops.things["b"] = Self.titles("b")
    // The first list may be read again only in the next run.
    _ = try await shops.night()
    for night in 3...5 { #expect(try await shops.night(), "\(night)") }
  }

  /// One night of lists with three things each; returns how many of them have an ambiguous key.
  private static func clashes(
    _ gallery: Gallery, _ job: Job, of set: [String: [String]] = [:]
  ) async throws -> Int {
    let exchange = ScriptedExchange.json { request, _ in
      let list = request.lastPart
      let same = #""shop":"\#(list)","kind":"k","size":"s"}"#
      return listing((1...3).map { #"{"id":"\#($0)","title":"\#(list) \#($0)",\#(same)"# })
    }
    let left = try await gallery.run(job, exchange, then: .day) { $0.values = set }
    #expect(try await gallery.proves())
    return left.facts.units.count { $0.certificate.cause == .ambiguousKey }
  }

  private static func shops(_ columns: String) throws -> Job {
    let things = try Base.Stream(whole: "things", "/of/{shop}", columns)
    return try Job("mall", things, with: ["shop": ["a", "b"]])
  }

  @Test("is found where a parameter names the lists, in one run or by turns of --set")
  func parameter() async throws {
    let (job, both, turns) = (try Self.shops("id,title"), Gallery(), Gallery())
    for night in 1...2 { #expect(try await Self.clashes(both, job) > 0, "\(night)") }
    for (night, shop) in ["a", "b", "a", "b"].enumerated() {
      let clashes = try await Self.clashes(turns, job, of: ["shop": [shop]])
      #expect(clashes == (night < 2 ? 0 : 1), "\(night)")
    }
  }

  @Test("is found where little more than the list that the records name differs")
  func named() async throws {
    #expect(try await Self.clashes(Gallery(), Self.shops("id,shop,kind,size")) == 1)
  }

  /// Two streams that add to one table.
  private static func board(_ columns: String) throws -> Job {
    var others = try Base.Stream(whole: "others", "/others", columns)
    others.table = "posts"
    return try Job("board", Base.Stream(whole: "posts", "/posts", columns), others)
  }

  @Test("is found where two streams add to one table")
  func streams() async throws {
    let (gallery, job) = (Gallery(), try Self.board("id,title"))
    for night in 1...2 { #expect(try await Self.clashes(gallery, job) > 0, "\(night)") }
  }

  @Test("is not one where figures or titles move on between two lists, streams or walks")
  func moving() async throws {
    var walks = try Base.Stream("things", "/of/{shop}", "id,title")
    walks.provesEvery = .seconds(86_400)
    let jobs = [
      try Self.shops("id,title,score integer"), try Self.board("id,title,score integer"),
      try Job("mall", walks, with: ["shop": ["a"]]),
    ]
    for (index, job) in jobs.enumerated() {
      let (gallery, asked) = (Gallery(), Locked(0))
      let exchange = ScriptedExchange.json { request, _ in
        let count = asked.withLock { asked in
          asked += 1
          return asked
        }
        let isFirst = index == 2 && request.number("token") == nil
        let title = index == 2 ? "title \(count)" : "title"
        let items = (isFirst ? 1...3 : 4...6).map { id in
          #"{"id":"\#(id)","title":"\#(title)","score":\#(count)}"#
        }
        return listing(items, next: isFirst ? "3" : nil)
      }
      for night in 1...2 {
        let facts = try await gallery.run(job, exchange, then: .day).facts
        #expect(
          !facts.units.contains { $0.certificate.cause == .ambiguousKey }, "\(index), \(night)")
      }
    }
  }

  @Test("is not one record in both that has changed meanwhile", arguments: [false, true])
  func changed(isPaged: Bool) async throws {
    var shops = Shops(isPaged: isPaged)
    shops.things["a"] = Self.titles("old")
    #expect(try await !shops.night())
    (shops.things["a"], shops.things["b"]) = (Self.titles("new"), Self.titles("new"))
    for night in 2...4 { #expect(try await !shops.night(), "\(night)") }
  }

  @Test("stays one where another parent is new, until the records differ")
  func lasting() async throws {
    var shops = Shops()
    (shops.things["a"], shops.things["b"]) = (Self.titles("a"), Self.titles("b"))
    for night in 1...4 {
      #expect(try await shops.night(), "\(night)")
      shops.things["c\(night)"] = Self.titles("c", ["c\(night)"])
    }
    shops.things["b"] = Self.titles("b", ["b1", "b2", "b3"])
    _ = try await shops.night()
    #expect(try await !shops.night())
  }

  @Test("is found from the second walk on, if it is one of many")
  func single() async throws {
    var shops = Shops(when: .all)
    for shop in 1...12 {
      shops.things["\(shop)"] = Self.titles("\(shop)", (1...6).map { "\(shop)-\($0)" })
    }
    shops.things["3"]?["x"] = "one"
    shops.things["7"]?["x"] = "another"
    #expect(try await !shops.night())
    for night in 2...4 { #expect(try await shops.night(), "\(night)") }
  }

  @Test("is not one record in both that changes to and fro")
  func toggling() async throws {
    var shops = Shops(when: .all, isPaged: true)
    for night in 1...6 {
      let titles = Self.titles(night % 2 == 0 ? "open" : "closed")
      (shops.things["a"], shops.things["b"]) = (titles, titles)
      #expect(try await !shops.night(), "\(night)")
    }
  }

  @Test("is not one record among many that each answer shows otherwise: it is requested again once")
  func changing() async throws {
    let gallery = Gallery()
    let job = try Self.mall("id,title", .new)
    var asked: [[String]] = []
    for night in 1...4 {
      let exchange = ScriptedExchange.json { request, number in
        let shop = request.lastPart
        if shop == "shops" { return listing(["a", "b"].map { #"{"id":"\#($0)"}"# }) }
        let own = (1...12).map { #"{"id":"\#(shop)\#($0)","title":"t"}"# }
        return listing(own + [#"{"id":"x","title":"\#(night).\#(number)"}"#])
      }
      let left = try await gallery.run(job, exchange, then: .day)
      #expect(!left.facts.units.contains { $0.certificate.cause == .ambiguousKey })
      #expect(try await gallery.proves())
      asked.append(exchange.asked.map(\.lastPart).filter { $0 != "shops" })
    }
    #expect(asked == [["a", "b"], ["b", "a"], [], []])
  }

  @Test("is not one record whose counter is older in some answers")
  func lagging() async throws {
    let gallery = Gallery()
    let job = try Self.mall("id,views integer", .all)
    for night in 1...4 {
      let exchange = ScriptedExchange.json { request, _ in
        let shop = request.lastPart
        let names = ["a", "b", "c"]
        if shop == "shops" { return listing(names.map { #"{"id":"\#($0)"}"# }) }
        let own = (1...12).map { #"{"id":"\#(shop)\#($0)","views":1}"# }
        let views = night * 10 + (shop == "b" ? 0 : 5)
        return listing(own + [#"{"id":"x","views":\#(views)}"#])
      }
      let left = try await gallery.run(job, exchange, then: .day)
      #expect(!left.facts.units.contains { $0.certificate.cause == .ambiguousKey }, "\(night)")
    }
  }
}
