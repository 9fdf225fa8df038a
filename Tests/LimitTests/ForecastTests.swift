import Base
@testable import Crawl
import Testing

@Suite("What a list will cost")
struct ForecastTests {
  static func forecast(
    _ requests: Int, left: Int, share: Int = 60, length: Duration = .seconds(3600),
    resetsIn: Duration? = nil, cost: Int = 1, spacing: Duration = .zero
  ) -> CostForecast {
    CostForecast(
      requests: requests, pace: .milliseconds(250),
      quotas: [
        CostForecast.Quota(
          share: share, left: left, length: length, resetsIn: resetsIn, cost: cost,
          spacing: spacing)
      ])
  }

  @Test(
    "is told in runs and time",
    arguments: [
      (forecast(203, left: 57, resetsIn: .seconds(3400)), 4, 10_600),
      (forecast(57, left: 57), 1, 14), (forecast(58, left: 57), 2, 3600),
      (forecast(10, left: 0, resetsIn: .seconds(60)), 2, 60),
      (forecast(30, left: 100, share: 100, cost: 3), 1, 7),
      (forecast(100, left: 100, share: 100, cost: 3), 3, 7200),
      (forecast(600, left: 5000, share: 5000, spacing: .seconds(1)), 1, 600),
    ])
  func sessions(forecast: CostForecast, sessions: Int, seconds: Int64) throws {
    #expect(forecast.runs == sessions)
    #expect(try #require(forecast.time).milliseconds / 1000 == seconds)
  }

  @Test(
    "is told in days, of which the first is today",
    arguments: [
      (forecast(3, left: 2, share: 2, length: .seconds(60)), 1),
      (forecast(3, left: 2, share: 2), 1),
      (forecast(100, left: 1, share: 1), 5), (forecast(57, left: 57), 1),
      (forecast(3, left: 2, share: 2, length: .seconds(86_400)), 2),
    ])
  func days(forecast: CostForecast, days: Int) { #expect(forecast.days == days) }

  @Test("never ends where one request costs more than there ever is, and says so")
  func never() {
    let forecast = Self.forecast(5, left: 2, share: 2, cost: 3)
    #expect(forecast.runs == nil && forecast.time == nil)
    #expect(forecast.sentence?.hasSuffix("costs more than there ever is") == true)
  }

  @Test("is silent about a pace, and names the quota that decides")
  func decides() {
    #expect(Self.forecast(100, left: 10, length: .seconds(60)).sentence == nil)
    var two = Self.forecast(100, left: 10, length: .seconds(60))
    two.quotas += Self.forecast(0, left: 40, share: 50, length: .seconds(86_400)).quotas
    #expect(two.sentence == "40 requests are left of the day: about 2 days, in 3 runs")
  }

  @Test(
    "rounds as a person would",
    arguments: [
      (5, "1 minute"), (89, "1 minute"), (90, "2 minutes"), (3400, "57 minutes"),
      (3590, "1 hour"),
      (10_600, "3 hours"), (86_000, "1 day"), (200_000, "2 days"),
    ])
  func rough(seconds: Int64, words: String) {
    #expect(Wording.rough(.seconds(seconds)) == words)
  }
}
