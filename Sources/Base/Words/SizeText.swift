/// Sizes as typed: `500KB`, `20MB`, `5GB`. Decimal, like disk sizes and `Wording.bytes`.
public enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [
    ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
  ]

  /// Bytes; nil if it is not a size.
  public static func read(_ text: String) -> Int64? {
    let digits = text.utf8.prefix { (48...57).contains($0) }
    guard (1...18).contains(digits.count), let count = Int64(String(Substring(digits))),
      let unit = units.first(where: {
        text.utf8.dropFirst(digits.count).elementsEqual($0.name.utf8)
      })
    else { return nil }
    let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: unit.bytes)
    return isTooMuch || bytes == 0 ? nil : bytes
  }

  /// In the notation of a job file: the largest unit without a fraction.
  public static func written(_ bytes: Int64) -> String {
    let unit = units.last { bytes % $0.bytes == 0 }
    return unit.map { "\(bytes / $0.bytes)\($0.name)" } ?? "\(bytes) bytes"
  }
}
