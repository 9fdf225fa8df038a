internal import Base

/// An order: `id falling`.
enum OrderText {
  static func read(_ text: String) -> (column: String, direction: ListOrder.Direction)? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, PlainName.isPlain(String(words[0]), lengthMax: 63),
      let direction = ListOrder.Direction(rawValue: String(words[1]))
    else { return nil }
    return (String(words[0]), direction)
  }
}
