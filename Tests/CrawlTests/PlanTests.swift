import Base
import Crawl
import TestSupport
import Testing
import Walk

@Suite("A plan")
struct PlanTests {
  private let gallery = Gallery()

  @Test("counts only what is due: by every rule by which the run asks", arguments: [1, 4])
  func children(batch: Int) async throws {
    let shelf = Shelf(parents: Array(1...10), batch: batch, when: .stale(.seconds(7 * 86_400)))
    let before = try await gallery.plan(shelf.job())
    #expect(before.parts.map(\.stream.name) == ["authors", "books"])
    #expect(before.parts[1].lists.isEmpty && before.parts[1].isOpen)
    _ = try await gallery.run(shelf)
    let fresh = try await gallery.plan(shelf.job()) { $0.streams = ["books"] }
    #expect(fresh.lists.isEmpty && fresh.parts[0].note.hasSuffix("; 0 of those stored now"))
    gallery.time.advance(by: .seconds(8 * 86_400))
    let plan = try await gallery.plan(shelf.job()) { $0.streams = ["books"] }
    // `status` says the same about what is due now.
    let status = try await gallery.due(shelf.job())
    #expect(status.map(\.count) == [10] && plan.parts.map(\.due) == [10])
    #expect(status.map(\.stream) == ["books"] && status.map(\.parent) == ["authors"])
    let exchange = shelf.exchange { _ in nil }
    _ = try await gallery.run(shelf.job(), exchange) { $0.streams = ["books"] }
    #expect(try await gallery.due(shelf.job()).isEmpty)
    #expect(plan.lists.map(\.isExact) == [true] && !plan.parts[0].isOpen)
    #expect(plan.lists.first?.requests == exchange.asked.count)
    #expect(plan.lists.first?.first == exchange.asked.first?.address)
  }

  @Test("of what each run asks for counts the parents that the run will bring again")
  func everyRun() async throws {
    let shelf = Shelf(parents: Array(1...6), when: .run)
    _ = try await gallery.run(shelf)
    let plan = try await gallery.plan(shelf.job())
    let exchange = shelf.exchange { _ in nil }
    _ = try await gallery.run(shelf.job(), exchange)
    #expect(plan.parts.map(\.due) == [nil, 6])
    #expect(plan.lists.compactMap(\.requests).reduce(0, +) == exchange.asked.count)
  }

  @Test("of lists for each parent holds each of them, in the run's order")
  func lists() async throws {
    var shelf = Shelf(parents: Array(1...6), when: .all, isPaged: true)
    _ = try await gallery.run(shelf) { $0 == 2 ? 400 : nil }
    let plan = try await gallery.plan(shelf.job()) { $0.streams = ["books"] }
    let exchange = shelf.exchange { _ in nil }
    _ = try await gallery.run(shelf.job(), exchange) { $0.streams = ["books"] }
    // What failed before comes last.
    #expect(plan.lists.count == 6)
    #expect(plan.lists.map(\.first) == exchange.asked.map(\.address))
    // What was not found waits, but not where the job asks elsewhere now.
    let absent = shelf.exchange { $0 == 2 ? 404 : nil }
    _ = try await gallery.run(shelf.job(), absent) { $0.streams = ["books"] }
    shelf.place = "/newbooks/"
    let moved = try await gallery.plan(shelf.job()) { $0.streams = ["books"] }
    #expect(moved.lists.count == 6 && moved.lists.allSatisfy { $0.first != nil })
  }

  @Test("with more parents than are read at once asks every one of them")
  func portions() async throws {
    let shelf = Shelf(parents: Array(1...5_200), batch: 50)
    let left = try await gallery.run(shelf)
    #expect(left.asked.count == 104)
    #expect(Set(left.asked.joined()) == Set(1...5_200))
    #expect(left.left.verdicts == [.complete, .complete])
  }

  @Test("and a run that reads parents in portions give each of them once, those that stay due too")
  func dueInPortions() async throws {
    let shelf = Shelf(parents: Array(1...23), isPaged: true)
    let exchange = shelf.exchange { _ in nil }
    _ = try await gallery.run(shelf.job(), exchange) { $0.streams = ["authors"] }
    let given = try await gallery.dueParents(shelf.job(), portion: 5)
    #expect(given == (1...23).map(String.init))
  }

