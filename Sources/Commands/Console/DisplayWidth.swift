/// How many columns a text takes on a terminal, by sums over its scalars. Where terminals differ
/// (families of emoji) it rather counts too much: a line that wraps would break the live block.
enum DisplayWidth {
  static func of(_ text: some StringProtocol) -> Int {
    var width = 0
    for character in text { width += of(character) }
    return width
  }

  static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // The variation selector that turns a sign into an emoji makes it wide.
      width += scalar.value == 0xfe0f ? (width == 1 ? 1 : 0) : Scalars.width(scalar)
    }
    return width
  }

  /// At most `columns` wide; where something is cut, the last column says so with `…`.
  static func truncated(_ text: String, to columns: Int) -> String {
    // Bytes are columns in plain text, which most is.
    if text.utf8.count <= columns { return text }
    guard columns > 0 else { return "" }
    var kept = ""
    var width = 0
    var end = (text: "", width: 0)
    for character in text {
      width += of(character)
      if width > columns { return end.text + "…" }
      kept.append(character)
      if width <= columns - 1 { end = (kept, width) }
    }
    return kept
  }

  /// Exactly `columns` wide: cut, or filled with blanks behind (or before, for numbers).
  static func fitted(_ text: String, to columns: Int, isRight: Bool = false) -> String {
    let cut = truncated(text, to: columns)
    let blanks = String(repeating: " ", count: max(0, columns - of(cut)))
    return isRight ? blanks + cut : cut + blanks
  }
}
