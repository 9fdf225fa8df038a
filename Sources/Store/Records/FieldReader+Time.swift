internal import Base

/// Dates and times.
extension FieldReader {
  mutating func readTime(
    _ bytes: UnsafeBufferPointer<UInt8>, _ kind: Column.Kind, _ row: RowBuffer, _ slot: Int,
    _ value: JSONValue?
  ) -> Outcome {
    switch TimeReader.read(bytes) {
    case .zero:
      zeroDates += 1
      return .absent
    case .moment(let moment): return store(moment, kind, row, slot, value)
    case .unreadable:
      guard let number = Self.number(bytes), let seconds = number.real,
        !Self.isMonthInDigits(bytes, seconds)
      else { return .misfit(.noTime, value) }
      return storeEpoch(seconds, kind, row, slot, value)
    }
  }

  /// Seconds since 1970, whole or with a fraction. From 10^11 on (the year 5138) they are
  /// milliseconds, as other APIs write.
  mutating func storeEpoch(
    _ seconds: Double, _ kind: Column.Kind, _ row: RowBuffer, _ slot: Int, _ value: JSONValue?
  ) -> Outcome {
    if Self.isYearOrDay(seconds) {
      guard let day = Self.dayInDigits(Int(seconds)) else { return .misfit(.noTime, value) }
      return store(
        TimeReader.Moment(civil: day, hasTime: false, offsetMinutes: nil), kind, row, slot, value)
    }
    let milliseconds = abs(seconds) < 1e11 ? (seconds * 1000).rounded() : seconds
    // 0001-01-01 and 9999-12-31, the limits of the stored form.
    guard milliseconds > -62_135_596_800_000, milliseconds < 253_402_300_800_000 else {
      return .misfit(.noTime, value)
    }
    let civil = CivilTime(Instant(milliseconds: Int64(milliseconds)))
    return store(
      TimeReader.Moment(civil: civil, hasTime: true, offsetMinutes: 0), kind, row, slot, value)
  }

  /// `1984` or `20260131`. As seconds they would be in the first hour of 1970, or in five weeks of that year.
  private static func isYearOrDay(_ number: Double) -> Bool {
    number == number.rounded()
      && ((1000...2999).contains(number) || (19_000_101...21_991_231).contains(number))
  }

  /// The text `198405`.
  private static func isMonthInDigits(
    _ bytes: UnsafeBufferPointer<UInt8>, _ number: Double
  ) -> Bool {
    bytes.count == 6 && (190_001...219_912).contains(number)
      && (1...12).contains(Int(number) % 100)
  }

  /// Nil for a year alone, and for what is no day of the calendar.
  private static func dayInDigits(_ digits: Int) -> CivilTime? {
    guard digits >= 19_000_101 else { return nil }
    let day = CivilTime(
      year: Int64(digits / 10_000), month: digits / 100 % 100, day: digits % 100)
    return day.instant == nil ? nil : day
  }

  private func store(
    _ moment: TimeReader.Moment, _ kind: Column.Kind, _ row: RowBuffer, _ slot: Int,
    _ value: JSONValue?
  ) -> Outcome {
    var civil = moment.civil
    var isUTC = false
    if let offset = moment.offsetMinutes {
      isUTC = true
      if offset != 0, let local = civil.instant {
        civil = CivilTime(local - .seconds(offset * 60))
      }
    } else if case .time(_, let zone?) = kind {
      guard let instant = zones.instant(civil, zone) else {
        return .misfit(.unknownZone(zone), value)
      }
      civil = CivilTime(instant)
      isUTC = true
    }
    guard (1...9999).contains(civil.year) else { return .misfit(.noTime, value) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
      guard let start = buffer.baseAddress else { return }
      var count = 10
      if case .time(let digits, _) = kind {
        count = TimeWriter.write(civil, digits: digits, isUTC: isUTC, to: start)
      } else {
        TimeWriter.writeDate(civil, to: start)
      }
      row.setText(slot, UnsafeBufferPointer(start: start, count: count))
    }
    return .stored
  }
}

/// The zones that `time in ZONE` columns have named so far, each read from the system once.
final class LocalZones: Sendable {
  private let known = Locked<[String: ZoneRules?]>([:])

  /// The instant at which the zone's clocks show this; nil when the system has no such zone.
  func instant(_ local: CivilTime, _ name: String) -> Instant? {
    known.withLock { known in
      if let rules = known[name] { return rules?.instant(of: local) }
      // The job's own check says why it is missing; here the value is set aside.
      let rules = try? ZoneRules.load(name)
      known[name] = .some(rules)
      return rules?.instant(of: local)
    }
  }
}
