/// How the imitated searches find words: byte by byte, ignoring case.
enum TextMatch {
  static func folded(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }

  /// Whether a folded text contains a folded word; an empty word always matches.
  static func holds(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    guard let first = word.first else { return true }
    guard word.count <= text.count else { return false }
    for start in 0...(text.count - word.count) where text[start] == first {
      if text[start..<(start + word.count)].elementsEqual(word) { return true }
    }
    return false
  }
}
