/// The word that somebody probably meant.
public enum Suggestion {
  /// Words longer than this are not compared.
  private static let lengthMax = 64

  /// The nearest of the known words, if it is near: one slip in a short word, up to a third of a
  /// long one. Of equally near ones the first.
  public static func nearest(to word: String, in known: some Sequence<String>) -> String? {
    let typed = Array(word.lowercased().utf8)
    guard !typed.isEmpty, typed.count <= lengthMax else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in known where candidate.utf8.count <= lengthMax {
      let other = Array(candidate.lowercased().utf8)
      let allowed = max(1, max(typed.count, other.count) / 3)
      let distance = distance(typed, other)
      guard distance <= allowed, distance < max(typed.count, other.count) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.word
  }

  /// `; did you mean "page"?`, or nothing.
  static func clause(for word: String, in known: some Sequence<String>) -> String {
    nearest(to: word, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
  }

  /// `; did you mean "page"?`, or else `; known here: a, b, c`.
  static func clauseOrList(for word: String, in known: [String]) -> String {
    if let near = nearest(to: word, in: known) { return "; did you mean \"\(near)\"?" }
    if known.isEmpty { return "; there are none" }
    let shown = known.prefix(12).joined(separator: ", ")
    return "; known here: \(shown)\(known.count > 12 ? ", …" : "")"
  }

  /// Steps from one word to the other: a letter more, less, another, or two neighbours swapped.
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
}
