extension Instant {
  /// Reads the three forms of RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, the old
  /// `Sunday, 06-Nov-94 08:49:37 GMT`, and `Sun Nov  6 08:49:37 1994`. Nil for anything else.
  public init?(httpDate text: String) {
    if let instant = CivilTime.ofIMFFixdate(text)?.instant {
      self = instant
      return
    }
    let separators = Array(" ,-".utf8)
    let words = text.utf8.split(whereSeparator: { separators.contains($0) }).map {
      String(Substring($0))
    }
    guard words.count >= 5 else { return nil }
    let isAsctime = Int(words[1]) == nil
    let dayWord = isAsctime ? words[2] : words[1]
    let monthWord = isAsctime ? words[1] : words[2]
    let clockWord = isAsctime ? words[3] : words[4]
    let yearWord = isAsctime ? words[4] : words[3]
    let clock = clockWord.utf8.split(separator: UInt8(ascii: ":")).map { Int(Substring($0)) ?? -1 }
    guard let day = Int(dayWord), var year = Int64(yearWord), clock.count == 3,
      let month = CivilTime.months.firstIndex(of: monthWord)
    else { return nil }
    if yearWord.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
    let civil = CivilTime(
      year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
    guard let instant = civil.instant else { return nil }
    self = instant
  }
}

extension CivilTime {
  /// The form that servers send today, read by position, since each answer has one.
  fileprivate static func ofIMFFixdate(_ text: String) -> CivilTime? {
    var text = text
    return text.withUTF8 { text -> CivilTime? in
      guard text.count == 29, text[3] == UInt8(ascii: ","), text[19] == UInt8(ascii: ":"),
        text[22] == UInt8(ascii: ":"), text[25] == UInt8(ascii: " "),
        let month = Self.months.firstIndex(where: { $0.utf8.elementsEqual(text[8..<11]) })
      else { return nil }
      func number(_ places: Range<Int>) -> Int? {
        var number = 0
        for byte in text[places] {
          guard byte &- 48 < 10 else { return nil }
          number = number * 10 + Int(byte &- 48)
        }
        return number
      }
      guard let day = number(5..<7), let year = number(12..<16), let hour = number(17..<19),
        let minute = number(20..<22), let second = number(23..<25)
      else { return nil }
      return CivilTime(
        year: Int64(year), month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }
  }
}
