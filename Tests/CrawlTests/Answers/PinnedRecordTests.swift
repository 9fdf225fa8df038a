import Base
import Crawl
import TestSupport
import Testing

@Suite("Old records that stand before the newest ones")
struct PinnedRecordTests {
  private static let size = 3

  private static func job(isCounted: Bool) throws -> Job {
    let tokens = Pager.token(parameter: "page", next: try JSONPath("next"))
    var stream = try Base.Stream(
      "posts", "/posts", "id, at time", by: isCounted ? .numbers : tokens)
    stream.size = PageSize(parameter: nil, value: size)
    stream.newestFirst = "at"
    if isCounted { stream.total = try .told(.counted) }
    return try Job("pinned", stream)
  }

  private static func exchange(_ posts: [(id: String, at: Instant)]) -> ScriptedExchange {
    .json { request, _ in
      let page = request.number("page") ?? 1
      let part = posts.dropFirst(max(0, page - 1) * size).prefix(size)
      return listing(
        part.map { #"{"id":"\#($0.id)","at":"\#($0.at)"}"# },
        next: posts.count > page * size ? "\(page + 1)" : nil, total: posts.count)
    }
  }

  @Test(
    "hide nothing that is new, however many they are, and from whichever night on they stand there",
    arguments: [false, true], 0...5)
  func pinned(isCounted: Bool, pins: Int) async throws {
    for pinnedFrom in 0..<3 {
      let gallery = Gallery()
      let begin = gallery.time.now
      var posts = (0..<12).map { (id: "o\($0)", at: begin - .seconds(172_800 + Int64($0) * 60)) }
      let pinned = posts[5..<(5 + pins)]
      var requests = 0
      for night in 0..<6 {
        if night > 1 {
          let now = gallery.time.now
          posts =
            (0..<4).map { (id: "n\(night).\($0)", at: now - .seconds(60 + Int64($0))) } + posts
        }
        let names = Set(pinned.map(\.id))
        let shown =
          night < pinnedFrom ? posts : Array(pinned) + posts.filter { !names.contains($0.id) }
        let left = try await gallery.run(
          try Self.job(isCounted: isCounted), Self.exchange(shown), then: .day)
        requests = left.facts.requests.sent
        let rows = Set(try gallery.rows("SELECT id FROM pinned_posts"))
        // A total shows each night that the list is whole.
        #expect(left.verdicts == [.complete] || !isCounted)
        // Two pages of pins only are believed if no walk has seen what follows them.
        if left.verdicts == [.complete], pins <= Self.size || pinnedFrom == 0 {
          #expect(rows == Set(posts.map(\.id)), "pins from night \(pinnedFrom), night \(night)")
        }
        #expect(try await gallery.proves())
      }
      // Without pins the front is enough.
      if pins == 0 { #expect(requests < 8, "\(requests)") }
    }
  }
}
