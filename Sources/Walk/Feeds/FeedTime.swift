internal import Base

/// Converts the times of feeds: those of mail (`Mon, 06 Sep 2009 16:20:00 -0500`) take the usual form. A time that
/// cannot be read stays unchanged.
enum FeedTime {
  static func plain(_ text: String) -> String {
    let words = text.split { $0 == " " || $0 == "," || $0 == "\t" || $0.isNewline }.map(String.init)
    let at = words.first.map { Int($0) == nil } ?? false ? 1 : 0
    guard words.count >= at + 4, let day = Int(words[at]), let month = month(words[at + 1]),
      var year = Int64(words[at + 2])
    else { return text }
    if words[at + 2].utf8.count <= 2 { year += year < 70 ? 2000 : 1900 }
    let clock = words[at + 3].split(separator: ":").map { Int($0) ?? -1 }
    guard (2...3).contains(clock.count) else { return text }
    let civil = CivilTime(
      year: year, month: month, day: day, hour: clock[0], minute: clock[1],
      second: clock.count == 3 ? clock[2] : 0)
    guard let instant = civil.instant else { return text }
    // Without a zone it is local time at an unknown place.
    guard words.count > at + 4 else {
      // cut: the Z that says UTC
      return String(instant.description.dropLast())
    }
    guard let east = minutes(words[at + 4]) else { return text }
    return (instant - .seconds(east * 60)).description
  }

  private static func month(_ word: String) -> Int? {
    // cut: months may be written in full
    let short = word.prefix(3).lowercased()
    return CivilTime.months.firstIndex { $0.lowercased() == short }.map { $0 + 1 }
  }

  private static let zones: [String: Int] = [
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300,
    "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
  ]

  /// East of UTC.
  private static func minutes(_ zone: String) -> Int? {
    if let known = zones[zone.lowercased()] { return known }
    guard let sign = zone.first, sign == "+" || sign == "-" else { return nil }
    let digits = zone.dropFirst().filter { $0 != ":" }
    guard digits.utf8.count == 4, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Int(digits), number % 100 < 60, number / 100 <= 14
    else { return nil }
    return (number / 100 * 60 + number % 100) * (sign == "-" ? -1 : 1)
  }
}
