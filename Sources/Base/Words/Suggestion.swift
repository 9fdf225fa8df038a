/// The word that was probably meant.
public enum Suggestion {
  /// Longer words are not compared, to bound the work.
  private static let bytesMax = 64

  /// The synonym of another program, or the nearest known word, if near enough: one slip in a short word, up to a third
  /// of a long one; the first of equally near ones. Else the only word with this prefix.
  public static func nearest(to word: String, in known: some Sequence<String>) -> String? {
    let known = Array(known)
    if let meant = Synonyms.meant(by: word, in: known), !known.contains(word) { return meant }
    let typed = folded(word)
    guard !typed.isEmpty, typed.count <= bytesMax else { return nil }
    var best: (word: String, distance: Int)?
    var begun: [String] = []
    for candidate in known where candidate.utf8.count <= bytesMax {
      let other = folded(candidate)
      if typed.count > 1, other.starts(with: typed) { begun.append(candidate) }
      let longest = max(typed.count, other.count)
      let distance = distance(typed, other)
      guard distance <= max(1, longest / 3), distance < longest else { continue }
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word ?? (begun.count == 1 ? begun[0] : nil)
  }

  /// `; did you mean "page"?`, or nothing.
  public static func clause(for word: String, in known: some Sequence<String>) -> String {
    nearest(to: word, in: known).map(clause) ?? ""
  }

  /// `; did you mean "page"?`, or else `; known here: a, b, c`.
  public static func clauseOrList(for word: String, in known: [String]) -> String {
    if let near = nearest(to: word, in: known) { return clause(near) }
    if known.isEmpty { return "; there are none" }
    let shown = known.prefix(12).joined(separator: ", ")
    return "; known here: \(shown)\(known.count > 12 ? ", …" : "")"
  }

  /// `; did you mean "page"?` for the word that was meant.
  public static func clause(_ meant: String) -> String { "; did you mean \"\(meant)\"?" }

  /// The edits from one word to the other: a letter added, removed, replaced, or two neighbours swapped.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var before: [Int] = []
    var last = Array(0...other.count)
    for row in 0..<one.count {
      var next = [row + 1]
      for column in 0..<other.count {
        let same = one[row] == other[column]
        var steps = min(last[column + 1] + 1, next[column] + 1, last[column] + (same ? 0 : 1))
        let isSwap =
          row > 0 && column > 0 && one[row] == other[column - 1] && one[row - 1] == other[column]
        if isSwap { steps = min(steps, before[column - 1] + 1) }
        next.append(steps)
      }
      before = last
      last = next
    }
    return last[other.count]
  }

  private static func folded(_ word: String) -> [UInt8] {
    word.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
  }
}
