internal import Base

/// The column that holds the URL of an image, and what is set on it before it is fetched: `cover_url?w=120`.
enum ImageText {
  static func read(_ text: String) -> (column: String, adding: [HeaderField])? {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (text, []) }
    let items = text[text.utf8.index(after: mark)...].split(
      separator: "&", omittingEmptySubsequences: false
    ).map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    guard (1...10).contains(items.count),
      items.allSatisfy({
        $0.count == 2 && TextForm.queryName.problem($0[0]) == nil && !$0[1].isEmpty
      })
    else { return nil }
    return (String(text[..<mark]), items.map { HeaderField($0[0], $0[1]) })
  }
}
