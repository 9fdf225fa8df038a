internal import Base

/// The words of one search, and how a row answers them: each of them anywhere in one of its texts,
/// whatever the case.
final class SearchWords {
  /// The longest first: it is the one that most rows lack.
  private let words: [[UInt8]]
  private let folding = CaseFolding()
  /// The texts of the row, each with a NUL behind it: no word reaches over one.
  private var texts: [UInt8] = []

  init(_ words: [String]) {
    let folding = folding
    self.words = words.map { folding.folded($0) }.sorted { $0.count > $1.count }
  }

  /// `trawl_score(text, text, …)`: how well a row answers the words, 0 where it lacks one of them.
  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_score", arguments: -1, isDeterministic: false) { [self] call in
      call.result(score(of: call))
    }
  }

  /// The more often a text says a word the better, and a long text says it by chance.
  private func score(of call: FunctionCall) -> Int64 {
    var (end, length) = (0, 0)
    for index in 0..<call.count where call.kind(index) != .null {
      let count = call.withBytes(index) { take($0, at: end) }
      length += count
      end += count + 1
    }
    let weight = 1 + Double(length) / 400
    var score: Int64 = 0
    for word in words {
      let times = Double(count(of: word, upTo: end))
      if times == 0 { return 0 }
      score += Int64(1_000_000 * times / (times + weight))
    }
    return score
  }

  private func take(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
    let room = start + CaseFolding.room(for: bytes.count) + 1
    if texts.count < room { texts += [UInt8](repeating: 0, count: room - texts.count) }
    return texts.withUnsafeMutableBufferPointer { texts in
      let count = folding.fold(bytes, into: UnsafeMutableBufferPointer(rebasing: texts[start...]))
      texts[start + count] = 0
      return count
    }
  }

  private func count(of word: [UInt8], upTo length: Int) -> Int {
    // Of the bytes of a character the last is the rarest.
    guard let last = word.last else { return 1 }
    return texts.withUnsafeBufferPointer { texts in
      var (count, end) = (0, word.count)
      while end <= length {
        if texts[end - 1] == last, texts[end - word.count..<end].elementsEqual(word) {
          count += 1
          end += word.count
        } else {
          end += 1
        }
      }
      return count
    }
  }
}
