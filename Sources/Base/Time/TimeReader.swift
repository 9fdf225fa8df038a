/// Reads dates and times in RFC 3339 and looser forms, byte by byte.
public struct TimeReader {
  /// A moment as it was written, before its zone is applied.
  public struct Moment: Equatable {
    public var civil: CivilTime
    public var hasTime: Bool
    /// Minutes east of UTC; nil if the text has no zone.
    public var offsetMinutes: Int?

    public init(civil: CivilTime, hasTime: Bool, offsetMinutes: Int?) {
      self.civil = civil
      self.hasTime = hasTime
      self.offsetMinutes = offsetMinutes
    }
  }

  public enum Reading: Equatable {
    case moment(Moment)
    /// `0000-00-00` and the like, which some APIs send for "never".
    case zero
    case unreadable
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// `YYYY-MM-DD`, then optionally `T` or a space and `HH:MM[:SS[.f…]]`, then optionally `Z` or an offset.
  public static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
    var reader = TimeReader(bytes)
    guard let moment = reader.read() else { return .unreadable }
    if isZero(moment.civil) { return .zero }
    return moment.inCalendar.map { .moment($0) } ?? .unreadable
  }

  /// The same, but with the first day of the year 1 as a real date.
  static func moment(_ bytes: UnsafeBufferPointer<UInt8>) -> Moment? {
    var reader = TimeReader(bytes)
    return reader.read()?.inCalendar
  }

  private mutating func read() -> Moment? {
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
    return Moment(civil: civil, hasTime: hasTime, offsetMinutes: offset)
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

  /// Year 0, or midnight of the first day of year 1: the form of empty database fields, not a real time. The first
  /// second of 1970 is real.
  private static func isZero(_ civil: CivilTime) -> Bool {
    let isMidnight =
      civil.hour == 0 && civil.minute == 0 && civil.second == 0 && civil.millisecond == 0
    if civil.year == 0 && civil.month == 0 && civil.day == 0 { return isMidnight }
    return isMidnight && civil.year == 1 && civil.month == 1 && civil.day == 1
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

extension TimeReader.Moment {
  /// Nil for an impossible date. A leap second becomes the second before it: our times have no 61st second.
  fileprivate var inCalendar: Self? {
    guard civil.year > 0, let instant = civil.instant else { return nil }
    return Self(civil: CivilTime(instant), hasTime: hasTime, offsetMinutes: offsetMinutes)
  }
}
