internal import Base

/// Which articles a request wants, and their order.
struct NewsAPIFilter: Sendable {
  /// All of them must occur.
  private let words: [[UInt8]]
  private let sources: Set<String>
  private let language: String
  let from: Instant?
  let to: Instant?
  let order: String

  private static let queryBytesMax = 500
  private static let sourcesMax = 20

  init(_ query: Query, world: NewsAPIWorld) throws(Reply) {
    func list(_ name: String) -> Set<String> {
      Set((query[name] ?? "").split(separator: ",").map { String($0).trimmingBlanks })
    }
    func wrong(_ name: String) -> Reply { NewsAPIErrors.invalid(name, query[name] ?? "") }
    let asked = query["q"] ?? ""
    guard PercentEncoding.encoded(asked).utf8.count <= Self.queryBytesMax else { throw wrong("q") }
    words = asked.split(separator: " ").map { TextMatch.folded(String($0)) }
    sources = list("sources")
    guard sources.count <= Self.sourcesMax else { throw NewsAPIErrors.tooManySources }
    for id in sources.sorted() where !world.knows(source: id) {
      throw NewsAPIErrors.unknownSource(id)
    }
    language = query["language"] ?? ""
    from = try Self.time("from", query)
    to = try Self.time("to", query)
    order = query["sortBy"] ?? "publishedAt"
    guard ["relevancy", "popularity", "publishedAt"].contains(order) else { throw wrong("sortBy") }
  }

  /// In UTC if it has no zone; a day alone is its midnight.
  private static func time(_ name: String, _ query: Query) throws(Reply) -> Instant? {
    guard let text = query[name], !text.isEmpty else { return nil }
    for rest in ["", "Z", "T00:00:00Z"] {
      if let instant = Instant(rfc3339: text + rest) { return instant }
    }
    throw NewsAPIErrors.invalid(name, text)
  }

  /// Without words and sources everything would match.
  var isTooBroad: Bool { words.isEmpty && sources.isEmpty }

  var namesSources: Bool { !sources.isEmpty }

  func wants(_ slot: NewsAPIWorld.Slot) -> Bool {
    from.map { slot.at >= $0 } ?? true && to.map { slot.at <= $0 } ?? true
  }

  /// A withdrawn article is still found by its former text.
  func wants(_ article: NewsAPIArticle) -> Bool {
    if !language.isEmpty, article.language != language { return false }
    if !sources.isEmpty, !(article.source.id.map { sources.contains($0) } ?? false) { return false }
    let text = TextMatch.folded("\(article.title)\n\(article.text)")
    return words.allSatisfy { TextMatch.holds(text, $0) }
  }

  /// Newest first, or in an unpredictable order.
  func ordered(_ slots: [NewsAPIWorld.Slot], seed: UInt64) -> [NewsAPIWorld.Slot] {
    if order == "publishedAt" {
      return slots.sorted { ($0.at, $0.index, $0.copy) > ($1.at, $1.index, $1.copy) }
    }
    let salt = SeededRandom.digest(order.utf8, seed: seed)
    func rank(_ slot: NewsAPIWorld.Slot) -> UInt64 {
      SeededRandom.mixed(salt, UInt64(slot.index * 8 + slot.copy))
    }
    return slots.sorted { rank($0) < rank($1) }
  }
}
