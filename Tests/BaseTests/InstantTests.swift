import Testing

@testable import Base

@Suite("An instant")
struct InstantTests {
  @Test(
    "reads and writes the calendar on both sides of leap days and of 1970",
    arguments: [
      (Int64(0), "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (-1, "1969-12-31T23:59:59Z"), (4_102_444_800, "2100-01-01T00:00:00Z"),
      (1_795_241_527, "2026-11-21T06:12:07Z"),
    ])
  func calendar(seconds: Int64, text: String) {
    let instant = Instant(seconds: seconds)
    #expect(instant.description == text)
    #expect(CivilTime(instant).instant == instant)
  }

  @Test("is the first or the last one where a sum goes further, and both have a text")
  func ends() {
    let (first, last) = (Instant(milliseconds: .min), Instant(milliseconds: .max))
    #expect(last + .seconds(1) == last && first - .seconds(1) == first)
    #expect((last - first).milliseconds == .max && (first - last).milliseconds == .min)
    #expect(first.description == "-292275055-05-16T16:47:04Z")
    #expect(last.description == "292278994-08-17T07:12:55Z")
  }

  @Test("exists for no 30 February")
  func noSuchDay() {
    #expect(CivilTime(year: 2024, month: 2, day: 30).instant == nil)
    #expect(CivilTime(year: 2023, month: 2, day: 29).instant == nil)
    for year in [Int64.min, -300_000_000, 300_000_000, .max] {
      #expect(CivilTime(year: year, month: 1, day: 2).instant == nil)
    }
  }

  @Test(
    "is read from each form of an HTTP date",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ])
  func httpDate(text: String) {
    #expect(Instant(httpDate: text)?.description == "1994-11-06T08:49:37Z")
  }

  @Test(
    "is not read from what only looks like an HTTP date",
    arguments: [
      "Sun, 06 Nob 1994 08:49:37 GMT", "Sun, 3x Nov 1994 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:-7 GMT", "Sun, 06 Nov 19é 08:49:37 GMT", "",
      "Sun Nov 06 08:49:37 9000000000000000000", "Sunday, 06-Nov-300000000 08:49:37 GMT",
    ])
  func noHTTPDate(text: String) { #expect(Instant(httpDate: text) == nil) }

  @Test("is written digit by digit, in years of four digits and in others")
  func rfc3339() {
    for step in Int64(0)..<2_000 {
      let instant = Instant(milliseconds: -70_000_000_000_000 + step * 185_000_000_123)
      let time = CivilTime(instant)
      let date = [digits(Int(time.year), 4), digits(time.month, 2), digits(time.day, 2)]
      let clock = [time.hour, time.minute, time.second].map { digits($0, 2) }
      #expect(
        time.rfc3339 == date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "Z")
    }
    #expect(CivilTime(year: 12_345, month: 1, day: 2).rfc3339 == "12345-01-02T00:00:00Z")
    #expect(CivilTime(year: -5, month: 1, day: 2).rfc3339 == "-0005-01-02T00:00:00Z")
  }

  @Test("is written as an HTTP date that reads back")
  func httpDateRoundTrip() {
    for day in stride(from: Int64(0), to: 40_000, by: 37) {
      let instant = Instant(seconds: day * 86400 + day)
      #expect(Instant(httpDate: CivilTime(instant).httpDate) == instant)
    }
    #expect(CivilTime(Instant(seconds: 784_111_777)).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}
