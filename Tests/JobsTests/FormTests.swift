import Base
@testable import Jobs
import Testing

@Suite("A text of a job file")
struct FormTests {
  @Test(
    "is a size when it is a number with its unit",
    arguments: [
      ("500KB", 500_000), ("20MB", 20_000_000), ("5GB", 5_000_000_000), ("1TB", 1_000_000_000_000),
      ("5 GB", nil), ("5gb", nil), ("GB", nil), ("0MB", nil), ("9999999999TB", nil), ("5", nil),
    ] as [(String, Int64?)])
  func size(text: String, bytes: Int64?) { #expect(SizeText.read(text) == bytes) }

  @Test(
    "is the window of a quota that begins anew when it has a time of day and a zone",
    arguments: [
      ("00:00 America/Los_Angeles", true), ("23:59 UTC", true), ("07:30 Etc/GMT+3", true),
      ("24:00 UTC", false), ("0:00 UTC", false), ("00:60 UTC", false), ("00:00", false),
      ("00:00 ../UTC", false), ("00:00 UTC ", false), ("00:00  UTC", false), ("00:00 /UTC", false),
    ])
  func window(text: String, isOne: Bool) {
    #expect((QuotaText.window("day from " + text) != nil) == isOne)
  }

  @Test("is a window that rolls when it is a word or a duration")
  func rolling() {
    #expect(QuotaText.window("hour") == .rolling(.seconds(3_600)))
    #expect(QuotaText.window("12h") == .rolling(.seconds(43_200)))
    for text in ["fortnight", "", "0s", "hour from 00:00 UTC", "day from", "days"] {
      #expect(QuotaText.window(text) == nil, "\(text)")
    }
  }

  @Test(
    "is no header field with which no request would ever be sent, though an answer may have it",
    arguments: [
      "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer",
      "Upgrade", "Expect", "HTTP2-Settings", "Proxy-Authorization", "Proxy-Connection",
    ])
  func framing(name: String) {
    for problem in [
      TextForm.headerName.problem(name), TextForm.secretPlace.problem("header:\(name)"),
    ] {
      #expect(problem?.contains("cannot be set here") == true)
    }
    #expect(TextForm.answerPlace.problem("header:\(name)") == nil)
  }

  @Test("is a place for a secret, with what stands around it")
  func secretPlace() {
    let places: [(String, Credential.Place?)] = [
      ("?key", .query(name: "key")), ("header:X-Key", .header(name: "X-Key", prefix: "")),
      ("header:Authorization Bearer {secret}", .header(name: "Authorization", prefix: "Bearer ")),
      (
        "header:Authorization Token token={secret}",
        .header(name: "Authorization", prefix: "Token token=")
      ),
      ("basic", .basic(user: nil)), ("basic {secret}:", .basic(user: nil)),
      ("basic {secret}:api_token", .userName(password: "api_token")),
      ("basic {mail}/token:{secret}", .basic(user: "{mail}/token")),
      ("header:X-Key Bearer", nil), ("header:X-Key {secret} more", nil), ("basic me", nil),
      ("basic :{secret}", nil), ("basic {mail}", nil), ("bearer", nil), ("", nil),
    ]
    for (text, place) in places { #expect(PlaceText.secret(text) == place, "\(text)") }
  }

  @Test("is a cap with what it means")
  func cap() {
    let caps: [(String, Cap?)] = [
      ("1000", Cap(at: 1000, doubt: 1000, expected: nil)),
      ("4999 doubt 4900", Cap(at: 4999, doubt: 4900, expected: nil)),
      ("25 expected: the best: 25", Cap(at: 25, doubt: 25, expected: "the best: 25")),
      ("9 doubt 8 expected: so it is", Cap(at: 9, doubt: 8, expected: "so it is")),
      ("", nil), ("0", nil), ("-1", nil), ("many", nil), ("9 doubts 8", nil), ("9 doubt", nil),
      ("9 expected: ", nil), ("9 expected", nil), ("9 8", nil),
    ]
    for (text, cap) in caps { #expect(CapText.read(text) == cap, "\(text)") }
  }

  @Test("is a request with a query behind its path")
  func request() throws {
    let request = try #require(RequestText.read("/v2/{image/}/tags?id={id}&part=a=b&to={to?}&x="))
    #expect(request.path.description == "/v2/{image}/tags" && request.slashes == ["image"])
    #expect(
      request.query.map { "\($0.name)=\($0.value)" } == ["id={id}", "part=a=b", "to={to}", "x="])
    #expect(request.query.map(\.isLeftOutIfEmpty) == [false, false, true, false])
    for text in [
      "/a?", "/a?=b", "/a?b c=d", "/a?b=c d", "/a?b=%20", "a?b=c", "/a?b={c", "/a?b={c/}", "/a#b",
      "/{a?}",
      "/a?b=c&&d=e",
    ] {
      #expect(RequestText.read(text) == nil, "\(text)")
    }
  }

  @Test("is an image's column with what is set on its address")
  func image() throws {
    let image = try #require(ImageText.read("avatar_url?s=120&v=a=b"))
    #expect(image.column == "avatar_url" && image.adding.map(\.name) == ["s", "v"])
    #expect(image.adding.map(\.value) == ["120", "a=b"])
    #expect(try #require(ImageText.read("avatar_url")).adding.isEmpty)
    for text in ["a?", "a?s", "a?s=", "a?=1", "a?s=1&"] {
      #expect(ImageText.read(text) == nil, "\(text)")
    }
  }

  @Test(
    "is a range of statuses",
    arguments: [
      ("429", 429...429), ("5xx", 500...599), ("500-599", 500...599), ("403-429", 403...429),
      ("600", nil), ("99", nil), ("6xx", nil), ("429-403", nil), ("4x", nil), ("", nil),
    ] as [(String, ClosedRange<Int>?)])
  func status(text: String, range: ClosedRange<Int>?) { #expect(StatusText.read(text) == range) }

  @Test(
    "is a column with alternatives and a type",
    arguments: [
      ("a.b", ["a.b"], "text"), ("a | b.c as url", ["a", "b.c"], "url"),
      ("\"a | b\".c as integer", ["\"a | b\".c"], "integer"),
      ("\"x as y\"", ["\"x as y\""], "text"),
      (". as json", ["."], "json"), ("a as time", ["a"], "time(digits: 0, zone: nil)"),
      ("a as time(3) in Asia/Seoul", ["a"], "time(digits: 3, zone: Optional(\"Asia/Seoul\"))"),
    ] as [(String, [String], String)])
  func column(text: String, paths: [String], kind: String) throws {
    let read = try PathText.typed(text)
    #expect(read.source == .paths(try paths.map { try JSONPath($0) }))
    #expect("\(read.kind)" == kind && !read.isVolatile)
  }

  @Test(
    "is a column that is volatile or required, of the request, a fixed text, or made of the record")
  func made() throws {
    let views = try PathText.typed("views as integer volatile")
    #expect(views.source == .paths([try JSONPath("views")]))
    #expect(views.kind == .integer && views.isVolatile)
    #expect(try PathText.typed("{user}").source == .parameter("user"))
    #expect(try PathText.typed("{id} as integer").kind == .integer)
    let name = try PathText.typed("name as required")
    #expect(name.kind == .text && name.isRequired && !name.isVolatile)
    let both = try PathText.typed("n as time in Asia/Seoul required volatile")
    #expect(both.kind == .time(digits: 0, zone: "Asia/Seoul") && both.isRequired && both.isVolatile)
    #expect(try PathText.listed("n required") == ("n", "n as required"))
    #expect(try PathText.typed("'as it is'").source == .constant("as it is"))
    for text in ["'made in Rome'", #""price in USD""#] {
      #expect(TextForm.typedPath.problem(text) == nil)
    }
    #expect(TextForm.listedColumn.problem(#""price in USD""#) == nil)
    #expect(TextForm.typedPath.problem("a as time in Mars/Olympus volatile") != nil)
    #expect(TextForm.listedColumn.problem("a time in Mars/Olympus") != nil)
    #expect(
      try PathText.typed("'of {user}'").source == .filled(try #require(Template("of {user}"))))
    #expect(try PathText.typed("position()").source == .position)
    #expect(try PathText.typed("position()").kind == .integer)
    #expect(try PathText.typed("name()").source == .memberName)
    #expect(try PathText.listed("digest()") == ("digest", "digest()"))
    #expect(try PathText.listed("{id} integer") == ("id", "{id} as integer"))
  }

  @Test(
    "is not a column",
    arguments: [
      "", "a |", "| a", "a as", "a as number", "a b", "a as time in", "{A}", "{a b}",
      "{a} as text volatile",
      "position() as integer volatile", "a as volatile",
    ])
  func noColumn(text: String) {
    #expect(throws: PathText.Problem.self) { try PathText.typed(text) }
  }
}

@Suite("A pattern")
struct PatternTests {
  @Test(
    "takes whole values only",
    arguments: [
      ("[A-Za-z0-9][A-Za-z0-9_-]{0,38}", "octocat", true),
      ("[A-Za-z0-9][A-Za-z0-9_-]{0,38}", "a b/..", false),
      ("[A-Za-z0-9][A-Za-z0-9_-]{0,38}", String(repeating: "a", count: 40), false),
      ("[A-Za-z0-9][A-Za-z0-9_-]{0,38}", "", false),
      ("g|pg|pg-13|r", "pg-13", true), ("g|pg|pg-13|r", "pg-1", false), ("g|pg", "xg", false),
      ("a", "a\nb", false), ("a*", "a\0b", false), ("[^]x]", "y", true),
      ("[[:alpha:]]+", "ab", true),
    ])
  func matches(pattern: String, value: String, isTaken: Bool) throws {
    #expect(try Pattern(pattern).matches(value) == isTaken)
  }

  @Test(
    "is refused when it is none, or costs without bound",
    arguments: [
      "", "(", ")", "a)(b", "[a", "(a)\\1", "((a{1,255}){1,255}){1,255}", "a{2000}",
      String(repeating: "(", count: 21) + "a" + String(repeating: ")", count: 21),
      String(repeating: "a", count: 201), "a\nb", "*{99999}",
    ])
  func isRefused(pattern: String) {
    #expect(throws: Pattern.Problem.self) { _ = try Pattern(pattern) }
  }
}

@Suite("An SQL expression")
struct SQLExpressionTests {
  @Test(
    "may say what depends on nothing but its values",
    arguments: [
      "value", "upper(value) || 'x;y--'", "CASE WHEN value > 1.5e3 THEN 'it''s' ELSE NULL END",
      "iif(value IN ('a', 'b'), 1, 0)", "CAST(value AS INTEGER) % 10 <> -1",
      "trawl_unescape(value)",
      "substr(value, instr(value, '/vi/') + 4, 11)", "value IS NOT NULL AND NOT (value LIKE 'a%')",
      "trawl_digest (value)", "coalesce(nullif(value, ''), 'none')",
    ])
  func isTaken(text: String) { #expect(SQLExpression.problem(text, names: ["value"]) == nil) }

  @Test(
    "may say nothing else",
    arguments: [
      ("", "empty"), ("value; x", "';'"), ("(select 1)", "subquery"), ("value -- x", "comments"),
      ("value /* x */", "comments"), ("random()", "random()"), ("load_extension('x')", "may not"),
      ("other", "not known"), ("\"value\"", "single quotes"), ("[value]", "single quotes"),
      ("`value`", "single quotes"), ("?1", "no place"), (":x", "no place"), ("@x", "no place"),
      ("$x", "no place"), ("x'00'", "not known"), ("(value", "without its ')'"),
      ("value)", "without its '('"), ("'value", "no end"), ("1 + é", "beyond ASCII"),
      ("value(1)", "value()"), ("strftime('%s', 'now')", "strftime()"),
      ("printf('%.999999999c', 'x')", "printf()"),
      ("zeroblob(9)", "may not"),
      ("EXISTS (value)", "may not"), ("value OVER (1)", "may not"), ("'a\0b'", "no end"),
      ("value > ", "is not finished"), ("value = 1 AND", "is not finished"),
      (String(repeating: "(", count: 21) + "1" + String(repeating: ")", count: 21), "20 levels"),
      (String(repeating: "1+", count: 500) + "1", "1000 bytes"),
    ])
  func isRefused(text: String, why: String) throws {
    let problem = try #require(SQLExpression.problem(text, names: ["value"]))
    #expect(problem.contains(why), "\(problem)")
  }
}
