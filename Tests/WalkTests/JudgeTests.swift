import Base
import Walk
import Testing

/// An answer, and what should follow from it.
struct AnswerRow: Sendable {
  var name: String
  var status: Int
  var fields: [HeaderField] = []
  var body = ""
  var expected: Expected

  enum Expected: Sendable, Equatable {
    case page
    /// The least wait in seconds; nil: the backoff's own.
    case retry(Int64?)
    /// Seconds from now, and the quota.
    case postpone(Int64?, String?)
    case fatal, key, refused, unreadable, absent, nothing, restart, gap
    case end(isCap: Bool)

    /// `retry 60`, `postpone`, `key`
    init(_ text: String) throws {
      let parts = text.split(separator: " ").map(String.init)
      let seconds = parts.count > 1 ? Int64(parts[1]) : nil
      let all: [String: Expected] = [
        "page": .page, "key": .key, "fatal": .fatal, "absent": .absent, "refused": .refused,
        "restart": .restart, "cap": .end(isCap: true), "retry": .retry(seconds),
        "postpone": .postpone(seconds, nil),
      ]
      self = try #require(all[parts[0]])
    }
  }

  static let now = Instant(seconds: 1_795_270_327)

  init(
    _ name: String, _ status: Int, _ fields: [(String, String)] = [], _ body: String = "",
    _ expected: Expected
  ) {
    self.name = name
    self.status = status
    self.fields = fields.map { HeaderField($0.0, $0.1) }
    self.body = body
    self.expected = expected
  }

  init(line: String) throws {
    let parts = line.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false)
      .map(String.init)
    let fields = parts[3].split(separator: " & ").map { field in
      let sides = field.split(separator: ": ", maxSplits: 1).map(String.init)
      return (sides[0], sides[1])
    }
    try self.init(
      parts[0], #require(Int(parts[1])), fields, parts[4], Expected(parts[2]))
  }

  func answer() throws -> Answer {
    Answer(
      status: status, fields: HeaderFields(fields), body: Array(body.utf8),
      address: try WebAddress("https://api.example/v1/things?q=1"), sentAt: Self.now,
      receivedAt: Self.now)
  }

  /// The judge's decision, in the terms of the tables.
  func decided(_ judge: Judge, attempt: Int = 1) throws -> Expected {
    let answer = try answer()
    switch judge.decide(answer, AnswerBody(answer), attempt: attempt) {
    case nil: return .page
    case .retry(let after, _, _): return .retry(after.map { $0.milliseconds / 1000 })
    case .postpone(let until, let quota, _):
      return .postpone(until.map { ($0 - Self.now).milliseconds / 1000 }, quota)
    case .fatal: return .fatal
    case .keyRefused: return .key
    case .trouble(let kind, _, _):
      return switch kind {
      case .refused, .denied: .refused
      case .unreadable: .unreadable
      case .absent: .absent
      case .ended, .cap: .end(isCap: kind == .cap)
      case .nothing: .nothing
      case .restart: .restart
      case .gap: .gap
      }
    }
  }
}

