/// Sizes as a person types them: `500KB`, `20MB`, `5GB`. They are decimal, as disks are sold and as
/// `Wording.bytes` writes them.
public enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [
    ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
  ]

  /// Bytes; nil if it is not such a size.
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

  /// As a job file writes it: in the largest unit that keeps every byte.
  public static func written(_ bytes: Int64) -> String {
    let unit = units.last { bytes % $0.bytes == 0 }
    return unit.map { "\(bytes / $0.bytes)\($0.name)" } ?? "\(bytes) bytes"
  }
}
