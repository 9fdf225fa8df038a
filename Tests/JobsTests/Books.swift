import Base
import Jobs

/// A valid little job, which tests break in one place each.
enum Books {
  static let text = """
    {
      name: "books",
      base: "https://api.example.com/v1",
      params: { topic: { default: ["sea"], pattern: "[a-z ]{1,40}", about: "small letters" } },
      quotas: { calls: { allow: 10, per: "minute" } },
      streams: {
        found: {
          get: "/search",
          query: { q: "{topic}" },
          spends: "calls",
          pages: { by: "number", to: "?page", size: "?n=10" },
          total: "count counted",
          records: "docs",
          into: "books",
          key: ["id"],
          columns: { id: "id", title: "title", made: "made as time", cover: "cover as url" },
          list: "hits",
        },
        details: {
          for: { each: "found.id", when: "changed" },
          get: "/books/{id}",
          records: ".",
          into: "books",
          key: ["id"],
          columns: { id: "id", pages: "pages as integer" },
        },
      },
    }

    """

  /// The text with one place changed, which must occur once.
  static func with(_ old: String, _ new: String) -> String {
    let parts = text.ranges(of: old)
    precondition(parts.count == 1, "\(old) is there \(parts.count) times")
    return text.replacing(old, with: new)
  }

  static func read(_ text: String, file: String = "books.json5") throws(JobFileError) -> Job {
    try JobFile.read(Array(text.utf8), file: file)
  }

  /// Every problem as printed; none for a valid file.
  static func problems(_ text: String, file: String = "books.json5") -> [String] {
    do throws(JobFileError) {
      _ = try read(text, file: file)
      return []
    } catch { return error.problems.map(\.description) }
  }
}
