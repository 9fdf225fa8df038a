internal import Base

/// Which articles a request wants, and in which order.
struct NewsAPIFilter: Sendable {
  private let words: NewsAPIQuery?
  private let titleWords: NewsAPIQuery?
  private let fields: Set<String>
  private let sources: Set<String>
  private let domains: Set<String>
  private let excluded: Set<String>
  private let language: String
  let from: Instant?
  let to: Instant?
  let order: String

  private static let queryBytesMax = 500
  private static let sourcesMax = 20

  init(_ query: Query, world: NewsAPIWorld) throws(NewsAPIPage.Problem) {
    func list(_ name: String) -> Set<String> {
      Set((query[name] ?? "").split(separator: ",").map { String($0).trimmingBlanks })
    }
    func wrong(_ name: String) -> NewsAPIPage.Problem {
      NewsAPIPage.Problem(reply: NewsAPIErrors.invalid(name, query[name] ?? ""))
    }
    let asked = query["q"] ?? ""
    guard PercentEncoding.encoded(asked).utf8.count <= Self.queryBytesMax else { throw wrong("q") }
    words = asked.isEmpty ? nil : NewsAPIQuery(asked)
    titleWords = query["qInTitle"].flatMap { $0.isEmpty ? nil : NewsAPIQuery($0) }
    let named = list("searchIn")
    let known: Set<String> = ["title", "description", "content"]
    guard named.isSubset(of: known) else { throw wrong("searchIn") }
    fields = named.isEmpty ? known : named
    sources = list("sources")
    guard sources.count <= Self.sourcesMax else {
      throw NewsAPIPage.Problem(reply: NewsAPIErrors.tooManySources)
    }
    for id in sources.sorted() where !world.knows(source: id) {
      throw NewsAPIPage.Problem(reply: NewsAPIErrors.unknownSource(id))
    }
    domains = list("domains")
    excluded = list("excludeDomains")
    language = query["language"] ?? ""
    from = try Self.time("from", query)
    to = try Self.time("to", query)
    order = query["sortBy"] ?? "publishedAt"
    guard ["relevancy", "popularity", "publishedAt"].contains(order) else { throw wrong("sortBy") }
  }

  private static func time(
    _ name: String, _ query: Query
  ) throws(NewsAPIPage.Problem) -> Instant? {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let instant = TimeText.loose(text) else {
      throw NewsAPIPage.Problem(reply: NewsAPIErrors.invalid(name, text))
    }
    return instant
  }

  /// Without words, sources or domains everything would be wanted.
  var isTooBroad: Bool {
    words == nil && titleWords == nil && sources.isEmpty && domains.isEmpty
  }

  var namesSources: Bool { !sources.isEmpty }
  var hasWords: Bool { words != nil }

  func wants(_ slot: NewsAPIWorld.Slot) -> Bool {
    from.map { slot.at >= $0 } ?? true && to.map { slot.at <= $0 } ?? true
  }

  /// An article that was taken back is still found by what it once said.
  func wants(_ article: NewsAPIArticle) -> Bool {
    if !language.isEmpty, article.language != language { return false }
    if !sources.isEmpty, !(article.source.id.map { sources.contains($0) } ?? false) { return false }
    let domain = String(article.source.url.dropFirst("https://".utf8.count))
    if !domains.isEmpty, !domains.contains(domain) { return false }
    if excluded.contains(domain) { return false }
    if let titleWords, !titleWords.holds(in: article.title) { return false }
    guard let words else { return true }
    let title = fields.contains("title") ? article.title : ""
    let text = fields.isDisjoint(with: ["description", "content"]) ? "" : article.text
    return words.holds(in: "\(title)\n\(text)")
  }

  /// Newest first, or in an order that nobody can foretell.
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
