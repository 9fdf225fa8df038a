import Base
import TestSupport
import Testing

@Suite("A credential", .prompt)
struct CredentialTests {
  static let canary = "canary-77/31+x"

  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    let place: Credential.Place
    let isSameOrigin: Bool
    var testDescription: String { "\(status) \(place) \(isSameOrigin ? "home" : "away")" }
  }

  static let matrix = [301, 302, 303, 307, 308].flatMap { status in
    [
      Credential.Place.header(name: "Authorization", prefix: "Bearer "),
      .header(name: "X-Api-Key", prefix: ""), .query(name: "api_key"),
    ].flatMap { place in
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
    try await withServer { _ in
      ScriptedServer.json("{}")
    } _: { away in
      try await meet { call in
        guard call.path == "/start" else { return ScriptedServer.json("{}") }
        let target = row.isSameOrigin ? "/end" : away.url("/end")
        return ScriptedServer.redirect("\(target)?a=1", status: row.status)
      } _: { home, exchange in
        var request = try Request(home.url("/start?b=2"))
        request.credential = Credential(
          place: row.place, secret: Secret(Self.canary), origins: [request.address.origin])
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
  }

  @Test("comes back when the way leads home again")
  func returns() async throws {
    let home = Locked("")
    try await withServer { _ in
      ScriptedServer.redirect(home.withLock { $0 } + "/end")
    } _: { away in
      try await withServer { call in
        call.path == "/start" ? ScriptedServer.redirect(away.url()) : ScriptedServer.json("{}")
      } _: { server in
        home.withLock { $0 = "http://127.0.0.1:\(server.port)" }
        try await withExchange { exchange in
          var request = try Request(server.url("/start"))
          request.credential = Credential(
            place: .query(name: "key"), secret: Secret(Self.canary),
            origins: [request.address.origin])
          let answer = try await exchange.follow(request)
          #expect(answer.hops.count == 2)
          #expect(server.calls.map { Self.isIn($0) } == [true, true])
          #expect(away.calls.map { Self.isIn($0) } == [false])
        }
      }
    }
  }

  @Test("goes to an origin that the user added")
  func added() async throws {
    try await withServer { _ in
      ScriptedServer.json("{}")
    } _: { away in
      try await meet(ScriptedServer.redirect(away.url())) { home, exchange in
        var request = try Request(home.url())
        request.credential = Credential(
          place: .header(name: "Authorization", prefix: "Bearer "), secret: Secret(Self.canary),
          origins: [request.address.origin, try WebAddress(away.url()).origin])
        _ = try await exchange.follow(request)
        #expect(away.calls.map { $0.field("authorization") } == ["Bearer \(Self.canary)"])
      }
    }
  }

  @Test("is not sent at all to an origin that is not its own")
  func otherOrigin() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      for place in [Credential.Place.query(name: "k"), .header(name: "A", prefix: "")] {
        var request = try Request(server.url("/?k=old"))
        request.credential = Credential(
          place: place, secret: Secret(Self.canary),
          origins: [Origin(scheme: "https", host: "127.0.0.1", port: server.port)])
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
      (.header(name: "Authorization", prefix: "Bearer "), "/end?token=KEY", false),
    ])
  func echoed(place: Credential.Place, target: String, isFollowed: Bool) async throws {
    let encoded = PercentEncoding.encoded(Self.canary)
    let path = target.split(separator: "KEY", omittingEmptySubsequences: false)
      .joined(separator: encoded)
    try await withServer { _ in
      ScriptedServer.json("{}")
    } _: { away in
      try await meet(ScriptedServer.redirect(away.url(path))) { home, exchange in
        var request = try Request(home.url())
        request.credential = Credential(
          place: place, secret: Secret(Self.canary), origins: [request.address.origin])
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
  }

  @Test(
    "that a server puts into the host of its redirect is neither looked up nor shown",
    arguments: ["canary-0123", "Canary-0123"])
  func echoedInHost(key: String) async throws {
    try await meet(ScriptedServer.redirect("http://\(key).example/a")) { home, exchange in
      var request = try Request(home.url())
      request.credential = Credential(
        place: .query(name: "k"), secret: Secret(key), origins: [request.address.origin])
      let failure = await exchange.failure(request)
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
      var request = try Request(server.url("/start"))
      request.credential = Credential(
        place: .header(name: "Authorization", prefix: ""), secret: Secret(Self.canary),
        origins: [request.address.origin])
      let answer = try await exchange.follow(request)
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
        for place in [Credential.Place.query(name: "k"), .header(name: "A", prefix: "")] {
          var request = try Request(server.url(path), limits: impatient)
          request.credential = Credential(
            place: place, secret: Secret(Self.canary), origins: [request.address.origin])
          let failure = await exchange.failure(request)
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
      var request = try Request(server.url())
      request.credential = Credential(
        place: .header(name: "A", prefix: ""), secret: Secret(text),
        origins: [request.address.origin])
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
        var request = try Request(server.url("/x"))
        request.credential = Credential(
          place: .basic(user: user), secret: Secret(Self.canary),
          origins: [request.address.origin])
        let answer = try await exchange.follow(request)
        #expect(server.calls.first?.field("authorization") == "Basic \(text)")
        #expect(
          String(decoding: answer.body, as: UTF8.self) == #"{"echo":"***","again":"***"}"#)
      }
    }
  }

  @Test("may be several, each in its place, and none elsewhere")
  func several() async throws {
    try await meet(ScriptedServer.json("{\"echo\":\"second-canary\"}")) { server, exchange in
      var request = try Request(server.url("/x?b=1"))
      request.credential = Credential(
        place: .header(name: "X-A", prefix: ""), secret: Secret(Self.canary),
        origins: [request.address.origin])
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
