import Glibc
import Base
import TestSupport
import Testing

/// Imitations of sites where people write, according to their documentation.
@Suite("A shipped job that reads what people write", .prompt)
struct CommunityJobTests {
  private let home = Home()

  // MARK: Stack Exchange

  private static let begin: Int64 = 1_767_225_600  // 2026-01-01

  /// A question every minute. Without a key no page after the 25th is shown.
  private static func questions(_ call: AnswerServer.Call, count: Int64, left: Int)
    -> AnswerServer.Reply
  {
    let asked = call.parameters
    guard asked["site"] == "superuser", asked["tagged"] == "cron", asked["sort"] == "creation"
    else {
      return .json(
        #"{"error_id": 400, "error_name": "bad_parameter", "error_message": "x"}"#, status: 400)
    }
    let page = max(1, call.number("page") ?? 1)
    if page > 25, asked["key"] == nil {
      return .json(
        #"""
        {"error_id": 403, "error_name": "access_denied",
         "error_message": "page above 25 requires access token or app key"}
        """#, status: 400)
    }
    let from = Int64(asked["fromdate"] ?? "") ?? 0
    let to = Int64(asked["todate"] ?? "") ?? .max
    let found = (0..<count).filter { (from...to).contains(begin + $0 * 60) }
    let size = min(100, call.number("pagesize") ?? 30)
    let shown = found.dropFirst((page - 1) * size).prefix(size)
    let items = shown.map { number in
      """
      {"question_id": \(number), "title": "Q &amp; A \(number)", "tags": ["cron", "t\(number % 3)"], \
      "score": 1, "view_count": 7, "answer_count": 0, "is_answered": false, \
      "creation_date": \(begin + number * 60), "last_activity_date": \(begin + number * 60), \
      "link": "https://superuser.example/q/\(number)", "owner": {"display_name": "a"}}
      """
    }
    return .json(
      """
      {"items": [\(items.joined(separator: ","))], "has_more": \(found.count > page * size), \
      "quota_max": 300, "quota_remaining": \(left)}
      """)
  }

  private func stack(_ command: String, _ server: AnswerServer, _ more: String...) -> [String] {
    [command, "stackexchange", "--set", "site=superuser", "--set", "tag=cron", "--data", home.data]
      + ["--endpoint", server.origin] + more
  }

  @Test("has every question of a window with more pages than are shown without a key")
  func stackexchange() async throws {
    let server = AnswerServer { Self.questions($0, count: 4_320, left: 123) }
    let command = stack("backfill", server, "--from", "2026-01-01", "--to", "2026-01-04")
    await home.run(command, ends: 0)
    #expect(try home.count("stackexchange_questions") == 4_320)
    #expect(try home.count("stackexchange_tags") == 8_640)
    await home.run(command + ["--prove"], ends: 0)
    #expect(try home.count("trawl_coverage WHERE verdict <> 'complete'") == 0)
    #expect(
      try home.tables.texts("SELECT title FROM stackexchange_questions WHERE id = 7") == ["Q & A 7"]
    )
    let ledger = Tables(path: "\(home.data)/ledger.db")
    #expect(try ledger.count("SELECT server_left FROM trawl_quotas WHERE quota = 'day'") == 123)
  }

  @Test("pauses where Stack Exchange shuts the address out, and claims no list to be whole")
  func throttled() async throws {
    let server = AnswerServer { call in
      call.number("page") ?? 1 < 3
        ? Self.questions(call, count: 450, left: 200)
        : .json(
          #"""
          {"error_id": 502, "error_name": "throttle_violation",
           "error_message": "too many requests from this IP, more requests available in 46472 seconds"}
          """#, status: 400)
    }
    let command = stack("run", server, "--max-wait", "1s")
    await home.run(command, ends: 75, saying: "shuts out this address")
    let count = try home.count("stackexchange_questions")
    #expect((150...250).contains(count), "two pages: \(count)")
    #expect(try Set(home.tables.verdicts().values) == ["paused"])
    let asked = server.calls.count
    await home.run(command, ends: 75)
    #expect(server.calls.count == asked)
  }

  // MARK: Mastodon

  /// Posts by descending numbers, forty an answer; a full page names the next one.
  private static func posts(_ call: AnswerServer.Call, _ numbers: [Int]) -> AnswerServer.Reply {
    let size = min(40, call.number("limit") ?? 20)
    let below = call.number("max_id") ?? .max
    let shown = numbers.filter { $0 < below }.sorted(by: >).prefix(size)
    let items = shown.map { number in
      """
      {"id": "\(number)", "uri": "https://a.example/\(number)", "content": "<p>Post \(number)</p>", \
      "created_at": "2026-01-01T00:00:00.000Z", "account": {"acct": "a", "display_name": ""}, \
      "spoiler_text": "", "reblog": null, "card": null, "tags": [{"name": "boats"}], \
      "media_attachments": [{"id": "\(number)1", "type": "image", "url": "https://a.example/i"}]}
      """
    }
    let link =
      "Link: <\(call.origin)\(call.path)?limit=\(size)&max_id=\(shown.last ?? 0)>; rel=\"next\""
    return .json("[\(items.joined(separator: ","))]", shown.count == size ? [link] : [])
  }

  @Test("passes over no post of a hashtag while posts come and go, and marks those that are gone")
  func hashtag() async throws {
    let numbers = Locked(Array(1_000..<1_103))
    let server = AnswerServer { call in
      let reply = Self.posts(call, numbers.withLock { $0 })
      // Between any two pages one is added, and one that was read leaves.
      numbers.withLock { all in
        all.append((all.max() ?? 0) + 1)
        all.removeAll { $0 == 1_101 }
      }
      return reply
    }
    let command = [
      "run", "mastodon", "--set", "tag=boats", "--endpoint", server.origin, "--data", home.data,
    ]
    await home.run(command, ends: 0)
    #expect(try home.tables.verdicts() == ["#boats": "complete"])
    #expect(try home.count("mastodon_posts WHERE id BETWEEN 1000 AND 1102") == 103)
    #expect(try home.count("mastodon_attachments") >= 103)
    await home.run(command, ends: 0)
    #expect(
      try home.tables.texts("SELECT post_id FROM mastodon_found WHERE vanished_at IS NOT NULL")
        .contains("1101"))
    #expect(try home.count("mastodon_found WHERE vanished_at IS NOT NULL AND post_id > 1101") == 0)
  }

  @Test("finds an account by its name, and what it has posted")
  func account() async throws {
    let server = AnswerServer { call in
      if call.target.hasPrefix("/api/v1/accounts/lookup?acct=sailor") {
        return .json(
          """
          {"id": "77", "acct": "sailor", "display_name": "", "followers_count": 5, \
          "statuses_count": 41, "created_at": "2020-01-01T00:00:00.000Z"}
          """)
      }
      return call.target.hasPrefix("/api/v1/accounts/77/statuses")
        ? Self.posts(call, Array(1...41)) : .json("{}", status: 404)
    }
    await home.trawl(
      "run", "mastodon", "--set", "user=sailor", "--endpoint", server.origin, ends: 0)
    #expect(try home.tables.verdicts()["posts of sailor"] == "complete")
    #expect(try home.count("mastodon_posted WHERE account_id = 77") == 41)
  }

  @Test("says that an instance shows nothing to strangers, and claims nothing of its list")
  func closed() async throws {
    let server = AnswerServer { _ in
      .json(#"{"error": "This method requires an authenticated user"}"#, status: 422)
    }
    await home.trawl(
      "run", "mastodon", "--set", "tag=boats", "--endpoint", server.origin, ends: 1,
      saying: "logged in there")
    #expect(try !home.tables.verdicts().values.contains("complete"))
  }
}