  @Test("a look that leaves the rest of a batch stream due does not call it complete")
  func look() async throws {
    let shelf = Shelf(parents: Array(1...9), batch: 2)
    let exchange = shelf.exchange { _ in nil }
    let left = try await gallery.run(shelf.job(), exchange) { $0.unitsMax = 1 }
    // The plan of the next look has the same batches as the look itself.
    let plan = try await gallery.plan(shelf.job()) {
      ($0.unitsMax, $0.streams) = (1, ["books"])
    }
    let next = shelf.exchange { _ in nil }
    _ = try await gallery.run(shelf.job(), next) { ($0.unitsMax, $0.streams) = (1, ["books"]) }
    #expect(Shelf.asked(next) == [[3, 4]])
    #expect(plan.lists.map(\.first) == next.asked.map(\.address))
    #expect(plan.lists.map(\.requests) == [1])
    #expect(left.verdicts == [.complete, .paused])
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(Shelf.asked(exchange) == [[1, 2]])
  }

  @Test("of a list that was not found has no request of it until it is due again, nor has the run")
  func absent() async throws {
    let job = try Job("shop", Base.Stream("things", "/{q}"), with: ["q": ["a"]])
    let exchange = ScriptedExchange.answering { request, _ in .json(request, status: 404) }
    _ = try await gallery.run(job, exchange)
    let list = try #require(try await gallery.plan(job).lists.first)
    #expect(list.requests == 0 && list.isExact && list.first == nil)
    #expect(list.note.hasPrefix("was not found; it is requested again at "), "\(list.note)")
    _ = try await gallery.run(job, exchange)
    #expect(exchange.asked.count == 1)
  }

  @Test("of a range that was not found has none either, nor has the run, which tells of it once")
  func absentRange() async throws {
    var stream = try Base.Stream("things", "/things")
    stream.window = Window(from: "from", to: "to", column: nil, overlap: .zero)
    let job = try Job("shop", stream)
    let now = gallery.time.now
    let range = TimeWindow(from: now - Duration.day * 3, to: now - Duration.day)
    let exchange = ScriptedExchange.answering { request, _ in .json(request, status: 404) }
    let ends = Locked(0)
    func run() async throws {
      _ = try await gallery.run(job, exchange) {
        ($0.command, $0.window) = ("backfill", range)
      } tell: { event in
        if case .unitConcluded = event { ends.withLock { $0 += 1 } }
      }
    }
    try await run()
    let plan = try await gallery.plan(job) { ($0.command, $0.window) = ("backfill", range) }
    let list = try #require(plan.lists.first)
    #expect(list.requests == 0 && list.isExact && list.first == nil)
    #expect(list.note.hasPrefix("was not found; it is requested again at "), "\(list.note)")
    try await run()
    #expect(exchange.asked.count == 1 && ends.withLock { $0 } == 2)
  }

  @Test("is refused with a value under which the records of the job's own would be marked as gone")
  func otherValue() throws {
    var job = try Shelf(parents: [1]).job()
    job.streams[1].path = try #require(Template("/{lang}/books/{id}"))
    job.streams[1].marksVanished = true
    job.parameters = [Parameter(name: "lang", defaults: ["en"])]
    for (lang, isRefused) in [("en", false), ("de", true)] {
      var options = CrawlOptions()
      options.values = ["lang": [lang]]
      let lists = ListPlanner(job: job, options: options)
      var words = ""
      do { try lists.check() } catch { words = error.sentence }
      let refusal = "--set lang would have the records of another value marked"
      #expect(words.contains(refusal) == isRefused, "\(words)")
    }
  }

  @Test("takes the length of a list from the last night that read it to its end")
  func faultyNight() async throws {
    let job = try gallery.job(hasPictures: false)
    func night(isFaulty: Bool) async throws {
      let exchange = ScriptedExchange.json { request, _ in
        let from = request.number("token") ?? 0
        return isFaulty
          ? listing([], next: nil)
          : listing(
            (from..<from + 3).map { "{\"id\":\($0),\"url\":\"u\"}" },
            next: from < 9 ? "\(from + 3)" : nil)
      }
      _ = try await gallery.run(job, exchange, then: .day)
    }
    try await night(isFaulty: false)
    let before = try await gallery.plan(job).lists.first?.requests
    #expect(before ?? 0 >= 4)
    try await night(isFaulty: true)
    #expect(try await gallery.plan(job).lists.first?.requests == before)
  }
}
