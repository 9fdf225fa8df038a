internal import Base

/// The words of one search, and how well a row matches: each word anywhere in one of its texts,
/// ignoring case.
final class SearchWords {
  /// Longest first: most rows lack that one.
  private let words: [[UInt8]]
  private let folding = CaseFolding()
  /// The texts of the row, each followed by a NUL, so that no word matches across two.
  private var texts: [UInt8] = []

  init(_ words: [String]) {
    let folding = folding
    self.words = words.flatMap { $0.split(separator: "\0") }.map { folding.folded(String($0)) }
      .sorted { $0.count > $1.count }
  }

  /// `trawl_score(text, text, …)`: how well a row matches the words; 0 if it lacks one of them.
  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_score", arguments: -1, isDeterministic: false) { [self] call in
      call.result(score(of: call))
    }
  }

  /// The more often a text has a word the better; in a long text it may be chance.
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
    // Of a character's bytes the last is the rarest.
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
