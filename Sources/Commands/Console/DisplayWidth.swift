/// How terminals treat single Unicode scalars.
enum Scalars {
  /// A mark that combines with the letter before it.
  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300 else { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// Zero width joiner and non-joiner: invisible in Latin, needed in emoji and some scripts.
  static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0x200c || scalar.value == 0x200d
  }

  static func mayJoin(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
    (isEmoji(left) && isEmoji(right)) || (isJoiningScript(left) && isJoiningScript(right))
  }

  private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 0x2000 && scalar.properties.isEmoji
  }

  /// Arabic, Syriac and the scripts of India.
  private static func isJoiningScript(_ scalar: Unicode.Scalar) -> Bool {
    (0x620...0x8ff).contains(scalar.value) || (0x900...0xdff).contains(scalar.value)
  }

  /// Columns on a terminal: 0 for marks, 2 for East Asian wide characters and emoji, else 1.
  static func width(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value >= 0x20 && !(0x7f..<0xa0).contains(value) ? 1 : 0 }
    if isMark(scalar) || scalar.properties.generalCategory == .format { return 0 }
    // Vowels and finals of a decomposed Korean syllable.
    if (0x1160...0x11ff).contains(value) { return 0 }
    if value < 0x1100 { return 1 }
    return isWide(scalar) ? 2 : 1
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
      0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19,
      0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x17000...0x18aff, 0x1b000...0x1b2ff,
      0x1f1e6...0x1f1ff, 0x20000...0x2fffd, 0x30000...0x3fffd:
      return true
    default:
      return scalar.properties.isEmojiPresentation
    }
  }
}

/// The columns that a text takes on a terminal, summed over scalars. If terminals differ (emoji families), rather too
/// many: a wrapped line would break the live block.
enum DisplayWidth {
  static func of(_ text: some StringProtocol) -> Int {
    var width = 0
    for character in text { width += of(character) }
    return width
  }

  static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // The emoji variation selector makes a character wide.
      width += scalar.value == 0xfe0f ? (width == 1 ? 1 : 0) : Scalars.width(scalar)
    }
    return width
  }

  /// At most `columns` wide; if cut, it ends with `…`.
  static func truncated(_ text: String, to columns: Int) -> String {
    // For ASCII, the usual case, bytes are columns.
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

  /// Exactly `columns` wide: cut, or padded with blanks (for numbers on the left).
  static func fitted(_ text: String, to columns: Int, isRight: Bool = false) -> String {
    let cut = truncated(text, to: columns)
    let blanks = String(repeating: " ", count: max(0, columns - of(cut)))
    return isRight ? blanks + cut : cut + blanks
  }
}
