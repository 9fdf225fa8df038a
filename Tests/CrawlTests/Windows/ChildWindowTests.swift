import Base
import Crawl
import TestSupport
import Glibc
import Testing

@Suite("A window beside for")
struct ChildWindowTests {
  private static func shelf() -> (Gallery, BookServer) {
    let gallery = Gallery()
    let server = BookServer(gallery.time)
    for author in 1...3 {
      for number in 0..<3 {
        server.publish(author * 100 + number, by: author, ago: Duration.day * (20 + number))
      }
    }
    return (gallery, server)
  }

  private static func coverage(_ gallery: Gallery) throws -> [String] {
    try gallery.rows(
      "SELECT l.parameters, c.verdict, count(*) FROM trawl_coverage c JOIN trawl_lists l "
        + "USING (list_number) WHERE l.stream = 'books' GROUP BY 1, 2 ORDER BY 1")
  }

  @Test("reads each list whole once, and from then on asks each for the rest of its own time")
  func incremental() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job()
    _ = try await gallery.run(job, server.exchange, then: .day)
    #expect(Set(server.asked()) == ["1", "2", "3"])
    _ = try await gallery.run(job, server.exchange)
    _ = server.asked()
    let start = gallery.time.now.seconds
    gallery.time.advance(by: .day)
    server.publish(203, by: 2, ago: .seconds(60))
    server.publish(401, by: 4, ago: Duration.day * 300)
    let plan = try await gallery.plan(job) { $0.streams = ["books"] }
    #expect(plan.lists.compactMap(\.range).count == 3)
    let exchange = server.exchange
    let left = try await gallery.run(job, exchange)
    let asked = server.asked()
    // Nothing came in the night before, so it is requested again.
    let rest = "from \(start - 86_400 - 3600) to"
    // A new record is read whole; the others from their own ends on, minus the overlap.
    #expect(asked.filter { $0 == "4" }.count == 1)
    #expect(asked.filter { $0.contains(rest) }.count == 3, "\(asked)")
    #expect(asked.count == 4)
    #expect(left.verdicts.allSatisfy { $0 == .complete }, "\(left.verdicts)")
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(try gallery.books() == server.ids)
    #expect(try Self.coverage(gallery) == (1...4).map { "id=\($0)|complete|1" })
  }

  @Test("is proven by its third night where no answer counts its records, and keeps the proof")
  func provenWithoutTotal() async throws {
    let (gallery, server) = Self.shelf()
    server.publish(404, by: 4, ago: Duration.day * 30)
    server.publish(405, by: 4, ago: Duration.day * 31)
    var job = try server.job()
    job.streams[1].total = nil
    for night in 0..<5 {
      let left = try await gallery.run(job, server.exchange, then: .day)
      let isProven = left.verdicts.allSatisfy { $0 == .complete }
      #expect(isProven || night < 2, "night \(night): \(left.verdicts)")
      #expect(try await gallery.proves())
    }
    let since = server.asked().filter { $0.contains("from") }
    #expect(!since.isEmpty, "what is proven is asked for what is new alone")
    #expect(try gallery.books() == server.ids)
  }

  @Test("that moves in every night is read whole on three of them, and then once in 30 days")
  func neverProven() async throws {
    let (gallery, server) = Self.shelf()
    var job = try server.job()
    job.streams[1].total = nil
    var whole: [Int] = []
    for night in 0..<63 {
      server.publish(1_000 + night, by: 1, ago: .seconds(60))
      _ = try await gallery.run(job, server.exchange, then: .day)
      if server.asked().contains(where: { $0.hasPrefix("1") && !$0.contains("from") }) {
        whole.append(night)
      }
    }
    #expect(whole.count <= 6 && whole.contains { $0 >= 30 }, "\(whole)")
    #expect(try gallery.books() == server.ids)
  }

  @Test("is filled by a backfill for every record that is stored, due or not, once")
  func backfill() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(when: .new)
    _ = try await gallery.run(job, server.exchange)
    _ = server.asked()
    // What was read with another mapping is not covered: the whole range is open.
    try gallery.change("DELETE FROM trawl_coverage")
    let range = TimeWindow(
      from: gallery.time.now - Duration.day * 30, to: gallery.time.now - Duration.day * 10)
    let plan = try await gallery.plan(job) { ($0.window, $0.streams) = (range, ["books"]) }
    #expect(plan.lists.count == 3 && plan.parts[0].due == 3)
    let first = server.exchange
    let filled = try await gallery.backfill(job, first, range, of: ["books"])
    #expect(filled.verdicts == [.complete, .complete, .complete])
    #expect(plan.lists.first?.first == first.asked.first?.address)
    #expect(
      Set(server.asked().compactMap { $0.split(separator: " ").first }) == ["1", "2", "3"])
    let again = server.exchange
    try await gallery.backfill(job, again, range, of: ["books"])
    #expect(again.asked.isEmpty)
    #expect(filled.facts.coverage.count == 3)
    #expect(try gallery.books() == server.ids)
  }

  @Test(
    "does not take a parent for asked that a backfill has filled: what is new since is still due")
  func filledIsNotAsked() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(when: .new)
    _ = try await gallery.run(job, server.exchange) { $0.streams = ["authors"] }
    let range = TimeWindow(
      from: gallery.time.now - Duration.day * 30, to: gallery.time.now - Duration.day)
    try await gallery.backfill(job, server.exchange, range, of: ["books"])
    _ = server.asked()
    server.publish(199, by: 1, ago: .seconds(7200))
    _ = try await gallery.run(job, server.exchange, then: .day)
    #expect(
      server.asked().allSatisfy { $0.contains("from \((range.to - .seconds(3600)).seconds)") })
    #expect(try gallery.books() == server.ids)
    // Each was requested now.
    _ = try await gallery.run(job, server.exchange)
    #expect(server.asked().isEmpty)
  }

  @Test(
    "that its address needs rests until a backfill begins it, and holds up no round of the others")
  func rests() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(needsWindow: true)
    let first = try await gallery.run(job, server.exchange)
    #expect(server.asked().isEmpty && first.facts.outcome.kinds == [.asDeclared])
    #expect(try await gallery.due(job).isEmpty)
    let plan = try await gallery.plan(job) { $0.streams = ["books"] }
    #expect(plan.parts[0].lists.isEmpty && plan.parts[0].note.contains("trawl backfill shelf"))
    let range = TimeWindow(from: gallery.time.now - Duration.day * 30, to: gallery.time.now)
    try await gallery.backfill(job, server.exchange, range, of: ["books"])
    gallery.time.advance(by: .day)
    _ = try await gallery.run(job, server.exchange)
    _ = server.asked()
    server.add(author: 9)
    for _ in 1...3 {
      gallery.time.advance(by: .day)
      _ = try await gallery.run(job, server.exchange)
      let asked = server.asked().compactMap { $0.split(separator: " ").first }
      #expect(Set(asked) == ["1", "2", "3"])
    }
    #expect(try await gallery.due(job).map(\.count) == [3])
    #expect(try gallery.missed() == [])
  }

  @Test("leaves a list that failed due, and reads what it missed when it is back")
  func failure() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(when: .stale(.day))
    _ = try await gallery.run(job, server.exchange)
    gallery.time.advance(by: Duration.day * 2)
    server.publish(250, by: 2, ago: .seconds(600))
    server.answer(2, with: 400)
    let failed = try await gallery.run(job, server.exchange)
    #expect(failed.verdicts.contains(.failed))
    #expect(try await gallery.due(job).map(\.count) == [1])
    server.answer(2, with: nil)
    _ = server.asked()
    gallery.time.advance(by: .seconds(3600))
    let mended = try await gallery.run(job, server.exchange) { $0.streams = ["books"] }
    #expect(mended.verdicts == [.complete])
    #expect(Set(server.asked().compactMap { $0.split(separator: " ").first }) == ["2"])
    #expect(try gallery.books() == server.ids)
    #expect(try Self.coverage(gallery) == (1...3).map { "id=\($0)|complete|1" })
  }

  @Test("is not held against the number of the whole list's records")
  func expectation() async throws {
    let (gallery, server) = Self.shelf()
    for id in 110..<170 { server.publish(id, by: 1, ago: Duration.day * 25) }
    let job = try server.job(expects: true)
    _ = try await gallery.run(job, server.exchange, then: .day)
    let quiet = try await gallery.run(job, server.exchange)
    #expect(
      quiet.verdicts.allSatisfy { $0 == .complete }, "\(quiet.facts.units.map(\.certificate.why))")
  }

  @Test("may be of one answer: each record's list is then one of its own, with its own coverage")
  func singleAnswers() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(isPaged: false)
    _ = try await gallery.run(job, server.exchange, then: .day)
    _ = server.asked()
    server.publish(333, by: 3, ago: .seconds(60))
    let left = try await gallery.run(job, server.exchange)
    #expect(server.asked().allSatisfy { $0.contains("from") })
    #expect(left.verdicts.allSatisfy { $0 == .complete })
    #expect(try gallery.books() == server.ids)
    #expect(try Self.coverage(gallery) == (1...3).map { "id=\($0)|complete|1" })
  }

  @Test("reads all again for a refill, and is proven after it")
  func refill() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(when: .new)
    _ = try await gallery.run(job, server.exchange)
    _ = server.asked()
    let left = try await gallery.run(job, server.exchange) { $0.isRefill = true }
    #expect(Set(server.asked()) == ["1", "2", "3"])
    #expect(left.verdicts.allSatisfy { $0 == .complete })
    #expect(try await gallery.proves())
  }

  static let kills: [(FaultPoint.Place, Int)] =
    [FaultPoint.Place.beforePageCommit, .afterPageCommit, .beforeCertificate, .afterCertificate]
    .flatMap { place in [1, 2, 4].map { (place, $0) } }

  @Test("goes on behind a kill at each place of a run", arguments: kills)
  func killed(place: FaultPoint.Place, visit: Int) async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job()
    _ = try await gallery.run(job, server.exchange)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = gallery.path as String, place = place.rawValue as String, visit = visit as Int] in
      let gallery = Gallery(in: path)
      let (_, server) = Self.shelf()
      gallery.time.advance(by: .day)
      server.publish(299, by: 2)
      _ = try await gallery.run(
        server.job(), server.exchange, faults: .killing(at: place, visit: visit))
    }
    gallery.time.advance(by: .day)
    server.publish(299, by: 2, ago: .day)
    let left = try await gallery.run(job, server.exchange)
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(try gallery.books() == server.ids)
    #expect(try Self.coverage(gallery) == (1...3).map { "id=\($0)|complete|1" })
    #expect(try await gallery.proves())
  }

  // MARK: kills within a backfill

  /// Nine books each, so that several pages of a list are in flight.
  private static func fullShelf() -> (Gallery, BookServer) {
    let (gallery, server) = shelf()
    for author in 1...3 {
      for number in 3..<9 {
        server.publish(
          author * 100 + number, by: author, ago: Duration.day * 15 + .seconds(3600 * number))
      }
    }
    return (gallery, server)
  }

  private static func backfill(
    _ gallery: Gallery, _ server: BookServer, atOnce: Int, faults: FaultPoint = .none
  ) async throws -> Gallery.Left {
    var job = try server.job(when: .new)
    job.atOnce = atOnce
    let now = VirtualTime().now
    let range = TimeWindow(from: now - Duration.day * 30, to: now - Duration.day * 10)
    return try await gallery.backfill(
      job, server.exchange, range, of: ["books"], faults: faults)
  }

  static let fillKills: [(FaultPoint.Place, Int, Int)] =
    [1, 4].flatMap { atOnce in
      [FaultPoint.Place.beforePageCommit, .afterPageCommit].flatMap { place in
        [1, 4, 9].map { (place, $0, atOnce) }
      }
        + [FaultPoint.Place.beforeCertificate, .afterCertificate].flatMap { place in
          [1, 3].map { (place, $0, atOnce) }
        }
    }

  @Test(
    "is filled behind a kill at each place of a backfill, of one request at a time and of several",
    arguments: fillKills)
  func killedFilling(place: FaultPoint.Place, visit: Int, atOnce: Int) async throws {
    let (gallery, server) = Self.fullShelf()
    _ = try await gallery.run(server.job(when: .new), server.exchange) { $0.streams = ["authors"] }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        path = gallery.path as String, place = place.rawValue as String, visit = visit as Int,
        atOnce = atOnce as Int
      ] in
      let (_, server) = Self.fullShelf()
      _ = try await Self.backfill(
        Gallery(in: path), server, atOnce: atOnce, faults: .killing(at: place, visit: visit))
    }
    let done = Set(try Self.coverage(gallery).filter { $0.contains("|complete|") })
    _ = server.asked()
    gallery.time.advance(by: .seconds(600))
    let left = try await Self.backfill(gallery, server, atOnce: atOnce)
    #expect(left.facts.outcome.kinds == [.asDeclared], "\(left.facts.outcome)")
    let asked = Set(server.asked().compactMap { $0.split(separator: " ").first.map(String.init) })
    // What a certificate covers is not requested again.
    for author in asked {
      #expect(!done.contains("id=\(author)|complete|1"), "\(asked) behind \(done)")
    }
    #expect(try gallery.books() == server.ids)
    #expect(try Self.coverage(gallery) == (1...3).map { "id=\($0)|complete|1" })
    #expect(try await gallery.proves())
    // And nothing is left open.
    _ = try await Self.backfill(gallery, server, atOnce: atOnce)
    #expect(server.asked().isEmpty)
  }

  @Test("covers nothing where the server's clock stands before it, and the file proves that")
  func otherClock() async throws {
    let gallery = Gallery()
    var stream = try Base.Stream(whole: "things", "/things", "id integer, at time")
    stream.window = Window(from: "since", to: nil, form: .seconds, column: "at", overlap: .zero)
    let job = try Job("shelf", stream)
    let item = #"{"id":1,"at":"\#(gallery.time.now)"}"#
    for (later, behind) in [(0, 0), (3, 30), (86_400, 0)] as [(Int64, Int64)] {
      gallery.time.advance(by: .seconds(later))
      let date = CivilTime(gallery.time.now - .seconds(behind)).httpDate
      let exchange = ScriptedExchange.answering { request, _ in
        .json(request, listing([item]), [HeaderField("Date", date)])
      }
      let left = try await gallery.run(job, exchange)
      #expect(left.verdicts == [.complete])
      #expect(exchange.asked.contains { $0["since"] != nil } == (later > 0))
      #expect(try await gallery.proves(), "\(later)")
    }
  }
}
