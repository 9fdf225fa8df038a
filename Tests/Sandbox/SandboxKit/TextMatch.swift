/// How the imitated searches find words: byte by byte, without regard to the case of letters.
enum TextMatch {
  static func folded(_ text: String) -> [UInt8] { Array(text.lowercased().utf8) }

  /// Whether a folded text holds a folded word anywhere; an empty word is everywhere.
  static func holds(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    guard let first = word.first else { return true }
    guard word.count <= text.count else { return false }
    for start in 0...(text.count - word.count) where text[start] == first {
      if text[start..<(start + word.count)].elementsEqual(word) { return true }
    }
    return false
  }
}
