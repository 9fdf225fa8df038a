internal import Model
internal import SQLite

/// The words of one search, and how a row answers them: each of them anywhere in one of its texts,
/// whatever the case.
final class SearchWords {
  /// What an index must know of a row; nil where every word is shorter than three characters.
  let query: String?
  private let words: [[UInt8]]
  private let folding = CaseFolding()

  /// Of a longer word the rest is looked at, and not asked of the index.
  private static let runsMax = 64

  init(_ words: [String]) {
    var runs: [String] = []
    for word in words {
      let scalars = Array(word.unicodeScalars)
      guard scalars.count >= 3 else { continue }
      // cut: each row that is found is looked at for the whole word
      for start in 0...min(scalars.count - 3, Self.runsMax) {
        // In quotes nothing is an operator.
        let run = SQLName.always(
          quoted: String(String.UnicodeScalarView(scalars[start..<start + 3])))
        if !runs.containsBytes(run) { runs.append(run) }
      }
    }
    query = runs.isEmpty ? nil : runs.joined(separator: " ")
    let folding = folding
    self.words = words.map { word in folding.folded(Array(word.utf8)) }
  }

  /// `trawl_score(text, text, …)`: how well a row answers the words, 0 where it lacks one of them.
  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_score", arguments: -1, isDeterministic: false) { [self] call in
      call.result(score(of: call))
    }
  }

  /// The more often a text says a word the better, and a long text says it by chance.
  private func score(of call: FunctionCall) -> Int64 {
    var times = [Int](repeating: 0, count: words.count)
    var length = 0
    for index in 0..<call.count where call.kind(index) != .null {
      let text = call.withBytes(index) { folding.folded($0) }
      length += text.count
      for (place, word) in words.enumerated() { times[place] += Self.count(of: word, in: text) }
    }
    if times.contains(0) { return 0 }
    let weight = 1 + Double(length) / 400
    return times.reduce(0) { $0 + Int64(1_000_000 * Double($1) / (Double($1) + weight)) }
  }

  private static func count(of word: [UInt8], in text: [UInt8]) -> Int {
    guard let first = word.first else { return 1 }
    var count = 0
    text.withUnsafeBufferPointer { text in
      var place = 0
      while place + word.count <= text.count {
        if text[place] == first, text[place..<place + word.count].elementsEqual(word) {
          count += 1
          place += word.count
        } else {
          place += 1
        }
      }
    }
    return count
  }
}
