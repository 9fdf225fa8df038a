internal import Base

/// Which articles a request wants.
struct NewsAPIFilter: Sendable {
  /// In lower case; all of them must occur.
  private let words: [String]
  let from: Instant?
  private let to: Instant?

  private static let queryBytesMax = 500

  init(_ query: Query) throws(Reply) {
    let asked = query["q"] ?? ""
    guard PercentEncoding.encoded(asked).utf8.count <= Self.queryBytesMax else {
      throw NewsAPIErrors.invalid("q", asked)
    }
    words = asked.split(separator: " ").map { $0.lowercased() }
    from = try Self.time("from", query)
    to = try Self.time("to", query)
  }

  /// In UTC if it has no zone; a day alone is its midnight.
  private static func time(_ name: String, _ query: Query) throws(Reply) -> Instant? {
    guard let text = query[name], !text.isEmpty else { return nil }
    for rest in ["", "Z", "T00:00:00Z"] {
      if let instant = Instant(rfc3339: text + rest) { return instant }
    }
    throw NewsAPIErrors.invalid(name, text)
  }

  /// Without words everything would match.
  var isTooBroad: Bool { words.isEmpty }

  func wants(_ slot: NewsAPIWorld.Slot) -> Bool {
    from.map { slot.at >= $0 } ?? true && to.map { slot.at <= $0 } ?? true
  }

  /// A withdrawn article is still found by its former text.
  func wants(_ article: NewsAPIArticle) -> Bool {
    let text = "\(article.title)\n\(article.text)".lowercased()
    return words.allSatisfy { text.holds($0) }
  }
}
