/// The spelling that was probably meant.
public enum Suggestion {
  /// The nearest candidate within a third of the word's length; nil when none is that near.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    // Longer words come from no keyboard, and the distance costs the product of the lengths.
    guard (1...64).contains(word.utf8.count) else { return nil }
    let ranked = candidates.map { (distance(Array(word.utf8), Array($0.utf8)), $0) }
    guard let best = ranked.min(by: { $0.0 < $1.0 }) else { return nil }
    return best.0 <= max(2, word.utf8.count / 3) ? best.1 : nil
  }

  /// Insertions, deletions and replacements that lead from one to the other.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (byte == other ? 0 : 1))
        diagonal = above
      }
    }
    return row[right.count]
  }
}
