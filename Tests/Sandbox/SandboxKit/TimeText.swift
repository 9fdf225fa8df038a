internal import Base

/// The times in clients' queries.
enum TimeText {
  /// `2026-01-01T00:00:00Z`, with a fraction or an offset; nil without a zone.
  static func zoned(_ text: String) -> Instant? {
    guard let (instant, zone) = read(text), let zone else { return nil }
    return instant - .seconds(zone)
  }

  /// The same with or without a zone (then UTC), or a day alone.
  static func loose(_ text: String) -> Instant? {
    guard let (instant, zone) = read(text) else { return nil }
    return instant - .seconds(zone ?? 0)
  }

  /// The time as if in UTC, and the zone's seconds east of UTC, if it has one.
  private static func read(_ text: String) -> (Instant, Int?)? {
    var bytes = Array(text.utf8)[...]
    guard let year = number(&bytes, 4), skip(&bytes, "-"), let month = number(&bytes, 2),
      skip(&bytes, "-"), let day = number(&bytes, 2)
    else { return nil }
    var civil = CivilTime(year: Int64(year), month: month, day: day)
    guard !bytes.isEmpty else { return civil.instant.map { ($0, nil) } }
    guard skip(&bytes, "T") || skip(&bytes, " "), let hour = number(&bytes, 2), skip(&bytes, ":"),
      let minute = number(&bytes, 2), skip(&bytes, ":"), let second = number(&bytes, 2)
    else { return nil }
    (civil.hour, civil.minute, civil.second) = (hour, minute, second)
    if skip(&bytes, ".") {
      let digits = bytes.prefix { (48...57).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      let three = digits.prefix(3) + Array(repeating: 48, count: max(0, 3 - digits.count))
      civil.millisecond = three.reduce(0) { $0 * 10 + Int($1 - 48) }
      bytes = bytes.dropFirst(digits.count)
    }
    guard let instant = civil.instant else { return nil }
    if bytes.isEmpty { return (instant, nil) }
    if skip(&bytes, "Z") { return bytes.isEmpty ? (instant, 0) : nil }
    let sign = bytes.first == UInt8(ascii: "-") ? -1 : 1
    guard skip(&bytes, "+") || skip(&bytes, "-"), let hours = number(&bytes, 2) else { return nil }
    _ = skip(&bytes, ":")
    guard let minutes = number(&bytes, 2), bytes.isEmpty else { return nil }
    return (instant, sign * (hours * 3600 + minutes * 60))
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>, _ width: Int) -> Int? {
    let digits = bytes.prefix(width)
    guard digits.count == width, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    bytes = bytes.dropFirst(width)
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static func skip(_ bytes: inout ArraySlice<UInt8>, _ wanted: String) -> Bool {
    guard bytes.starts(with: wanted.utf8) else { return false }
    bytes = bytes.dropFirst(wanted.utf8.count)
    return true
  }
}
