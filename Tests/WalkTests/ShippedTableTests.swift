@testable import Jobs
import Walk
import Testing

/// Every sign of limit and error that the five APIs are known for, in the shapes of their answers,
/// against the tables of the job files that are shipped.
@Suite("The error tables of the shipped jobs")
struct ShippedTableTests {
  static func judge(_ job: String) throws -> Judge {
    Judge(try JobLibrary(userFolder: nil, systemFolder: nil).job(job))
  }

  static func google(
    _ code: Int, _ reason: String, limit: String? = nil, unit: String? = nil, value: String = "100",
    message: String = "no", detail: String = "RATE_LIMIT_EXCEEDED"
  ) -> String {
    let metadata = unit.map {
      #","metadata":{"quota_limit":"\#(limit ?? "")","quota_unit":"\#($0)","quota_limit_value":"\#(value)"}"#
    }
    let details = metadata.map {
      #","status":"RESOURCE_EXHAUSTED","details":[{"@type":"t/ErrorInfo","reason":"\#(detail)"\#($0)}]"#
    }
    let errors = #"[{"message":"\#(message)","domain":"global","reason":"\#(reason)"}]"#
    return
      #"{"error":{"code":\#(code),"message":"\#(message)","errors":\#(errors)\#(details ?? "")}}"#
  }

