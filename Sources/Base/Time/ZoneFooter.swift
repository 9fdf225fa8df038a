/// The rule for all later years at the end of a zone file, as in POSIX `TZ`: `PST8PDT,M3.2.0,M11.1.0`. Daylight saving
/// may span the new year.
struct ZoneFooter: Sendable, Equatable {
  /// The week-th weekday (0 is Sunday) of a month, week 5 is the last, and a time relative to that day, which may fall
  /// on another. No zone uses the two other forms of POSIX, by the number of the day.
  struct Change: Sendable, Equatable {
    var month: Int
    var week: Int
    var weekday: Int
    /// Seconds after the midnight at the start of the day.
    var time: Int
  }

  struct Saving: Sendable, Equatable {
    var offset: Int
    var begins: Change
    var ends: Change
  }

  /// Seconds east of Greenwich.
  var standard: Int
  var saving: Saving?

  /// Nil if the text is not such a rule.
  init?(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    guard reader.name(), let standard = reader.offset(hoursMax: 24) else { return nil }
    self.standard = -standard
    guard !reader.isAtEnd else { return }
    guard reader.name() else { return nil }
    let offset =
      reader.isAt(UInt8(ascii: ",")) ? -standard + 3600 : reader.offset(hoursMax: 24).map { -$0 }
    guard let offset, let begins = reader.change(), let ends = reader.change(), reader.isAtEnd
    else { return nil }
    saving = Saving(offset: offset, begins: begins, ends: ends)
  }

  /// Seconds east of Greenwich at an instant.
  func offset(at seconds: Int64) -> Int {
    guard let saving else { return standard }
    let year = CivilTime(Instant(seconds: seconds &+ Int64(standard))).year
    let begin = saving.begins.seconds(in: year) - Int64(standard)
    let end = saving.ends.seconds(in: year) - Int64(saving.offset)
    let isSaving =
      begin < end ? (begin..<end).contains(seconds) : !(end..<begin).contains(seconds)
    return isSaving ? saving.offset : standard
  }
}

extension ZoneFooter.Change {
  /// The zone's local time of the change in a year, in seconds as if it were UTC.
  func seconds(in year: Int64) -> Int64 {
    let first = CivilTime.daysSince1970(year: year, month: month, day: 1)
    let firstWeekday = (first % 7 + 11) % 7  // 1970-01-01 was a Thursday
    let ahead = (Int64(weekday) - firstWeekday + 7) % 7
    var offset = ahead + Int64(week - 1) * 7
    while offset >= Int64(CivilTime.days(inMonth: month, of: year)) { offset -= 7 }
    return (first + offset) * 86_400 + Int64(time)
  }
}

extension ZoneFooter {
  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    func isAt(_ byte: UInt8) -> Bool { index < bytes.count && bytes[index] == byte }

    private mutating func skip(_ byte: UInt8) -> Bool {
      guard isAt(byte) else { return false }
      index += 1
      return true
    }

    /// Letters, or anything between angle brackets.
    mutating func name() -> Bool {
      let start = index
      if skip(UInt8(ascii: "<")) {
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") { index += 1 }
        return skip(UInt8(ascii: ">")) && index - start > 2
      }
      while index < bytes.count, (97...122).contains(bytes[index] | 32) { index += 1 }
      return index - start >= 3
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
      var value = 0
      let start = index
      while index < bytes.count, (48...57).contains(bytes[index]), index - start < 4 {
        value = value * 10 + Int(bytes[index] - 48)
        index += 1
      }
      return index > start && range.contains(value) ? value : nil
    }

    /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
    mutating func offset(hoursMax: Int) -> Int? {
      let isNegative = isAt(UInt8(ascii: "-"))
      if !skip(UInt8(ascii: "-")) { _ = skip(UInt8(ascii: "+")) }
      guard let hours = number(0...hoursMax) else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where skip(UInt8(ascii: ":")) {
        guard let part = number(0...59) else { return nil }
        seconds += part * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// `,M3.2.0/2`
    mutating func change() -> Change? {
      guard skip(UInt8(ascii: ",")), skip(UInt8(ascii: "M")), let month = number(1...12),
        skip(UInt8(ascii: ".")), let week = number(1...5), skip(UInt8(ascii: ".")),
        let weekday = number(0...6)
      else { return nil }
      var change = Change(month: month, week: week, weekday: weekday, time: 7200)
      guard skip(UInt8(ascii: "/")) else { return change }
      guard let time = offset(hoursMax: 167) else { return nil }
      change.time = time
      return change
    }
  }
}