@Suite("The defaults of the error table")
struct JudgeDefaultTests {
  /// `name|status|decision|field: value & field: value|body`
  static let table = #"""
    a page|200|page||{}
    nothing new|304|page||
    no content, for the reader to judge|204|page||
    still at work|202|retry||{}
    still at work for a while|202|retry 3|Retry-After: 3|{}
    bad request|400|refused||{}
    no key|401|key||{}
    a token refused in a head|419|key|WWW-Authenticate: Bearer error="invalid_token"|
    forbidden|403|fatal||{}
    forbidden, with much left|403|fatal|X-RateLimit-Remaining: 4930|
    a limit told by a 403|403|retry 2||{"message":"API rate limit exceeded for 1.2.3.4"}
    a limit told by a 400|400|retry 2||{"error":{"message":"quotaExceeded"}}
    no limit|403|fatal||{"message":"limited to members"}
    a spent day told to a program|403|retry 2||{"error":{"message":"No.","errors":[{"reason":"dailyLimitExceeded"}]}}
    a spent quota told with a link|403|retry 2||{"error":{"message":"you have exceeded your <a href=\"/quota\">quota</a>."}}
    a spent month|402|retry 2||{"message":"You have reached the MONTHLY quota for Requests. Upgrade your plan."}
    a spent day|403|retry 2||{"message":"API calls limit exceeded. Try again tomorrow."}
    a day used up|403|retry 2||{"message":"Your daily quota is used up."}
    a limit that is used, and no end of it|403|fatal||{"message":"Usage limits used by plan: sign up."}
    a plan that never had it|403|fatal||{"message":"The limit of 500 requests is reached: upgrade your plan."}
    a limit on a size|403|fatal||{"message":"API file size limit exceeded"}
    a page that is too large|400|refused||{"message":"API request limit reached: 100 a page"}
    letters of a limit in other words|400|refused||{"message":"cannot generate limits"}
    not there|404|absent||{}
    gone|410|absent||
    blocked by law|451|absent||{}
    not acceptable|406|refused||
    too long|414|refused||
    unprocessable|422|refused||{}
    timed out there|408|retry||
    too early|425|retry||
    sent to the wrong server|421|retry||
    too many|429|retry 2||{}
    too many, with a wait|429|postpone 30|Retry-After: 30|
    forbidden for a wait|403|postpone 60|Retry-After: 60|
    used up|403|postpone 1201|X-RateLimit-Remaining: 0 & X-RateLimit-Reset: 1795271527|
    used up, no reset told|429|postpone|X-RateLimit-Remaining: 0|
    used up, by the newer fields|429|postpone 501|RateLimit: "day";r=0;t=500|
    used up and a longer wait|429|postpone 90|X-RateLimit-Remaining: 0 & X-RateLimit-Reset: 10 & Retry-After: 90|
    broken|500|retry||<html>
    overloaded, with a wait|503|retry 120|Retry-After: 120|
    not made yet|501|retry||
    a strange one|599|retry||
    a redirect that was not followed|300|refused||
    no status at all|0|refused||
    """#.split(separator: "\n").map(String.init)

  @Test("decide every status", arguments: table)
  func statuses(line: String) throws {
    let judge = Judge(try FakeJob.job(try FakeJob.stream(.single)))
    let row = try AnswerRow(line: line)
    #expect(try row.decided(judge) == row.expected)
  }

  @Test("say what failed on which path, and never the query")
  func sentences() throws {
    let judge = Judge(try FakeJob.job(try FakeJob.stream(.single)))
    for line in Self.table {
      let answer = try AnswerRow(line: line).answer()
      guard let decision = judge.decide(answer, AnswerBody(answer)) else { continue }
      if case .postpone = decision { continue }
      let message = "\(decision)"
      #expect(message.contains("https://api.example/v1/things") && !message.contains("q=1"))
    }
  }

  @Test(
    "repeat the server's words without their tags, but not without names in angle brackets",
    arguments: [
      (#"see <a href=\"/q\">your <b>rights</b></a>"#, "see your rights"),
      ("no field <limit> in <q>", "no field <limit> in <q>"),
      (#"7 < 9 of <a href=\"/q\">those</a>"#, "7 < 9 of those"),
    ])
  func words(said: String, shown: String) throws {
    let judge = Judge(try FakeJob.job(try FakeJob.stream(.single)))
    let answer = try AnswerRow("", 403, [], #"{"message":"\#(said)"}"#, .fatal).answer()
    let decision = try #require(judge.decide(answer, AnswerBody(answer)))
    #expect("\(decision)".contains(shown), "\(decision)")
  }

  @Test("take an \"invalid_token\" in a body for the key, unless it may be a page's or a record's")
  func invalidToken() throws {
    let feed = ParentFeed(stream: "list", column: "id", when: .new, batch: 1)
    for (word, hasKey, pager, parent, expected) in [
      ("invalid_token", true, .single, nil, .key),
      ("invalid_token_count", true, .single, nil, .refused),
      ("invalid_token", false, .single, nil, .refused),
      ("invalid_token", true, try FakeJob.token(), nil, .refused),
      ("invalid_token", true, .single, feed, .refused),
    ] as [(String, Bool, Pager, ParentFeed?, AnswerRow.Expected)] {
      var stream = try FakeJob.stream(pager)
      stream.parent = parent
      var job = try FakeJob.job(stream)
      if hasKey { job.authentication = Authentication(place: .query(name: "key"), secret: "shop") }
      let row = AnswerRow("", 400, [], #"{"error":"\#(word)"}"#, expected)
      #expect(try row.decided(Judge(job, stream)) == row.expected)
    }
  }

  @Test("retry what may pass in the network, and nothing else")
  func failures() throws {
    for kind in ExchangeFailure.Kind.allCases {
      let failure = ExchangeFailure(kind, cause: .network, sentence: "it broke")
      let expected: Decision =
        if failure.mayPass {
          .retry(after: nil, cause: .network, message: "it broke")
        } else if kind == .tooLarge {
          .trouble(.unreadable, cause: .network, message: "it broke")
        } else if kind == .tooManyHops || kind == .refusedRedirect {
          .trouble(.refused, cause: .network, message: "it broke")
        } else {
          .fatal(message: "it broke")
        }
      #expect(Judge.decide(failure) == expected)
    }
  }

  @Test("name the quota that the server's own name stands for")
  func serverNames() throws {
    var job = try FakeJob.job(try FakeJob.stream(.single))
    job.quotas = [
      Quota(name: "hour", allow: 60, window: .rolling(.seconds(3600)), serverName: "core"),
      Quota(name: "search", allow: 10, window: .rolling(.seconds(60))),
    ]
    let judge = Judge(job)
    for (name, quota) in [("core", "hour"), ("search", "search"), ("other", nil)] {
      let row = AnswerRow(
        name, 403, [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Resource", name)], "",
        .postpone(nil, quota))
      #expect(try row.decided(judge) == row.expected)
    }
  }
}

@Suite("A row of an error table")
struct ErrorRuleTests {
  static func judge(_ rules: ErrorRule...) throws -> Judge {
    var job = try FakeJob.job(try FakeJob.stream(.single))
    job.errors = rules
    return Judge(job)
  }

  static let matches: [(text: String, pattern: String, isLike: Bool)] = [
    ("1/d/{project}", "1/d/*", true), ("1/min/x", "1/d/*", false), ("", "*", true), ("", "", true),
    ("a", "", false), ("abc", "abc", true), ("abcd", "abc", false), ("xabc", "*abc", true),
    ("a**b", "a*b", true), ("mississippi", "m*iss*ppi", true), ("mississippi", "m*iss*ppx", false),
    ("\u{e9}", "e\u{301}", false), ("aXbXc", "a*b*c", true), ("aaaaaaaaab", "*a*a*a*b", true),
  ]

  @Test("matches bytes, and a star any run of them", arguments: matches)
  func like(text: String, pattern: String, isLike: Bool) throws {
    let judge = try Self.judge(ErrorRule(field: "X-Why", test: pattern, action: .skip))
    let row = AnswerRow("", 400, [("x-why", text)], "", isLike ? .absent : .refused)
    #expect(try row.decided(judge) == row.expected)
  }

  @Test("looks at every value that a path reaches, whatever its type")
  func paths() throws {
    let body = #"{"e":[{"r":"one"},{"r":2},{"r":true},{"r":null},{"r":{"x":1}}]}"#
    for (wanted, holds) in [
      ("one", true), ("2", true), ("true", true), ("null", true), ("nul*", false),
      ("x", false),
    ] {
      let judge = try Self.judge(
        ErrorRule(path: try JSONPath("e.*.r"), test: wanted, action: .skip))
      let row = AnswerRow("", 400, [], body, holds ? .absent : .refused)
      #expect(try row.decided(judge) == row.expected, "\(wanted)")
    }
    let there = try Self.judge(ErrorRule(path: try JSONPath("e.4.r.x"), action: .skip))
    #expect(try AnswerRow("", 400, [], body, .absent).decided(there) == .absent)
    #expect(try AnswerRow("", 400, [], "<e>", .refused).decided(there) == .refused)
  }

  @Test("holds only when all that it names holds, and the first such row decides")
  func order() throws {
    let judge = try Self.judge(
      ErrorRule(statuses: [400...400], field: "X-A", test: "1", action: .skip),
      ErrorRule(statuses: [400...499, 200...200], test: "*later*", action: .retry),
      ErrorRule(statuses: [200...200], path: try JSONPath("error"), action: .fatal),
      ErrorRule(action: .fatal))
    let decide = { (status: Int, field: String, body: String) in
      try AnswerRow("", status, [("x-a", field)], body, .page).decided(judge)
    }
    #expect(try decide(400, "1", "later") == .absent)
    #expect(try decide(401, "1", "later") == .retry(nil))
    #expect(try decide(200, "1", "try later") == .retry(nil), "a 2xx may be an error too")
    #expect(try decide(200, "1", #"{"error":0}"#) == .fatal)
    #expect(try decide(200, "1", "{}") == .page, "a row without conditions never holds")
    #expect(try decide(404, "1", "") == .absent, "the defaults stand behind the table")
  }

  @Test("takes a 403 for the list's own trouble where it was read before, and a 401 for the key's")
  func forbidden() throws {
    let job = try FakeJob.job(try FakeJob.stream(.single))
    for (wasRead, expected) in [(false, AnswerRow.Expected.fatal), (true, .refused)] {
      let judge = Judge(job, wasRead: wasRead)
      #expect(try AnswerRow("", 403, [], "", .page).decided(judge) == expected)
      #expect(try AnswerRow("", 401, [], "", .page).decided(judge) == .key)
    }
  }

  @Test("waits as long as the server asks, else as long as it says itself, doubling")
  func waits() throws {
    let judge = try Self.judge(
      ErrorRule(statuses: [403...403], action: .retry, wait: .seconds(60)),
      ErrorRule(statuses: [429...429], action: .defer, quota: "day", wait: .seconds(3600)))
    let asked = AnswerRow("", 403, [("Retry-After", "5")], "", .retry(5))
    #expect(try asked.decided(judge, attempt: 3) == .retry(5))
    let silent = AnswerRow("", 403, [], "", .retry(60))
    for (attempt, seconds) in [(0, 60), (1, 60), (2, 120), (3, 240), (100, 3840)] {
      #expect(try silent.decided(judge, attempt: attempt) == .retry(Int64(seconds)))
    }
    #expect(try AnswerRow("", 429, [], "", .page).decided(judge) == .postpone(3600, "day"))
    let longer = AnswerRow("", 429, [("Retry-After", "7200")], "", .page)
    #expect(try longer.decided(judge) == .postpone(7200, "day"))
    let shorter = AnswerRow("", 429, [("Retry-After", "5")], "", .page)
    #expect(try shorter.decided(judge) == .postpone(5, "day"), "a burst is no spent hour")
  }

  @Test("searches a body of a million bytes, and none that is longer")
  func hugeBody() throws {
    let judge = try Self.judge(ErrorRule(test: "*a*b", action: .skip))
    for (count, expected) in [(1_000_000, AnswerRow.Expected.absent), (1_000_001, .refused)] {
      let body = String(repeating: "a", count: count - 1) + "b"
      #expect(try AnswerRow("", 400, [], body, expected).decided(judge) == expected)
    }
  }
}
