internal import Base
internal import Store

/// `trawl search WORD…`: records in the database that contain all the words. Sends no request.
struct SearchCommand: Sendable {
  let context: CommandContext

  /// A word may have up to 200 characters: a phrase, not a document.
  private static let wordsMax = 16
  private static let charactersMax = 200

  func perform() async throws -> ExitStatus {
    let words = try Self.checked(context.invocation.operands)
    let job = try context.invocation.text(.job).map { try context.jobName($0) }
    let location = try context.locationForReading()
    let store = try await context.storeThatIsThere(location)
    let limit = context.invocation.count(.limit) ?? 20
    let found = try await context.use(store) {
      if let job { try await store.require(job) }
      return try await store.search(words, in: job, limit: limit)
    }
    for hit in found.hits {
      if context.console.isOutputClosed { break }
      show(hit, words)
    }
    tell(found, limit)
    return .complete
  }

  /// Drops empty words.
  static func checked(_ words: [String]) throws(ExitReport) -> [String] {
    let words = words.filter { !$0.isEmpty }
    guard !words.isEmpty else { throw ExitReport(.usage, "an empty word is in every record") }
    guard words.count <= wordsMax else {
      throw ExitReport(.usage, "a search takes up to \(wordsMax) words, not \(words.count)")
    }
    if words.contains(where: { $0.unicodeScalars.count > charactersMax }) {
      throw ExitReport(.usage, "a word may have up to \(charactersMax) characters")
    }
    return words
  }

  private func show(_ hit: SearchHit, _ words: [String]) {
    let excerpt = Excerpt.holding(words, of: hit.texts.compactMap { $0 }, besides: hit.title)
    if context.invocation.has(.json) {
      context.console.printJSON(Self.document(hit, excerpt))
      return
    }
    let gone = hit.vanishedAt.map { "  (vanished \($0))" } ?? ""
    // Not shown if it is the title or the link.
    let key = [hit.title ?? hit.key, hit.link].contains(hit.key) ? "" : " \(hit.key)"
    context.console.print("\(hit.title ?? hit.key, .bold)  \("\(hit.table)\(key)\(gone)", .dim)")
    if let excerpt { context.console.print("  \(excerpt)") }
    if let link = hit.link { context.console.print("  \(link)") }
  }

  static func document(_ hit: SearchHit, _ excerpt: String?) -> JSONObject {
    [
      "job": hit.job, "table": hit.table, "key": hit.key, "title": hit.title,
      "excerpt": excerpt, "link": hit.link, "image_path": hit.imagePath,
      "published_at": hit.publishedAt, "vanished_at": hit.vanishedAt,
    ]
  }

  /// Where no table has columns that can be searched.
  static let nothing =
    "nothing here can be searched: a stream says by its \"search\" which columns are"

  private func tell(_ found: SearchResult, _ limit: Int) {
    if found.tables.isEmpty {
      context.console.tell("\(Self.nothing)")
    } else if found.hits.isEmpty {
      let columns = found.tables.sorted { $0.key < $1.key }
        .map { "\($0.key) (\($0.value.joined(separator: ", ")))" }
      context.console.tell("nothing found in \(columns.joined(separator: ", "))")
    } else if found.hasMore {
      context.console.tell("there are more than \(limit): --limit N shows them")
    }
  }
}

/// The part of a record's text that shows why it was found.
enum Excerpt {
  /// Characters before and after the word.
  private static let reach = 40
  /// Characters of a text that are searched; what follows is seldom worth showing.
  private static let textMax = 20_000

  /// Around the first word that is not in the title; nil if all are.
  static func holding(_ words: [String], of texts: [String], besides title: String?) -> String? {
    for word in words where title.map({ place(of: word, in: Array($0)) == nil }) ?? true {
      for text in texts {
        let letters = Array(text.prefix(textMax))
        guard let place = place(of: word, in: letters) else { continue }
        let start = max(0, place.lowerBound - reach)
        let end = min(letters.count, place.upperBound + reach)
        let piece = String(letters[start..<end].map { $0.isWhitespace ? " " : $0 })
        return (start > 0 ? "…" : "") + piece + (end < letters.count ? "…" : "")
      }
    }
    return nil
  }

  /// Ignores case.
  private static func place(of word: String, in letters: [Character]) -> Range<Int>? {
    letters.lazy.map { $0.lowercased() }.firstRange(of: word.map { $0.lowercased() })
  }
}
