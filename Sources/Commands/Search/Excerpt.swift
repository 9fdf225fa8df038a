/// The piece of a record's texts that shows why it was found.
enum Excerpt {
  /// Characters before and behind the word.
  private static let reach = 40
  /// Letters of a text that are looked at: what lies further is seldom worth showing.
  private static let textMax = 20_000

  /// Around the first word that the title does not show; nil where the title shows all of them.
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

  /// Case does not count.
  private static func place(of word: String, in letters: [Character]) -> Range<Int>? {
    let wanted = word.map { $0.lowercased() }
    guard let first = wanted.first, letters.count >= wanted.count else { return nil }
    for start in 0...(letters.count - wanted.count) where letters[start].lowercased() == first {
      let end = start + wanted.count
      if zip(letters[start..<end], wanted).allSatisfy({ $0.lowercased() == $1 }) {
        return start..<end
      }
    }
    return nil
  }
}
