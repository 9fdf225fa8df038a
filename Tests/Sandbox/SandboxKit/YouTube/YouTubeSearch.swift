internal import Base

/// A search request: words, a time window, an order.
struct YouTubeSearch: Sendable {
  /// All filters as written: searches with equal texts are one list.
  let text: String
  /// In lower case; all of them must occur.
  private let words: [String]
  private let after: Instant?
  private let before: Instant?
  private let isByDate: Bool

  init(_ query: Query) throws(Reply) {
    let asked = query["q"] ?? ""
    words = asked.split(separator: " ").map { $0.lowercased() }
    after = try Self.time("publishedAfter", query)
    before = try Self.time("publishedBefore", query)
    // All other orders count as relevance, which is unpredictable too.
    isByDate = query["order"] == "date"
    let ends = [after, before].map { $0?.description ?? "" }
    text = ([asked, isByDate ? "date" : ""] + ends).joined(separator: "\n")
  }

  /// A time without a zone is refused.
  private static func time(_ name: String, _ query: Query) throws(Reply) -> Instant? {
    guard let text = query[name] else { return nil }
    // With its seconds.
    guard text.utf8.count >= 20, let instant = Instant(rfc3339: text) else {
      throw YouTubeErrors.invalid(name, text)
    }
    return instant
  }

  /// All places of the list, including those of deleted videos.
  func results(in world: YouTubeWorld) -> [Int] {
    let found = world.indices.filter { index in
      let at = world.publishedAt(index)
      return after.map { at >= $0 } ?? true && before.map { at < $0 } ?? true
        && holds(world.video(index))
    }
    return isByDate ? world.newestFirst(found) : byRelevance(found, seed: world.seed)
  }

  private func holds(_ video: YouTubeVideo) -> Bool {
    let text = "\(video.title)\n\(video.text)".lowercased()
    return words.allSatisfy { text.holds($0) }
  }

  private func byRelevance(_ found: [Int], seed: UInt64) -> [Int] {
    let salt = SeededRandom.digest(text.utf8, seed: seed)
    return found.map { (rank: SeededRandom.mixed(salt, UInt64($0)), index: $0) }
      .sorted { $0 < $1 }.map(\.index)
  }
}
