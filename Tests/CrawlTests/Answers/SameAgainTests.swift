import Base
@testable import Crawl
import TestSupport
import Testing

/// Answers that a retry cannot change.
@Suite("An answer that will not change")
struct SameAgainTests {
  private func job(record: Bool = false, feed: Bool = false) throws -> Job {
    var job = try Gallery().job(hasPictures: false)
    if record {
      job.streams[0].pager = .chain(
        NextPage(.record(LastRecord([try JSONPath("after")], isUnique: true)), parameter: "after"))
    }
    if feed {
      job.streams[0].readsFeed = true
      job.streams[0].pager = .single
    }
    return job
  }

  private static let sound = #"{"items":[{"id":1,"url":"u"}],"next":null}"#

  /// The requests of a run in the first night, and of one after the list was read before.
  private func asked(
    _ job: Job, sound: String, _ body: @escaping @Sendable (Int) -> String
  ) async throws -> [Int] {
    func run(_ gallery: Gallery, _ body: @escaping @Sendable (Int) -> String) async throws -> Int {
      let exchange = ScriptedExchange.json { _, number in body(number) }
      _ = try await gallery.run(job, exchange) { $0.fetchesImages = false }
      return exchange.asked.count
    }
    let first = try await run(Gallery(), body)
    let gallery = Gallery()
    _ = try await run(gallery) { _ in sound }
    return [first, try await run(gallery, body)]
  }

  @Test(
    "is refused at once on the first night where the job does not fit, else asked for three times")
  func same() async throws {
    let wrongNext = #"{"items":[{"id":1,"url":"u"}],"next":[1]}"#
    var counts = try await asked(job(), sound: Self.sound) { _ in wrongNext }
    #expect(counts == [1, 3])
    counts = try await asked(
      job(record: true), sound: #"{"items":[]}"#
    ) { _ in #"{"items":[{"id":1,"url":"u"}]}"# }
    #expect(counts == [1, 3])
    counts = try await asked(
      job(feed: true), sound: "<rss><channel><item><guid>1</guid></item></channel></rss>"
    ) { _ in "<rss><channel><item></channel></rss>" }
    #expect(counts == [3, 3])
  }

  @Test("may change where each is another one, or something else stands in its place")
  func others() async throws {
    let counts = try await asked(job(), sound: Self.sound) { number in
      number < 6 ? #"{"error":\#(number)}"# : Self.sound
    }
    #expect(counts[1] == 6)
    let pages = try await asked(job(), sound: Self.sound) { number in
      number < 6 ? "<html><body>Back soon</body></html>" : Self.sound
    }
    #expect(pages[1] == 6)
  }
}
