internal import Base
internal import Glibc

/// The window of a quota: `hour`, `12h`, or `day from 00:00 America/Los_Angeles`, which restarts at that time.
enum QuotaText {
  private static let words = ["second": 1, "minute": 60, "hour": 3_600, "day": 86_400]

  /// Nil if it has another form.
  static func window(_ text: String) -> Quota.Window? {
    if let seconds = words[text] { return .rolling(.seconds(seconds)) }
    let start = "day from "
    guard text.hasPrefix(start) else {
      return DurationText.read(text).flatMap { $0 > .zero ? .rolling($0) : nil }
    }
    return daily(String(text.dropFirst(start.count)))
  }

  private static func daily(_ text: String) -> Quota.Window? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, words[0].utf8.count == 5 else { return nil }
    let clock = words[0].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 2, let hour = UInt8(clock[0]), let minute = UInt8(clock[1]),
      !words[0].utf8.contains(UInt8(ascii: "+")), clock[0].utf8.count == 2,
      hour < 24, minute < 60, ZoneRules.isName(String(words[1]))
    else { return nil }
    return .daily(hour: Int(hour), minute: Int(minute), zone: String(words[1]))
  }
}

/// Zones of the system, by the names of its files.
enum ZoneName {
  /// Why one cannot be used; nil: the system has the zone. Where it has no zone files at all every name passes: the
  /// run then says what is missing.
  static func problem(_ zone: String) -> String? {
    let folder = ZoneRules.folder
    return access("\(folder)/UTC", F_OK) != 0 || access("\(folder)/\(zone)", R_OK) == 0
      ? nil : "the time zone \"\(zone.shown)\" is not among the system's (\(folder))"
  }

  /// The same of the zone of a column's type.
  static func problem(of kind: Column.Kind) -> String? {
    if case .time(_, let zone?) = kind { problem(zone) } else { nil }
  }
}
