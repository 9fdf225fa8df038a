/// Finds the word that was probably meant.
enum Spelling {
  /// Longer words are compared by this much of them only: the work stays small whatever comes in.
  private static let comparedBytesMax = 64

  /// The nearest candidate within a third of the word's length, or one that the word begins.
  static func suggestion(for word: String, among candidates: [String]) -> String? {
    let bytes = folded(word)
    guard !bytes.isEmpty else { return nil }
    let bound = max(1, bytes.count / 3)
    var best: (distance: Int, word: String)?
    for candidate in candidates {
      let distance = distance(bytes, folded(candidate))
      if distance <= bound, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    if let best { return best.word }
    let begun = candidates.filter { folded($0).starts(with: bytes) }
    return begun.count == 1 ? begun[0] : nil
  }

  /// How many bytes must be put in, taken out, replaced or swapped with their neighbour.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var twoBack: [Int] = []
    var last = Array(0...right.count)
    for (row, byte) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
        if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
          cost = min(cost, twoBack[column - 1] + 1)
        }
        current.append(cost)
      }
      twoBack = last
      last = current
    }
    return last[right.count]
  }

  private static func folded(_ word: String) -> [UInt8] {
    word.utf8.prefix(comparedBytesMax).map { (65...90).contains($0) ? $0 + 32 : $0 }
  }
}
