internal import Base

/// Where an API ends every list: `1000`, `4999 doubt 4900`, `25 expected: the best 25 are requested`.
enum CapText {
  static func read(_ text: String) -> Cap? {
    let sides = text.split(
      separator: " expected: ", maxSplits: 1, omittingEmptySubsequences: false
    ).map(String.init)
    guard let numbers = sides.first else { return nil }
    let why = sides.dropFirst().first?.trimmingBlanks
    let words = numbers.split(separator: " ").map(String.init)
    guard why != "", let at = words.first.flatMap(number) else { return nil }
    switch words.count {
    case 1: return Cap(at: at, doubt: at, expected: why)
    case 3 where words[1] == "doubt":
      return number(words[2]).map { Cap(at: at, doubt: $0, expected: why) }
    default: return nil
    }
  }

  private static func number(_ text: String) -> Int? {
    Int(text).flatMap { (1...1_000_000_000).contains($0) ? $0 : nil }
  }
}
