import Base
import Crawl
import Store
import TestSupport
import Testing

@Suite("What is known of times and lists, where a job file is edited")
struct EditedCoverageTests {
  private static let paged = #"pages: { by: "single" }, total: "total counted", records: "items""#
  private static let columns =
    #"key: ["id"], columns: [{ id: "id as integer" }, { at: "at as time" }, "name"]"#
  private static let things = """
    things: { get: "/things", window: { from: "?since", to: "?until", on: "at" }, \(paged), \(columns) }
    """
  private static let again = #"again: { get: "/again", \#(paged), sameAs: "things" }"#

  private static func job(_ streams: String...) throws -> Job {
    try Job.file(streams.joined(separator: ", "), name: "a")
  }

  /// - Parameter more: a record that only the list without times has.
  private static func exchange(_ now: Instant, more: String? = nil) -> ScriptedExchange {
    .json { request, _ in
      let all = (1...6).map { (id: $0, at: now - Duration.day * ($0 * 3)) }
      var items = Notes.found(request, of: all).map {
        #"{"id":\#($0.id),"at":"\#($0.at)","name":"n\#($0.id)","bio":"b\#($0.id)"}"#
      }
      if request.lastPart == "again" { items += [more].compactMap(\.self) }
      // cut: a separate list
      if request.lastPart == "more" { items = Array(items.prefix(3)) }
      return listing(items, total: items.count)
    }
  }

  private static func coverage(_ gallery: Gallery) throws -> [String] {
    try gallery.rows(
      "SELECT covered_from, covered_to, verdict FROM trawl_coverage JOIN trawl_lists "
        + "USING (list_number) WHERE stream = 'things' ORDER BY 1")
  }

  private static func adopt(_ job: Job, in gallery: Gallery) async throws -> [String] {
    let messages = try await gallery.store { try await $0.adopt(job, origin: job.base.origin) }
    #expect(try await gallery.proves(), "\(messages)")
    return messages
  }

