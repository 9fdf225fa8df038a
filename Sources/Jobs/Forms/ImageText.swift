internal import Base

/// The column with an image's URL, and query parameters to set before it is fetched: `cover_url?w=120`.
enum ImageText {
  static func read(_ text: String) -> (column: String, adding: [HeaderField])? {
    let (column, adding) = RequestText.parts(text)
    guard adding.count <= 10,
      adding.allSatisfy({ RequestText.isName($0.name) && !$0.value.isEmpty })
    else { return nil }
    return (column, adding.map { HeaderField($0.name, $0.value) })
  }
}
