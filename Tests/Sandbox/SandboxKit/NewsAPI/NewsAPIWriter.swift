internal import Base

/// Writes articles and sources as NewsAPI does.
struct NewsAPIWriter: Sendable {
  let media: MediaLibrary

  static let mediaSet = "news"

  /// A resizer's address contains that of the original picture.
  static func imageSuffix(_ article: NewsAPIArticle) -> String {
    guard (article.bits >> 40) % 10 == 0 else { return "" }
    let inner = PercentEncoding.encoded("\(article.source.url)/a picture|1.jpg")
    return "?w=800&src=\(inner)"
  }

  /// A `copy` above 0 is the same article again: its address may have another end.
  func write(_ article: NewsAPIArticle, copy: Int, to json: inout JSONWriter) {
    if article.isRemoved { return writeRemoved(to: &json) }
    let tails = ["", "", "?utm_source=feed&utm_medium=rss", "#comments"]
    json.object { json in
      source(article.source.id, article.source.name, to: &json)
      json.member("author", article.author)
      json.member("title", article.title)
      json.member("description", article.summary)
      json.member("url", article.url + tails[copy % tails.count])
      switch article.picture {
      case .none: json.member("urlToImage", String?.none)
      case .blank: json.member("urlToImage", "")
      case .here:
        let url = media.url(Self.mediaSet, String(article.index))
        json.member("urlToImage", url + Self.imageSuffix(article))
      }
      json.member("publishedAt", article.publishedText)
      json.member("content", article.content)
    }
  }

  /// All placeholders are equal.
  private func writeRemoved(to json: inout JSONWriter) {
    json.object { json in
      source(nil, "[Removed]", to: &json)
      json.member("author", String?.none)
      json.member("title", "[Removed]")
      json.member("description", "[Removed]")
      json.member("url", NewsAPIArticle.removedURL)
      json.member("urlToImage", String?.none)
      json.member("publishedAt", "1970-01-01T00:00:00Z")
      json.member("content", "[Removed]")
    }
  }

  private func source(_ id: String?, _ name: String, to json: inout JSONWriter) {
    json.object("source") { json in
      json.member("id", id)
      json.member("name", name)
    }
  }

  func write(_ source: NewsAPISource, to json: inout JSONWriter) {
    json.object { json in
      json.member("id", source.id)
      json.member("name", source.name)
      json.member("description", "What \(source.name) writes about \(source.category).")
      json.member("url", source.url)
      json.member("category", source.category)
      json.member("language", source.language)
      json.member("country", source.country)
    }
  }
}
