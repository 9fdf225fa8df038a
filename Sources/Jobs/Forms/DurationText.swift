/// Lengths of time as a person writes them: `45s`, `30m`, `12h`, `90d`, `2w`.
public enum DurationText {
  /// A hundred years: what lies further back is no length of time but a slip.
  private static let secondsMax: Int64 = 36_525 * 86_400
  private static let units: [(letter: UInt8, seconds: Int64)] = [
    (UInt8(ascii: "s"), 1), (UInt8(ascii: "m"), 60), (UInt8(ascii: "h"), 3_600),
    (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "w"), 604_800),
  ]

  /// Nil when it is no such length.
  public static func read(_ text: String) -> Duration? {
    guard let letter = text.utf8.last, let unit = units.first(where: { $0.letter == letter }),
      let count = wholeNumber(text.utf8.dropLast())
    else { return nil }
    let (seconds, isTooMuch) = count.multipliedReportingOverflow(by: unit.seconds)
    return isTooMuch || seconds > secondsMax ? nil : .seconds(seconds)
  }

  /// Digits alone, at most 18 of them.
  static func wholeNumber(_ digits: Substring.UTF8View) -> Int64? {
    guard (1...18).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
  }
}
