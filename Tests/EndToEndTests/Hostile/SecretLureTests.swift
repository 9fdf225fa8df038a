import Glibc
import TestSupport
import Testing

/// Two servers represent two origins: the one that the key is for, and one to which somebody tries to divert it.
@Suite("A secret goes to its own origin only", .prompt)
struct SecretLureTests {
  private let home = Home()
  static let canary = "canary-7f3a9c51e2b84d06"

  /// A small API with one list, and a key in a header or the query.
  static func job(
    of server: AnswerServer, auth: String = "to: \"header:Authorization Bearer {secret}\"",
    pages: String = "by: \"link\", size: \"?n=2\""
  ) -> String {
    let secret = "secret: \"shelf-key $SHELF_KEY\", get: \"https://example.com/keys\""
    return Shelf.job(base: server.origin, pages: pages, more: "auth: { \(auth), \(secret) },")
  }

  static func page(_ ids: ClosedRange<Int>, next: String? = nil) -> String {
    let items = ids.map { "{\"id\":\($0),\"title\":\"book \($0)\"}" }.joined(separator: ",")
    let next = next.map { ",\"next\":\"\($0)\"" } ?? ""
    return "{\"items\":[\(items)]\(next)}"
  }

  /// A server that accepts everything and answers with a page.
  static func stranger() -> AnswerServer { AnswerServer { _ in .json(page(90...91)) } }

  /// Of a run that records into the folder that is searched.
  static func arguments(_ home: Home, _ job: String, _ keyTo: String) -> [String] {
    [
      "run", home.write(job, to: "shelf.json5"), "--data", home.data, "-v", "--send-key-to", keyTo,
      "--allow-loopback", "--record", "\(home.data)/rec",
    ]
  }

  /// The canary is nowhere: in no file of the data folder, not even the recording of all answers, and not in the
  /// output.
  static func expectNowhere(
    _ home: Home, _ ended: BinaryRun.Ended, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    #expect(!ended.everything.holds(canary), "\(ended)", sourceLocation: sourceLocation)
    // A recording without an exchange would show nothing.
    let recording = await home.shell("grep -c '\"exchange\":' \"$D/rec/shelf/recording.jsonl\"")
    #expect(recording.status == 0, "\(recording.errors)", sourceLocation: sourceLocation)
    let found = await home.shell("grep -rl --binary-files=text '\(canary)' \"$D\"")
    #expect(found.output == "", "\(found.output)", sourceLocation: sourceLocation)
  }

  enum Lure: String, CaseIterable, Sendable {
    case redirect, link, nextAddress
    /// By name, as another host.
    case redirectToName
  }

  enum Place: String, CaseIterable, Sendable {
    case header = "to: \"header:Authorization Bearer {secret}\""
    case query = "to: \"?api_key\""
  }

  @Test(
    "no redirect, Link or next URL takes it elsewhere, though the server repeats it everywhere",
    arguments: Lure.allCases, Place.allCases)
  func lureByAnswer(lure: Lure, place: Place) async throws {
    let other = Self.stranger()
    let elsewhere = lure == .redirectToName ? "http://localhost:\(other.port)" : other.origin
    let canary = Self.canary
    // It repeats the key wherever a program might keep or show it.
    let own = AnswerServer { call in
      let echo = "api_key=\(canary)&token=\(canary)"
      let fields = ["X-Echo: \(canary)", "ETag: \"\(canary)\"", "Set-Cookie: k=\(canary)"]
      switch lure {
      case .redirect, .redirectToName:
        return .json(
          "{\"message\":\"moved, \(canary)\"}",
          fields + ["Location: \(elsewhere)/v1/books?\(echo)"], status: 302)
      case .link:
        return .json(
          Self.page(1...2), fields + ["Link: <\(elsewhere)/v1/books?page=2&\(echo)>; rel=\"next\""])
      case .nextAddress:
        return .json(Self.page(1...2, next: "\(elsewhere)/v1/books?page=2&\(echo)"), fields)
      }
    }
    let pages = lure == .nextAddress ? "by: \"url\", next: \"next\"" : "by: \"link\""
    let job = Self.job(of: own, auth: place.rawValue, pages: pages)
    let ended = await home.run(
      Self.arguments(home, job, own.origin) + (place == .query ? ["--json"] : []),
      ["SHELF_KEY": canary])
    // The right server did get the key; otherwise this test would show nothing.
    #expect(own.everythingHeard.holds(canary), "\(ended.errors)")
    let heard = other.calls.map(\.head)
    #expect(!other.calls.contains { $0.field("Authorization") != nil }, "\(heard)")
    #expect(!other.calls.contains { $0.field("Cookie") != nil }, "\(heard)")
    #expect(!other.everythingHeard.holds(canary), "\(heard)")
    #expect([0, 1, 3, 69].contains(ended.status), "\(ended.status) \(ended.errors)")
    await Self.expectNowhere(home, ended)
  }

  @Test(
    "an error text that repeats it is shown and kept without it", arguments: [400, 401, 403, 500])
  func echoInErrors(status: Int) async throws {
    let canary = Self.canary
    let own = AnswerServer { call in
      .json(
        "{\"message\":\"the key \(canary) in \(call.target) is bad\",\"error\":\"\(canary)\"}",
        ["X-Key: \(canary)", "WWW-Authenticate: Bearer error=\"\(canary)\""], status: status)
    }
    let job = Self.job(of: own, auth: "to: \"?api_key\"")
    let ended = await home.run(
      Self.arguments(home, job, own.origin) + ["--max-requests", "2"], ["SHELF_KEY": canary])
    #expect(own.everythingHeard.holds(canary))
    #expect(ended.status != 0 && ended.status != 70, "\(ended.status) \(ended.errors)")
    await Self.expectNowhere(home, ended)
  }

  @Test(
    "an address of the next page that repeats it under another name is followed with the key alone",
    arguments: [Lure.link, .nextAddress])
  func echoAtHome(lure: Lure) async throws {
    let next = "?access_token=\(Self.canary)&page=2"
    let own = AnswerServer { call in
      if call.target.holds("access_token") {
        return .json("{\"error\":\"malformed\"}", status: 401)
      }
      if call.target.holds("page=2") { return .json(Self.page(3...4)) }
      return lure == .link
        ? .json(Self.page(1...2), ["Link: <\(next)>; rel=\"next\""])
        : .json(Self.page(1...2, next: next))
    }
    let pages = lure == .link ? "by: \"link\"" : "by: \"url\", next: \"next\""
    let ended = await home.run(
      Self.arguments(home, Self.job(of: own, pages: pages), own.origin),
      ["SHELF_KEY": Self.canary])
    #expect(own.calls.contains { $0.target.holds("page=2") }, "\(ended.errors)")
    #expect(!own.calls.contains { $0.target.holds("access_token") })
    #expect(ended.status != 77, "\(ended.errors)")
    await Self.expectNowhere(home, ended)
  }

  @Test("a next token that repeats it is kept without it")
  func echoInNextToken() async throws {
    let canary = Self.canary
    // The first page's token is the key itself, which the resume point must not contain.
    let own = AnswerServer { call in
      call.target.holds("token=")
        ? .json(Self.page(3...4)) : .json(Self.page(1...2, next: canary))
    }
    let job = Self.job(
      of: own, pages: "by: \"token\", to: \"?token\", next: \"next\", size: \"?n=2\"")
    let ended = await home.run(Self.arguments(home, job, own.origin), ["SHELF_KEY": canary])
    #expect(own.everythingHeard.holds(canary))
    await Self.expectNowhere(home, ended)
  }
}
