/// A moment of wall-clock time in UTC, to the millisecond. Written to the database as text. Sums are clamped, since a
/// damaged file may hold any number.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public init(seconds: Int64) { self.milliseconds = seconds &* 1000 }

  /// The first instant whose year has five digits: its text could not be read again.
  public static let year10000 = Instant(seconds: 253_402_300_800)

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 {
    let whole = milliseconds / 1000
    return milliseconds % 1000 < 0 ? whole - 1 : whole
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  public static func + (left: Instant, right: Duration) -> Instant {
    Instant(milliseconds: Int64(clamping: Int128(left.milliseconds) + Int128(right.milliseconds)))
  }

  public static func - (left: Instant, right: Duration) -> Instant {
    Instant(milliseconds: Int64(clamping: Int128(left.milliseconds) - Int128(right.milliseconds)))
  }

  public static func - (left: Instant, right: Instant) -> Duration {
    .milliseconds(left.milliseconds) - .milliseconds(right.milliseconds)
  }

  /// `2026-11-21T14:12:07Z`: fractions are dropped, so that text order is time order.
  public var description: String { CivilTime(self).rfc3339 }

  /// `2026-01-31`, in UTC.
  public var day: String {
    // cut: of an instant only the day is shown
    String(description.prefix(10))
  }
}

extension Duration {
  /// Whole milliseconds, without fractions.
  public var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }

  /// Longer than any wait or run; sums of millions of them can still be counted.
  private static let secondsMax = 1e12

  /// Seconds as a number, for arithmetic that may lose the last digits.
  public var inSeconds: Double {
    get {
      let (seconds, attoseconds) = components
      return Double(seconds) + Double(attoseconds) / 1e18
    }
    set { self = Duration(inSeconds: newValue) }
  }

  public init(inSeconds seconds: Double) {
    self = .seconds(min(max(seconds, -Self.secondsMax), Self.secondsMax))
  }
}

/// In milliseconds since 1970.
extension Instant: JSONScalar {
  public static func read(_ json: JSONValue) -> Instant? {
    json.integer.map { Instant(milliseconds: $0) }
  }
  public func write(to out: inout JSONWriter) { out.integer(milliseconds) }
}

extension JSONFields.Field {
  /// An instant as a text.
  public static func time(
    _ name: String, _ path: any WritableKeyPath<Root, Instant> & Sendable
  ) -> Self {
    Self(name: name) { root, out in
      out.member(name, root[keyPath: path].description)
    } read: { value, root in
      guard let instant = value.string.flatMap({ Instant(rfc3339: $0) }) else { return false }
      root[keyPath: path] = instant
      return true
    }
  }

  /// An instant as a text; null if it is nil.
  public static func time(
    _ name: String, _ path: any WritableKeyPath<Root, Instant?> & Sendable
  ) -> Self {
    Self(name: name) { root, out in
      out.member(name, root[keyPath: path]?.description)
    } read: { value, root in
      root[keyPath: path] = value.string.flatMap { Instant(rfc3339: $0) }
      return value.isNull || root[keyPath: path] != nil
    }
  }
}

extension Instant {
  /// Reads `2026-11-21T14:12:07Z`, `2026-11-21T23:12:07.5+09:00`: date, time and zone.
  public init?(rfc3339 text: String) {
    var text = text
    guard let moment = text.withUTF8({ TimeReader.moment($0) }), moment.hasTime,
      let offset = moment.offsetMinutes, let instant = moment.civil.instant
    else { return nil }
    self = instant - .seconds(offset * 60)
  }
}
