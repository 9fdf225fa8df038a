/// Sizes as a person writes them: `500KB`, `20MB`, `5GB`. They count by 1,024.
public enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [
    ("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40),
  ]

  /// Bytes; nil when it is no such size.
  public static func read(_ text: String) -> Int64? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) }),
      let count = DurationText.wholeNumber(text.utf8.dropLast(2))
    else { return nil }
    let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: unit.bytes)
    return isTooMuch || bytes == 0 ? nil : bytes
  }
}
