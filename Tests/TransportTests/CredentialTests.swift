import Base
import TestSupport
import Testing

@Suite("A credential", .prompt)
struct CredentialTests {
  static let canary = "canary-77/31+x"
  static let bearer = Credential.Place.header(name: "Authorization", prefix: "Bearer ")
  /// Where a key may be.
  static let places = [Credential.Place.query(name: "k"), .header(name: "A", prefix: "")]

  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    let place: Credential.Place
    let isSameOrigin: Bool
    var testDescription: String { "\(status) \(place) \(isSameOrigin ? "home" : "away")" }
  }

  static let matrix = [301, 302, 303, 307, 308].flatMap { status in
    [bearer, .header(name: "X-Api-Key", prefix: ""), .query(name: "api_key")].flatMap { place in
      [true, false].map { Case(status: status, place: place, isSameOrigin: $0) }
    }
  }

  /// Whether a call contains the canary, however it is written.
  static func isIn(_ call: ScriptedServer.Call) -> Bool {
    let decoded = String(decoding: PercentEncoding.decoded(call.head), as: UTF8.self)
    return call.head.contains("canary") || decoded.contains("canary")
  }

  @Test("reaches its own origin on every hop and no other", arguments: matrix)
  func redirects(row: Case) async throws {
    let away = serve(ScriptedServer.json("{}"))
    try await meet { call in
      guard call.path == "/start" else { return ScriptedServer.json("{}") }
      let target = row.isSameOrigin ? "/end" : away.url("/end")
      return ScriptedServer.redirect("\(target)?a=1", status: row.status)
    } _: { home, exchange in
      var request = try Request(home.url("/start?b=2"), row.place, Self.canary)
      request.fields = [
        HeaderField("Cookie", "canary=1"), HeaderField("Accept", "application/json"),
        HeaderField("X-Session-Token", "canary"), HeaderField("X-Goog-Api-Key", "canary"),
      ]
      let answer = try await exchange.follow(request)
      #expect(home.calls.allSatisfy { Self.isIn($0) })
      #expect(home.calls.count == (row.isSameOrigin ? 2 : 1))
      #expect(away.calls.count == (row.isSameOrigin ? 0 : 1))
      #expect(!away.calls.contains { Self.isIn($0) })
      #expect(away.calls.allSatisfy { $0.field("accept") == "application/json" })
      #expect(!String(reflecting: answer).contains("canary"))
      #expect(answer.hops.map(\.status) == [row.status])
      #expect(answer.hops.first?.from.description == home.url("/start?b=2"))
      #expect(answer.address.target == "/end?a=1")
    }
  }

  @Test("comes back when the way leads home again")
  func returns() async throws {
    let home = Locked("")
    let away = serve { _ in ScriptedServer.redirect(home.withLock { $0 } + "/end") }
    try await meet { call in
      call.path == "/start" ? ScriptedServer.redirect(away.url()) : ScriptedServer.json("{}")
    } _: { server, exchange in
      home.withLock { $0 = server.origin }
      let request = try Request(server.url("/start"), .query(name: "key"), Self.canary)
      #expect(try await exchange.follow(request).hops.count == 2)
      #expect(server.calls.map { Self.isIn($0) } == [true, true])
      #expect(away.calls.map { Self.isIn($0) } == [false])
    }
  }

  @Test("goes to an origin that the user added")
  func added() async throws {
    let away = serve(ScriptedServer.json("{}"))
    try await meet(ScriptedServer.redirect(away.url())) { home, exchange in
      var request = try Request(home.url(), Self.bearer, Self.canary)
      try request.credential?.origins.insert(WebAddress(away.url()).origin)
      _ = try await exchange.follow(request)
      #expect(away.calls.map { $0.field("authorization") } == ["Bearer \(Self.canary)"])
    }
  }

  @Test("is not sent at all to an origin that is not its own")
  func otherOrigin() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      for place in Self.places {
        var request = try Request(server.url("/?k=old"), place, Self.canary)
        request.credential?.origins = [
          Origin(scheme: "https", host: "127.0.0.1", port: server.port)
        ]
        _ = try await exchange.follow(request)
      }
      #expect(!server.calls.contains { Self.isIn($0) })
      #expect(server.calls.first?.target == "/")
    }
  }

  @Test(
    "that a server puts into its redirect does not travel on",
    arguments: [
      (Credential.Place.query(name: "api_key"), "/end?api_key=KEY", true),
      (.query(name: "api_key"), "/end?token=KEY", false), (.query(name: "api_key"), "/KEY", false),
      (bearer, "/end?token=KEY", false),
    ])
  func echoed(place: Credential.Place, target: String, isFollowed: Bool) async throws {
    let encoded = PercentEncoding.encoded(Self.canary)
    let path = target.split(separator: "KEY", omittingEmptySubsequences: false)
      .joined(separator: encoded)
    let away = serve(ScriptedServer.json("{}"))
    try await meet(ScriptedServer.redirect(away.url(path))) { home, exchange in
      let request = try Request(home.url(), place, Self.canary)
      if isFollowed {
        let answer = try await exchange.follow(request)
        #expect(!String(reflecting: answer).contains("canary"))
      } else {
        let failure = await exchange.failure(request)
        #expect(failure?.kind == .refusedRedirect)
        #expect(!String(reflecting: failure).contains("canary"))
      }
      #expect(!away.calls.contains { Self.isIn($0) })
    }
  }

  @Test(
    "that a server puts into the host of its redirect is neither looked up nor shown",
    arguments: ["canary-0123", "Canary-0123"])
  func echoedInHost(key: String) async throws {
    try await meet(ScriptedServer.redirect("http://\(key).example/a")) { home, exchange in
      let failure = await exchange.failure(try Request(home.url(), .query(name: "k"), key))
      #expect(failure?.kind == .refusedRedirect)
      #expect(!String(reflecting: failure).lowercased().contains("canary"))
    }
  }

  @Test("that its own server puts into an address is not shown")
  func echoedAtHome() async throws {
    let encoded = PercentEncoding.encoded(Self.canary)
    try await meet { call in
      call.path == "/start"
        ? ScriptedServer.redirect("/\(encoded)/end?t=\(encoded)&a=1") : ScriptedServer.json("{}")
    } _: { server, exchange in
      let place = Credential.Place.header(name: "Authorization", prefix: "")
      let answer = try await exchange.follow(Request(server.url("/start"), place, Self.canary))
      #expect(!String(reflecting: answer).contains("canary"))
      #expect(answer.address.target == "/***/end?t=***&a=1")
      #expect(server.calls.last?.target == "/\(encoded)/end?t=\(encoded)&a=1")
    }
  }

  @Test("is in no failure, whatever goes wrong")
  func failures() async throws {
    try await meet { call in
      call.path == "/hold" ? [.hold] : [.close]
    } _: { server, exchange in
      for path in ["/hold", "/close"] {
        for place in Self.places {
          let failure = await exchange.failure(
            try Request(server.url(path), place, Self.canary, limits: impatient))
          #expect(!String(reflecting: failure).contains("canary"))
          #expect(!"\(failure as Any)".contains("canary"))
        }
      }
      #expect(server.calls.allSatisfy { Self.isIn($0) })
    }
  }

  @Test(
    "or a field that could end its line early is refused and nothing is sent",
    arguments: ["a\r\nX: y", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}b"])
  func injected(text: String) async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      var request = try Request(server.url(), .header(name: "A", prefix: ""), text)
      #expect(await exchange.failure(request)?.kind == .unbuildable)
      request.credential = nil
      request.fields = [HeaderField("A", text)]
      #expect(await exchange.failure(request)?.kind == .unbuildable)
      request.fields = [HeaderField(text, "a")]
      #expect(await exchange.failure(request)?.kind == .unbuildable)
      #expect(server.connections == 0)
    }
  }

  @Test("cannot be joined by a field that frames or routes the message")
  func ourFields() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      for name in ["Host", "content-length", "Transfer-Encoding", "Proxy-Authorization"] {
        let request = try Request(server.url(), fields: [HeaderField(name, "1")])
        let failure = await exchange.failure(request)
        #expect(failure?.kind == .unbuildable && failure?.cause == .request)
      }
      #expect(server.connections == 0)
    }
  }

  @Test("of Basic is encoded here, with a user or as one, and leaves answers in neither form")
  func basic() async throws {
    for (user, pair) in [("me", "me:\(Self.canary)"), (nil, "\(Self.canary):")] {
      let text = Base64.encoded(Array(pair.utf8))
      try await meet(
        ScriptedServer.json("{\"echo\":\"\(text)\",\"again\":\"\(Self.canary)\"}")
      ) { server, exchange in
        let answer = try await exchange.follow(
          Request(server.url("/x"), .basic(user: user), Self.canary))
        #expect(server.calls.first?.field("authorization") == "Basic \(text)")
        #expect(
          String(decoding: answer.body, as: UTF8.self) == #"{"echo":"***","again":"***"}"#)
      }
    }
  }

  @Test("may be several, each in its place, and none elsewhere")
  func several() async throws {
    try await meet(ScriptedServer.json("{\"echo\":\"second-canary\"}")) { server, exchange in
      var request = try Request(
        server.url("/x?b=1"), .header(name: "X-A", prefix: ""), Self.canary)
      request.credential?.others = [.init(.query(name: "b"), Secret("second-canary"))]
      let answer = try await exchange.follow(request)
      let call = try #require(server.calls.first)
      #expect(call.field("x-a") == Self.canary && call.target == "/x?b=second-canary")
      #expect(answer.address.target == "/x" && !String(reflecting: answer).contains("canary"))
      request.credential?.origins = []
      _ = try await exchange.follow(request)
      #expect(server.calls.last.map { !Self.isIn($0) && $0.target == "/x" } == true)
    }
  }
}
