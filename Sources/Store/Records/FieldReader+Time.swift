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
      guard let seconds = Self.number(bytes)?.real else { return .misfit(.noTime, value) }
      return storeEpoch(seconds, kind, row, slot, value)
    }
  }

  /// Seconds since 1970, whole or with a fraction. From 10^11 on (the year 5138) they are
  /// milliseconds, as other APIs write.
  mutating func storeEpoch(
    _ seconds: Double, _ kind: Column.Kind, _ row: RowBuffer, _ slot: Int, _ value: JSONValue?
  ) -> Outcome {
    if let moment = Self.moment(inDigits: seconds) {
      return store(moment, kind, row, slot, value)
    }
    if Self.isOfCalendar(seconds) { return .misfit(.noTime, value) }
    let milliseconds = abs(seconds) < 1e11 ? (seconds * 1000).rounded() : seconds
    // 0001-01-01, which as a text means "never", too.
    if milliseconds == -62_135_596_800_000 {
      zeroDates += 1
      return .absent
    }
    // That and 9999-12-31 are the limits of the stored form.
    guard milliseconds > -62_135_596_800_000, milliseconds < 253_402_300_800_000 else {
      return .misfit(.noTime, value)
    }
    let civil = CivilTime(Instant(milliseconds: Int64(milliseconds)))
    return store(
      TimeReader.Moment(civil: civil, hasTime: true, offsetMinutes: 0), kind, row, slot, value)
  }

  /// A day, with or without a time: `20260131`, `202601312359`, `20260131235959`. Counted from 1970 they would be in
  /// that year, in 1976 and after 2570.
  private static func moment(inDigits number: Double) -> TimeReader.Moment? {
    guard let digits = Int(exactly: number) else { return nil }
    var (day, time) = (digits, 0)
    if minutesInDigits.contains(number) {
      (day, time) = (digits / 10_000, digits % 10_000 * 100)
    } else if secondsInDigits.contains(number) {
      (day, time) = (digits / 1_000_000, digits % 1_000_000)
    } else if !daysInDigits.contains(number) {
      return nil
    }
    let civil = CivilTime(
      year: Int64(day / 10_000), month: day / 100 % 100, day: day % 100, hour: time / 10_000,
      minute: time / 100 % 100, second: time % 100)
    return civil.instant.map {
      TimeReader.Moment(civil: CivilTime($0), hasTime: day != digits, offsetMinutes: nil)
    }
  }

  private static let daysInDigits = 19_000_101.0...21_991_231
  private static let minutesInDigits = 190_001_010_000.0...219_912_312_359
  private static let secondsInDigits = 19_000_101_000_000.0...21_991_231_235_959

  /// Digits that are no time since 1970: `1984`, `198405`, and a day that the calendar lacks. In 12 digits such a day
  /// is a time in milliseconds.
  private static func isOfCalendar(_ number: Double) -> Bool {
    guard let digits = Int(exactly: number) else { return false }
    return (1000...2999).contains(digits) || daysInDigits.contains(number)
      || secondsInDigits.contains(number)
      || (190_001...219_912).contains(digits) && (1...12).contains(digits % 100)
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
