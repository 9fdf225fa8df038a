import Testing

@testable import Model

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

  @Test("exists for no 30 February")
  func noSuchDay() {
    #expect(CivilTime(year: 2024, month: 2, day: 30).instant == nil)
    #expect(CivilTime(year: 2023, month: 2, day: 29).instant == nil)
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

  @Test("is written as an HTTP date that reads back")
  func httpDateRoundTrip() {
    for day in stride(from: Int64(0), to: 40_000, by: 37) {
      let instant = Instant(seconds: day * 86400 + day)
      #expect(Instant(httpDate: CivilTime(instant).httpDate) == instant)
    }
    #expect(CivilTime(Instant(seconds: 784_111_777)).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}
