internal import Model

/// Reads the dates that APIs write, byte by byte, and writes them in one width.
struct TimeReader {
  /// A moment as it was written, before its zone is applied.
  struct Moment: Equatable {
    var civil: CivilTime
    var hasTime: Bool
    /// Minutes east of UTC; nil when the text names no zone.
    var offsetMinutes: Int?
  }

  enum Reading: Equatable {
    case moment(Moment)
    /// `0000-00-00`, and the like: what some APIs write for never.
    case zero
    case unreadable
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// `YYYY-MM-DD`, then maybe a `T` or a space and `HH:MM[:SS[.f…]]`, then maybe `Z` or an offset.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
    var reader = TimeReader(bytes)
    return reader.read() ?? .unreadable
  }

  private mutating func read() -> Reading? {
    guard let year = number(4), skip(UInt8(ascii: "-")), let month = number(2),
      skip(UInt8(ascii: "-")), let day = number(2)
    else { return nil }
    var civil = CivilTime(year: Int64(year), month: month, day: day)
    var hasTime = false
    var offset: Int?
    if at < bytes.count {
      guard skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) || skip(32) else { return nil }
      guard readTime(&civil) else { return nil }
      hasTime = true
      guard readZone(&offset) else { return nil }
    }
    guard at == bytes.count else { return nil }
    if Self.isZero(civil, hasTime: hasTime) { return .zero }
    guard year > 0, let instant = civil.instant else { return nil }
    // A leap second is written as the second before it: no calendar of ours has a 61st.
    return .moment(
      Moment(civil: CivilTime(instant), hasTime: hasTime, offsetMinutes: offset))
  }

  private mutating func readTime(_ civil: inout CivilTime) -> Bool {
    guard let hour = number(2), skip(UInt8(ascii: ":")), let minute = number(2) else {
      return false
    }
    civil.hour = hour
    civil.minute = minute
    guard skip(UInt8(ascii: ":")) else { return true }
    guard let second = number(2) else { return false }
    civil.second = second
    guard skip(UInt8(ascii: ".")) || skip(UInt8(ascii: ",")) else { return true }
    var count = 0
    var milliseconds = 0
    while at < bytes.count, let digit = digit(bytes[at]) {
      if count < 3 { milliseconds = milliseconds * 10 + digit }
      count += 1
      at += 1
    }
    for _ in count..<max(count, 3) { milliseconds *= 10 }
    civil.millisecond = milliseconds
    return (1...9).contains(count)
  }

  /// `Z`, `+09:00`, `+0900`, `+09`, or nothing.
  private mutating func readZone(_ offset: inout Int?) -> Bool {
    if at == bytes.count { return true }
    if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) {
      offset = 0
      return true
    }
    let isWest = bytes[at] == UInt8(ascii: "-")
    guard isWest || bytes[at] == UInt8(ascii: "+") else { return false }
    at += 1
    guard let hours = number(2), hours <= 23 else { return false }
    var minutes = 0
    if at < bytes.count {
      _ = skip(UInt8(ascii: ":"))
      guard let rest = number(2), rest <= 59 else { return false }
      minutes = rest
    }
    offset = (hours * 60 + minutes) * (isWest ? -1 : 1)
    return true
  }

  /// Year 0, and midnight of the first day of year 1 or of 1970, written with its time: nobody's
  /// real moment, but what empty database fields turn into. A bare 1970-01-01 may be a birthday.
  private static func isZero(_ civil: CivilTime, hasTime: Bool) -> Bool {
    let isMidnight =
      civil.hour == 0 && civil.minute == 0 && civil.second == 0 && civil.millisecond == 0
    if civil.year == 0 && civil.month == 0 && civil.day == 0 { return isMidnight }
    guard isMidnight, civil.month == 1, civil.day == 1 else { return false }
    return civil.year == 1 || (civil.year == 1970 && hasTime)
  }

  private mutating func number(_ width: Int) -> Int? {
    guard at + width <= bytes.count else { return nil }
    var value = 0
    for index in at..<at + width {
      guard let digit = digit(bytes[index]) else { return nil }
      value = value * 10 + digit
    }
    at += width
    return value
  }

  private func digit(_ byte: UInt8) -> Int? {
    (48...57).contains(byte) ? Int(byte) - 48 : nil
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }
}

/// The stored forms: text order is time order, because each column has one width.
enum TimeWriter {
  /// `YYYY-MM-DDTHH:MM:SS[.mmm][Z]`, at most 24 bytes.
  static func write(
    _ civil: CivilTime, digits: Int, isUTC: Bool, to out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    writeDate(civil, to: out)
    out[10] = UInt8(ascii: "T")
    put(civil.hour, 2, out + 11)
    out[13] = UInt8(ascii: ":")
    put(civil.minute, 2, out + 14)
    out[16] = UInt8(ascii: ":")
    put(civil.second, 2, out + 17)
    var count = 19
    if digits == 3 {
      out[19] = UInt8(ascii: ".")
      put(civil.millisecond, 3, out + 20)
      count = 23
    }
    if isUTC {
      out[count] = UInt8(ascii: "Z")
      count += 1
    }
    return count
  }

  /// `YYYY-MM-DD`: 10 bytes.
  static func writeDate(_ civil: CivilTime, to out: UnsafeMutablePointer<UInt8>) {
    put(Int(civil.year), 4, out)
    out[4] = UInt8(ascii: "-")
    put(civil.month, 2, out + 5)
    out[7] = UInt8(ascii: "-")
    put(civil.day, 2, out + 8)
  }

  private static func put(_ value: Int, _ width: Int, _ out: UnsafeMutablePointer<UInt8>) {
    var rest = value
    for index in stride(from: width - 1, through: 0, by: -1) {
      out[index] = UInt8(48 + rest % 10)
      rest /= 10
    }
  }
}
