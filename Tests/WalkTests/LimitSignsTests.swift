import Base
@testable import Walk
import Testing

@Suite("What a header says about limits")
struct LimitSignsTests {
  /// The server's clock is an hour behind ours, which must not affect a wait.
  static let serverDate = "Sat, 21 Nov 2026 14:12:07 GMT"
  static let received = Instant(seconds: 1_795_270_327 + 3600)

  static func signs(_ fields: [(String, String)], dated: Bool = true) throws -> LimitSigns {
    let date = dated ? [HeaderField("Date", serverDate)] : []
    return LimitSigns(
      Answer(
        status: 429, fields: HeaderFields(date + fields.map { HeaderField($0.0, $0.1) }), body: [],
        address: try WebAddress("https://api.example/"), sentAt: received, receivedAt: received))
  }

  static let retryAfter: [(text: String, seconds: Double?)] = [
    ("0", 0), ("60", 60), (" 60 ", 60), ("1.5", 1.5), ("0.2", 0.2), ("3600", 3600),
    ("+30", 30), ("-5", 0), ("-0", 0),
    // A date, relative to the answer's own.
    ("Sat, 21 Nov 2026 14:13:07 GMT", 60), ("Saturday, 21-Nov-26 14:13:07 GMT", 60),
    ("Sat Nov 21 14:13:07 2026", 60), ("Sat, 21 Nov 2026 14:12:06 GMT", 0),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    // An epoch in seconds and in milliseconds.
    ("1795270387", 60), ("1795270387500", 60.5), ("1600000000", 0),
    // Two fields in one, a unit, a parameter.
    ("7200, 7200", 7200), ("10, 70", 70), ("10s", 10), ("10 seconds", 10), ("72; reason=x", 72),
    // Not a wait: too late, too long, no number.
    ("99999999", nil), ("1895270327", nil), ("99999999999999999999999", nil),
    ("Sat, 21 Nov 2036 14:13:07 GMT", nil), ("soon", nil), ("", nil), ("1e9", nil), ("inf", nil),
    ("nan", nil), ("0x10", nil), ("Sat, 31 Feb 2026 14:13:07 GMT", nil), ("--5", nil),
    ("10m", nil), ("1m30s", nil), ("10ms", nil), ("Sat, soon", nil),
  ]

  @Test("tells a wait in seconds, as a date, or as an epoch", arguments: retryAfter)
  func waits(text: String, seconds: Double?) throws {
    let signs = try Self.signs([("Retry-After", text)])
    #expect(signs.retryAfter?.inSeconds == seconds)
    #expect(signs.wait?.inSeconds == seconds)
  }

  @Test("counts from our own clock where the answer has no date")
  func undated() throws {
    let signs = try Self.signs([("retry-after", "Sat, 21 Nov 2026 15:13:07 GMT")], dated: false)
    #expect(signs.retryAfter == .seconds(60))
  }

  @Test("takes the longest of several waits")
  func several() throws {
    #expect(
      try Self.signs([("Retry-After", "10"), ("Retry-After", "70")]).retryAfter == .seconds(70))
  }

  @Test("reads X-RateLimit fields with a reset as an epoch")
  func epochReset() throws {
    let signs = try Self.signs([
      ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Used", "60"),
      ("X-RateLimit-Reset", "1795271527"), ("X-RateLimit-Resource", "core"),
    ])
    let quota = ServerQuota(
      name: "core", limit: 60, remaining: 0, resetsIn: .seconds(1200))
    #expect(signs.quotas == [quota] && signs.spent == [quota])
    #expect(signs.wait == .seconds(1201), "one second more is surely past it")
  }

  @Test(
    "reads a reset as seconds, and nonsense as nothing",
    arguments: [
      ("30", 30), ("0", 0), ("-1", 0), ("1795270326", 0), ("1795270327", 0), ("", nil),
      ("tomorrow", nil), ("9999999999", nil),
    ])
  func resets(text: String, seconds: Double?) throws {
    for prefix in ["x-ratelimit-", "X-Rate-Limit-", "RateLimit-"] {
      for name in ["Reset", "Reset-After"] {
        let signs = try Self.signs([(prefix + "Remaining", "5"), (prefix + name, text)])
        #expect(signs.quotas.first?.resetsIn?.inSeconds == seconds)
        #expect(signs.wait == nil, "something is left")
      }
    }
  }

  @Test(
    "reads counts that are lists, negative or huge",
    arguments: [
      ("100", 100), ("100, 100;window=60", 100), ("-3", 0), ("many", nil), ("", nil),
      ("99999999999999999999", Int.max), ("4.7", 4),
    ])
  func counts(text: String, count: Int?) throws {
    let signs = try Self.signs([("X-RateLimit-Remaining", text), ("X-RateLimit-Limit", "9")])
    #expect(signs.quotas.first?.remaining == count)
  }

  @Test("reads the IETF fields, newest generation, several policies at once")
  func newGeneration() throws {
    let signs = try Self.signs([
      ("RateLimit-Policy", "\"burst\";q=100;w=60, \"a;b,c\";q=5000;w=86400;pk=:c29tZQ==:"),
      ("RateLimit", "\"burst\";r=50;t=30, \"a;b,c\";r=0;t=4000"),
    ])
    #expect(
      signs.quotas == [
        ServerQuota(
          name: "burst", limit: 100, remaining: 50, resetsIn: .seconds(30), window: .seconds(60)),
        ServerQuota(
          name: "a;b,c", limit: 5000, remaining: 0, resetsIn: .seconds(4000),
          window: .seconds(86_400)),
      ])
    #expect(signs.wait == .seconds(4001))
  }

  @Test("reads the IETF fields, older generation")
  func olderGeneration() throws {
    let signs = try Self.signs([
      ("RateLimit", "limit=100, remaining=0, reset=50"),
      ("RateLimit-Policy", "100;w=60, 1000;w=3600"),
    ])
    #expect(
      signs.quotas == [
        ServerQuota(limit: 100, remaining: 0, resetsIn: .seconds(50), window: .seconds(60))
      ])
  }

  @Test("takes any text in these fields without trapping, and a number below zero for zero")
  func anyText() throws {
    for text in [
      "", ";", ",", "\"", "\"a", "=", "r=", ";r=1", "a;r=-1;t=-1", "\"a\";r=x", "limit=",
    ] {
      let signs = try Self.signs([("RateLimit", text), ("RateLimit-Policy", text)])
      #expect(signs.quotas.compactMap(\.remaining) == (text.hasPrefix("a;") ? [0] : []), "\(text)")
    }
  }

  @Test("says nothing where the header does not")
  func silence() throws {
    let signs = try Self.signs([("X-Cache-Remaining", "99"), ("X-RateLimit-Reset", "50")])
    #expect(signs.quotas.isEmpty && signs.wait == nil)
  }
}