  @Test(
    "is kept where a stream of the same records leaves, or the message says that it is not",
    arguments: [nil, #"{"id":9,"at":null,"name":null}"#])
  func window(more: String?) async throws {
    let gallery = Gallery()
    let exchange = Self.exchange(gallery.time.now, more: more)
    let range = TimeWindow(
      from: gallery.time.now - Duration.day * 30, to: gallery.time.now - Duration.day * 2)
    let both = try Self.job(Self.things, Self.again)
    try await gallery.backfill(both, exchange, range, of: ["things"])
    _ = try await gallery.run(both, exchange) { $0.streams = ["again"] }
    #expect(try gallery.rows("SELECT DISTINCT list_part IS NULL FROM trawl_lists") == ["1"])
    let before = try Self.coverage(gallery)
    #expect(!before.isEmpty)
    let alone = try Self.job(Self.things)
    let messages = try await Self.adopt(alone, in: gallery)
    let isLost = messages.contains {
      $0 == "the stream things is read anew, its older times by: trawl backfill a"
    }
    #expect(isLost == (more != nil), "\(messages)")
    #expect(try Self.coverage(gallery) == (more == nil ? before : []))
    #expect(
      try gallery.rows("SELECT list_part FROM trawl_lists WHERE stream = 'things'") == ["0"])
    gallery.time.advance(by: .day)
    let left = try await gallery.run(alone, exchange)
    #expect(left.facts.outcome.kinds == [.asDeclared], "\(left.facts.outcome)")
    #expect(left.facts.warnings == [])
    #expect(try await gallery.proves())
    let after = try Self.coverage(gallery)
    #expect(!after.isEmpty)
    guard more == nil else { return }
    let begin = before.compactMap { $0.split(separator: "|").first }.min()
    #expect(after.compactMap { $0.split(separator: "|").first }.min() == begin, "\(after)")
  }

  @Test("is not claimed of a list whose stream left and whose rows nothing tells from others")
  func left() async throws {
    let gallery = Gallery()
    let exchange = Self.exchange(gallery.time.now)
    let more = """
      more: { get: "/more", \(Self.paged), into: "things", key: ["id"], \
      columns: [{ id: "id as integer" }, "bio"] }
      """
    func verdicts() async throws -> [String] {
      try await gallery.store { try await $0.citations() }
        .filter { $0.stream == "more" }.map(\.verdict)
    }
    let both = try Self.job(Self.things, more)
    _ = try await gallery.run(both, exchange)
    #expect(try await verdicts() == ["complete"])
    _ = try await Self.adopt(Self.job(Self.things), in: gallery)
    #expect(try await verdicts() == ["orphaned"])
    // Not all rows are its own.
    let messages = try await Self.adopt(both, in: gallery)
    #expect(messages.contains("the stream more is read anew"), "\(messages)")
    gallery.time.advance(by: .day)
    _ = try await gallery.run(both, exchange)
    #expect(try await verdicts() == ["complete"])
    #expect(try await gallery.proves())
  }

  @Test("is proven where a stream is called like what is special about a part of the digests")
  func found() async throws {
    let gallery = Gallery()
    let exchange = Self.exchange(gallery.time.now)
    func more(_ name: String, _ columns: String) -> String {
      """
      \(name) get: "/more", \(Self.paged), into: "things", key: ["id"], \
      columns: [{ id: "id as integer" }, \(columns)] }
      """
    }
    let nights = [
      more("more: {", #""name""#), more(#"found: { was: "more","#, #""name""#),
      more("found: {", #""name", "bio""#), more("found: {", #""name", "*""#),
    ]
    for night in nights {
      let job = try Self.job(Self.things, night)
      let messages = try await Self.adopt(job, in: gallery)
      let left = try await gallery.run(job, exchange, then: .day)
      #expect(left.facts.outcome.kinds == [.asDeclared], "\(messages) \(left.facts.outcome)")
      #expect(try await gallery.proves(), "\(messages)")
    }
  }

  @Test("has a hole where only an earlier request has read")
  func hole() async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    let exchange = Notes.whole(of: Notes.daily(30, before: now))
    func backfill(step: String, from: Int64, to: Int64) async throws {
      let job = try Notes.job(
        """
        window: { from: "?since", to: "?until", on: "at", step: "\(step)" },
        total: "total counted", pages: { by: "single" },
        """)
      let range = TimeWindow(from: now - Duration.day * from, to: now - Duration.day * to)
      try await gallery.backfill(job, exchange, range)
    }
    try await backfill(step: "1h", from: 30, to: 1)
    try await backfill(step: "1s", from: 30, to: 20)
    try await backfill(step: "1s", from: 10, to: 1)
    #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["unfinished"])
    try await backfill(step: "1s", from: 20, to: 10)
    #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["complete"])
    #expect(try await gallery.proves())
  }

  /// Those of its days or times.
  private static func found(_ request: Request, of notes: [Notes.Note]) -> [Notes.Note] {
    guard let since = request["since"], let until = request["until"], since.count == 10 else {
      return Notes.found(request, of: notes)
    }
    return notes.filter { "\($0.at)" >= since && "\($0.at)" <= until + "T23:59:59Z" }
  }

  @Test(
    "is asked for once more where a cap or a reach that ended it is another one now",
    arguments: [
      (#"step: "1s", reach: "30d""#, #"step: "1s", reach: "365d""#, 0, 0),
      (#"form: "date in UTC""#, #"form: "date in UTC""#, 5, 100),
    ])
  func settled(
    before: String, after: String, capBefore: Int, capAfter: Int
  ) async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    // Nine on one of the days.
    let notes =
      Notes.daily(90, before: now)
      + (100..<108).map { (id: $0, at: now - .seconds(2 * 86_400 + 7200)) }
    let cap = Locked(0)
    let exchange = ScriptedExchange.json { request, _ in
      let found = Self.found(request, of: notes)
      let most = cap.withLock { $0 }
      // cut: what the API gives of one list
      return listing(Notes.records(found.prefix(most == 0 ? .max : most)), total: found.count)
    }
    func stored(_ window: String, _ most: Int) async throws -> Int {
      cap.withLock { $0 = most }
      let named = most == 0 ? "" : "cap: \(most),"
      let job = try Notes.job(
        """
        window: { from: "?since", to: "?until", on: "at", \(window) }, total: "total counted",
        \(named) pages: { by: "single" },
        """)
      let range = TimeWindow(from: now - Duration.day * 90, to: now)
      try await gallery.backfill(job, exchange, range)
      return try gallery.rows("SELECT id FROM forge_notes").count
    }
    #expect(try await stored(before, capBefore) < 98)
    #expect(try await stored(after, capAfter) == 98)
    let asked = exchange.asked.count
    #expect(try await stored(after, capAfter) == 98)
    #expect(exchange.asked.count == asked)
    #expect(try await gallery.proves())
  }
}
