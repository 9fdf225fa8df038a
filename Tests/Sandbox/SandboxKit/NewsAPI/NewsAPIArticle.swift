internal import Base

/// One synthetic article: everything is a function of the seed and the index.
struct NewsAPIArticle: Sendable {
  let index: Int
  let source: NewsAPISource
  let title: String
  let text: String
  let publishedAt: Instant
  /// It was withdrawn, and is a placeholder under an address that all such share.
  let isRemoved: Bool
  let bits: UInt64

  static let removedURL = "https://removed.com"

  init(
    _ index: Int, subject: String, source: NewsAPISource, publishedAt: Instant, isRemoved: Bool,
    seed: UInt64
  ) {
    self.index = index
    self.source = source
    self.publishedAt = publishedAt
    self.isRemoved = isRemoved
    bits = SeededRandom.mixed(seed ^ 0x6E_6577, UInt64(index))
    var random = SeededRandom(bits)
    title = "\(subject): \(random.pick(Self.turns)), \(index)"
    let count = 2 + random.below(5)
    let lines = (0..<count).map { _ in random.pick(Self.sentences) }
    text = "\(subject). " + lines.joined(separator: "\r\n")
  }

  /// The address, which identifies an article.
  var url: String {
    let slug = String(bits, radix: 36)
    return "https://news-\(source.number).example/\(day)/\(slug)-\(index)"
  }

  private var day: String {
    publishedAt.description.prefix(10).split(separator: "-").joined(separator: "/")
  }

  // About as often missing as in real answers, in both forms.

  var author: String? {
    switch bits % 12 {
    case 0, 1: nil
    case 2: ""
    case 3: "https://news-\(source.number).example/people"
    case 4: "Desk A, Desk B and Desk C"
    case 5: "<a href=\"/desk\">Desk</a>"
    default: "Desk \(bits % 7)"
    }
  }

  var summary: String? {
    switch (bits >> 8) % 48 {
    case 0: nil
    case 1: ""
    case 2..<6: "<p>\(text.prefix(90))</p>"
    default: String(text.prefix(140))
    }
  }

  var content: String? {
    switch (bits >> 16) % 10 {
    case 0, 1, 2: nil
    case 3: ""
    default: "\(text.prefix(200))… [+\(bits % 9000) chars]"
    }
  }

  enum Picture: Sendable { case none, blank, here }

  var picture: Picture {
    switch (bits >> 24) % 16 {
    case 0: .none
    case 1: .blank
    default: .here
    }
  }

  /// Now and then with seven fraction digits, or a zone other than Z.
  var publishedText: String {
    let whole = publishedAt.description
    switch (bits >> 32) % 17 {
    case 3: return whole.dropLast() + ".0000000Z"
    case 5: return whole.dropLast() + "+00:00"
    default: return whole
    }
  }

  private static let turns = [
    "what comes next", "a \"quiet\" release & its price", "한국에서 본 시각", "who pays?",
    "caf\u{E9} talk", "a year later", "three open questions", "100 % faster, they say",
    "the <b>bold</b> version", "Rückblick", "lessons & regrets",
  ]
  private static let sentences = [
    "Nobody expected the vote to be this close.", "The figures are not final.",
    "A spokesman declined to comment & left.", "자세한 내용은 아직 공개되지 않았다.",
    "It took the team eleven months and one rewrite.", "\"We will see,\" said the maintainers.",
    "More in the evening edition.",
  ]
}

/// A newspaper or a site. About half of them have no id.
struct NewsAPISource: Sendable {
  let number: Int
  let id: String?

  static let categories = [
    "business", "entertainment", "general", "health", "science", "sports", "technology",
  ]
  private static let languages = ["en", "en", "en", "en", "de", "en", "ko", "en"]

  /// Numbers below `listed` are known to `sources` and have an id.
  init(_ number: Int, listed: Int) {
    self.number = number
    id = number < listed ? "news-\(number)" : nil
  }

  var name: String { number % 5 == 3 ? "뉴스 \(number)" : "News No. \(number)" }
  var category: String { Self.categories[number % Self.categories.count] }
  var language: String { Self.languages[number % Self.languages.count] }
  var country: String { language == "en" ? "us" : language == "ko" ? "kr" : "de" }
  var url: String { "https://news-\(number).example" }
}
