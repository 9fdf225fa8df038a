@testable import Jobs
import Walk
import Testing

/// Cases for which LimitAnswerTests has no whole answer: job, status, decision, and body.
@Suite("The error tables of the shipped jobs")
struct ShippedTableTests {
  static func judge(_ job: String) throws -> Judge {
    Judge(try JobLibrary(userFolder: nil, systemFolder: nil).job(job))
  }

  private static let rows = #"""
    youtube|429|retry 60|{"error":{"message":"slow down, you asked for daily news per day","errors":[{"reason":"rateLimitExceeded"}]}}
    youtube|400|key|{"error":{"errors":[{"reason":"badRequest"}],"details":[{"@type":"t/ErrorInfo","reason":"API_KEY_INVALID"}]}}
    youtube|400|key|{"error":{"errors":[{"reason":"keyExpired"}]}}
    youtube|400|restart|{"error":{"errors":[{"reason":"invalidPageToken"}]}}
    youtube|400|fatal|{"error":{"errors":[{"reason":"unknownPart"}]}}
    youtube|401|key|{"error":"invalid_request"}
    youtube|403|absent|{"error":{"errors":[{"reason":"subscriptionForbidden"}]}}
    youtube|404|absent|{"error":{"errors":[{"reason":"playlistNotFound"}]}}
    youtube|503|retry|{"error":{"errors":[{"reason":"backendError"}]}}
    youtube|200|page|{"items":[],"pageInfo":{"totalResults":0}}
    newsapi|200|cap|{"status":"error","code":"maximumResultsReached","message":"You have requested too many results."}
    newsapi|400|fatal|{"status":"error","code":"parameterInvalid"}
    newsapi|401|key|{"status":"error","code":"apiKeyInvalid"}
    newsapi|400|fatal|{"status":"error","code":"parametersMissing"}
    newsapi|500|retry 5|{"status":"error","code":"unexpectedError"}
    newsapi|502|retry|<html>cloudflare</html>
    newsapi|200|page|{"status":"ok","totalResults":0,"articles":[]}
    github|200|retry 60|{"message":"You have exceeded a secondary rate limit.","documentation_url":"https://docs/x"}
    github|401|key|{"message":"Bad credentials"}
    github|404|absent|{"message":"Not Found","status":"404"}
    github|451|absent|{"message":"Repository access blocked"}
    github|422|fatal|{"message":"Validation Failed","errors":["q is missing"]}
    github|200|retry 5|{"incomplete_results":true}
    github|200|page|{"incomplete_results":false,"items":[]}
    github|202|retry|{}
    github|502|retry|<!DOCTYPE html>
    github|500|retry|{"error":"Server Error"}
    giphy|414|fatal|{}
    giphy|404|absent|{"meta":{"status":404}}
    giphy|500|retry|{}
    giphy|200|page|{"data":[],"pagination":{"total_count":0,"count":0,"offset":0},"meta":{"status":200}}
    openmarket|404|absent|
    openmarket|400|refused|{}
    openmarket|503|retry|<html>
    openmarket|200|page|{"pageNo":1,"pages":[]}
    """#.split(separator: "\n").map(String.init)

  @Test("take each answer for what it means", arguments: rows)
  func decided(line: String) throws {
    let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false)
      .map(String.init)
    let expected = try AnswerRow.Expected(parts[2])
    let row = AnswerRow(line, try #require(Int(parts[1])), [], parts[3], expected)
    #expect(try row.decided(Self.judge(parts[0])) == expected)
  }
}
