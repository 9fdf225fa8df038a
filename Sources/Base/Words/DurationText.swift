/// Durations as typed: `90d`, `12h`, `5m`, `30s`, `1h30m`, `2w`, `0`.
public enum DurationText {
  /// A hundred years; longer ones are typing errors, and would overflow somewhere.
  private static let secondsMax: Int64 = 36_525 * 86_400
  /// Nil if it is not a duration.
  public static func read(_ text: String) -> Duration? {
    if text == "0" { return .zero }
    var total: Int64 = 0
    var number: Int64?
    var smallest = Int64.max
    for byte in text.utf8 {
      if (48...57).contains(byte) {
        let next = (number ?? 0) * 10 + Int64(byte - 48)
        guard next <= secondsMax else { return nil }
        number = next
      } else {
        // Each unit once, the larger first: `1h30m`, never `30m1h`.
        guard let count = number, let unit = seconds(of: byte), unit < smallest,
          count <= secondsMax / unit
        else { return nil }
        total += count * unit
        guard total <= secondsMax else { return nil }
        smallest = unit
        number = nil
      }
    }
    return number == nil && smallest != .max ? .seconds(total) : nil
  }

  private static func seconds(of unit: UInt8) -> Int64? {
    switch unit {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    case UInt8(ascii: "d"): 86400
    case UInt8(ascii: "w"): 7 * 86400
    default: nil
    }
  }
}