  static let youtubeRows: [AnswerRow] = [
    AnswerRow(
      "searches of the day are spent", 429, [],
      google(
        429, "rateLimitExceeded", limit: "defaultSearchListPerDayPerProject", unit: "1/d/{project}"),
      .postpone(nil, "search")),
    AnswerRow(
      "the same, told by the message alone", 429, [],
      google(
        429, "rateLimitExceeded",
        message:
          "Quota exceeded for quota metric 'Search Queries' and limit 'Search Queries per day'"),
      .postpone(nil, "search")),
    AnswerRow(
      "too many in this minute", 429, [],
      google(
        429, "rateLimitExceeded", limit: "defaultPerMinutePerProject", unit: "1/min/{project}"),
      .retry(60)),
    AnswerRow(
      "units of the day are spent", 403, [],
      google(403, "rateLimitExceeded", limit: "defaultPerDayPerProject", unit: "1/d/{project}"),
      .postpone(nil, "units")),
    AnswerRow("quota, older form", 403, [], google(403, "quotaExceeded"), .postpone(nil, "units")),
    AnswerRow("daily limit", 403, [], google(403, "dailyLimitExceeded"), .postpone(nil, "units")),
    AnswerRow("a burst, no name", 403, [], google(403, "userRateLimitExceeded"), .retry(60)),
    AnswerRow(
      "a search for 'daily' is no daily limit", 429, [],
      google(429, "rateLimitExceeded", message: "slow down, you asked for daily news per day"),
      .retry(60)),
    AnswerRow(
      "a project without any quota", 429, [],
      google(
        429, "rateLimitExceeded", limit: "defaultSearchListPerDayPerProject",
        unit: "1/d/{project}", value: "0"), .fatal),
    AnswerRow(
      "a key that is none", 400, [],
      google(400, "badRequest", unit: "", detail: "API_KEY_INVALID"), .key),
    AnswerRow("a key that is expired", 400, [], google(400, "keyExpired"), .key),
    AnswerRow("an API not switched on", 403, [], google(403, "accessNotConfigured"), .key),
    AnswerRow("a dead token", 400, [], google(400, "invalidPageToken"), .restart),
    AnswerRow("an unknown part", 400, [], google(400, "unknownPart"), .fatal),
    AnswerRow("an error that is a text", 401, [], #"{"error":"invalid_request"}"#, .key),
    AnswerRow("private to others", 403, [], google(403, "subscriptionForbidden"), .absent),
    AnswerRow("no such playlist", 404, [], google(404, "playlistNotFound"), .absent),
    AnswerRow("the back end", 503, [], google(503, "backendError"), .retry(nil)),
    AnswerRow("a page", 200, [], #"{"items":[],"pageInfo":{"totalResults":0}}"#, .page),
  ]

  static func news(_ code: String) -> String {
    #"{"status":"error","code":"\#(code)","message":"You have requested too many results."}"#
  }

  static let newsRows: [AnswerRow] = [
    AnswerRow("the cap of the plan", 426, [], news("maximumResultsReached"), .end(isCap: true)),
    AnswerRow(
      "the cap, under another status", 200, [], news("maximumResultsReached"), .end(isCap: true)),
    AnswerRow("too far in the past", 426, [], news("parameterInvalid"), .gap),
    AnswerRow("a wrong parameter", 400, [], news("parameterInvalid"), .fatal),
    AnswerRow("half a day is spent", 429, [], news("rateLimited"), .postpone(43_200, nil)),
    AnswerRow("the same, from a proxy", 500, [], news("rateLimited"), .postpone(43_200, nil)),
    AnswerRow("the plan is spent", 401, [], news("apiKeyExhausted"), .postpone(86_400, nil)),
    AnswerRow("a wrong key", 401, [], news("apiKeyInvalid"), .key),
    AnswerRow("no words", 400, [], news("parametersMissing"), .fatal),
    AnswerRow("a fault of theirs", 500, [], news("unexpectedError"), .retry(5)),
    AnswerRow("the guard's page in front", 502, [], "<html>cloudflare</html>", .retry(nil)),
    AnswerRow("a page", 200, [], #"{"status":"ok","totalResults":0,"articles":[]}"#, .page),
  ]

  static let secondary =
    #"{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs/x"}"#

  static let githubRows: [AnswerRow] = [
    AnswerRow(
      "the hour is spent", 403,
      [
        ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "1795271527"), ("X-RateLimit-Resource", "core"),
      ], #"{"message":"API rate limit exceeded for 1.2.3.4."}"#, .postpone(1201, "core")),
    AnswerRow(
      "the searches of the minute are spent", 403,
      [
        ("X-RateLimit-Limit", "30"), ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "1795270357"), ("X-RateLimit-Resource", "search"),
      ], #"{"message":"API rate limit exceeded for user ID 1."}"#, .postpone(31, "search")),
    AnswerRow(
      "the same as 429, without Date", 429,
      [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795270329")], "{}",
      .postpone(3, nil)),
    AnswerRow("secondary, with seconds", 403, [("Retry-After", "60")], secondary, .retry(60)),
    AnswerRow(
      "secondary, with a date and a clock that is wrong", 429,
      [
        ("Retry-After", "Sat, 21 Nov 2020 10:00:30 GMT"), ("Date", "Sat, 21 Nov 2020 10:00:00 GMT"),
      ], secondary, .retry(30)),
    AnswerRow(
      "secondary, with nothing but words, and thousands left", 403,
      [("X-RateLimit-Remaining", "4930"), ("gh-limited-by", "search")], secondary, .retry(60)),
    AnswerRow("secondary, from something in front that says 200", 200, [], secondary, .retry(60)),
    AnswerRow(
      "abuse detection", 403, [],
      #"{"message":"You have triggered an abuse detection mechanism.","documentation_url":"x"}"#,
      .retry(60)),
    AnswerRow(
      "by its document alone", 403, [],
      #"{"message":"Wait.","documentation_url":"https://docs/#about-secondary-rate-limits"}"#,
      .retry(60)),
    AnswerRow("simply forbidden", 403, [], #"{"message":"Must have admin rights"}"#, .absent),
    AnswerRow("a bad token", 401, [], #"{"message":"Bad credentials"}"#, .key),
    AnswerRow("no such user", 404, [], #"{"message":"Not Found","status":"404"}"#, .absent),
    AnswerRow("blocked", 451, [], #"{"message":"Repository access blocked"}"#, .absent),
    AnswerRow(
      "behind the thousandth", 422, [],
      #"{"message":"Only the first 1000 search results are available"}"#, .end(isCap: true)),
    AnswerRow(
      "too deep a list", 422, [],
      #"{"message":"In order to keep the API fast for everyone, pagination is limited for this resource."}"#,
      .end(isCap: true)),
    AnswerRow(
      "a search with errors as texts", 422, [],
      #"{"message":"Validation Failed","errors":["q is missing"]}"#, .fatal),
    AnswerRow("a search that was broken off", 200, [], #"{"incomplete_results":true}"#, .retry(5)),
    AnswerRow("a search", 200, [], #"{"incomplete_results":false,"items":[]}"#, .page),
    AnswerRow("statistics in the making", 202, [], "{}", .retry(nil)),
    AnswerRow("the unicorn", 502, [], "<!DOCTYPE html>", .retry(nil)),
    AnswerRow("an error of theirs", 500, [], #"{"error":"Server Error"}"#, .retry(nil)),
  ]

  static let giphyRows: [AnswerRow] = [
    AnswerRow(
      "the hour is spent", 429, [],
      #"{"data":[],"meta":{"status":429,"msg":"API rate limit exceeded","response_id":""}}"#,
      .postpone(3600, nil)),
    AnswerRow(
      "the same, from the gateway", 429, [], #"{"message":"API rate limit exceeded"}"#,
      .postpone(3600, nil)),
    AnswerRow(
      "the same, with status 200", 200, [], #"{"data":[],"meta":{"status":429,"msg":"x"}}"#,
      .postpone(3600, nil)),
    AnswerRow("forbidden", 403, [], #"{"meta":{"status":403,"msg":"Forbidden"}}"#, .key),
    AnswerRow("words too long", 414, [], "{}", .fatal),
    AnswerRow("no such id", 404, [], #"{"meta":{"status":404}}"#, .absent),
    AnswerRow("theirs", 500, [], "{}", .retry(nil)),
    AnswerRow(
      "past the ceiling is a page, and the walk tells it", 200, [],
      #"{"data":[],"pagination":{"total_count":0,"count":0,"offset":0},"meta":{"status":200}}"#,
      .page),
  ]

  static let marketRows: [AnswerRow] = [
    AnswerRow("no such product", 404, [], "", .absent),
    AnswerRow("a bad request", 400, [], "{}", .refused),
    AnswerRow("a sleeping host", 503, [], "<html>", .retry(nil)),
    AnswerRow("a page", 200, [], #"{"pageNo":1,"pages":[]}"#, .page),
  ]

  @Test("of YouTube", arguments: youtubeRows)
  func youtube(row: AnswerRow) throws { try check(row, "youtube") }

  @Test("of NewsAPI", arguments: newsRows)
  func newsapi(row: AnswerRow) throws { try check(row, "newsapi") }

  @Test("of GitHub", arguments: githubRows)
  func github(row: AnswerRow) throws { try check(row, "github") }

  @Test("of GIPHY", arguments: giphyRows)
  func giphy(row: AnswerRow) throws { try check(row, "giphy") }

  @Test("of the Open Market", arguments: marketRows)
  func openmarket(row: AnswerRow) throws { try check(row, "openmarket") }

  private func check(_ row: AnswerRow, _ job: String) throws {
    #expect(try row.decided(Self.judge(job)) == row.expected)
  }
}
