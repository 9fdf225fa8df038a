import Model
import TestSupport
import Testing

@testable import Transport

@Suite("Over TLS", .prompt)
struct TLSTests {
  static func withNginx<Result>(
    _ upstream: @escaping @Sendable (ScriptedServer.Call) -> [ScriptedServer.Act] = { _ in [] },
    _ body: (NginxServer, TransportOptions) async throws -> Result
  ) async throws -> Result {
    try await withServer(upstream) { server in
      let nginx = try await NginxServer(upstreamPort: server.port)
      let settings = options {
        $0.caFile = nginx.caFile
        $0.resolveOverrides = nginx.overrides
      }
      do {
        let result = try await body(nginx, settings)
        await nginx.stop()
        return result
      } catch {
        await nginx.stop()
        throw error
      }
    }
  }

  @Test("HTTP/2 is used where it is offered, with a CA of one's own, over one connection")
  func http2() async throws {
    try await Self.withNginx { nginx, settings in
      try await withExchange(settings) { exchange in
        let first = try await exchange.send(Request(nginx.url(.good, "/list.json")))
        #expect(first.httpVersion == "2" && first.isEndProven)
        #expect(first.fields["content-encoding"] == "gzip")
        #expect(first.body == Array(NginxServer.body.utf8))
        let connections = await withTaskGroup(of: String?.self) { group in
          for _ in 0..<60 {
            group.addTask {
              guard let request = try? Request(nginx.url(.good, "/list.json")) else {
                return nil
              }
              return (try? await exchange.send(request))?.fields["x-connection"]
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(connections.count == 60 && first.fields["x-connection"] != nil)
        #expect(connections.allSatisfy { $0 == first.fields["x-connection"] })
      }
    }
  }

  @Test("HTTP/1.1 serves as well, and HTTP/2 can be left out")
  func http1() async throws {
    try await Self.withNginx { nginx, settings in
      try await withExchange(settings) { exchange in
        let answer = try await exchange.send(Request(nginx.url(.plain, "/list.json")))
        #expect(answer.httpVersion == "1.1" && answer.body == Array(NginxServer.body.utf8))
      }
      var without = settings
      without.offersHTTP2 = false
      try await withExchange(without) { exchange in
        let answer = try await exchange.send(Request(nginx.url(.good, "/list.json")))
        #expect(answer.httpVersion == "1.1" && answer.body == Array(NginxServer.body.utf8))
      }
    }
  }

  @Test("a certificate that is not right is refused once, and the sentence says why")
  func refused() async throws {
    try await Self.withNginx { nginx, settings in
      var unknown = settings
      unknown.caFile = nil
      let rows: [(NginxServer.Site, TransportOptions, String)] = [
        (.otherHost, settings, "for another host"), (.expired, settings, "has expired"),
        (.otherIssuer, settings, "issuer that is not trusted"),
        (.good, unknown, "issuer that is not trusted"), (.oldTLS, settings, "TLS 1.2 or later"),
      ]
      var last = try await Self.connectionNumber(nginx, settings)
      for (site, options, words) in rows {
        try await withExchange(options) { exchange in
          let failure = await exchange.failure(try Request(nginx.url(site, "/list.json")))
          #expect(failure?.kind == .tls && failure?.mayPass == false, "\(site)")
          #expect(failure?.sentence.contains(words) == true, "\(failure as Any)")
        }
        let number = try await Self.connectionNumber(nginx, settings)
        #expect(number == last + 2, "\(site): one connection for the refused, one for counting")
        last = number
      }
    }
  }

  /// The server counts its connections; a fresh exchange makes one more.
  static func connectionNumber(_ nginx: NginxServer, _ options: TransportOptions) async throws
    -> Int
  {
    try await withExchange(options) { exchange in
      let answer = try await exchange.send(Request(nginx.url(.good, "/list.json")))
      return try #require(answer.fields["x-connection"].flatMap { Int($0) })
    }
  }

  @Test("a redirect to plain http is refused")
  func downgrade() async throws {
    try await Self.withNginx { nginx, settings in
      try await withExchange(settings) { exchange in
        var request = try Request(nginx.url(.good, "/down"))
        request.credential = Credential(
          place: .query(name: "key"), secret: Secret("canary-1"), origins: [request.address.origin])
        let failure = await exchange.failure(request)
        #expect(failure?.kind == .refusedRedirect && failure?.cause == .request)
        #expect(failure?.sentence.contains("plain http") == true)
      }
    }
  }

  @Test("a body that the server behind cuts is never whole", arguments: NginxServer.Site.sound)
  func cutBehind(site: NginxServer.Site) async throws {
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
    try await Self.withNginx { call in
      switch call.path {
      case "/length": [.text(Fault.head + "Content-Length: 1000\r\n\r\n" + Fault.x(100)), .close]
      case "/chunk":
        [.text(Fault.head + "Transfer-Encoding: chunked\r\n\r\n64\r\n" + Fault.x(50)), .close]
      case "/gzip":
        [.text(gzip + "Content-Length: 300\r\n\r\n"), .send(Array(GzipMaker.packed[..<300]))]
      default: [.reset]
      }
    } _: { nginx, settings in
      try await withExchange(settings) { exchange in
        for path in ["/up/length", "/up/chunk", "/up/gzip"] {
          let failure = await exchange.failure(try Request(nginx.url(site, path)))
          let kinds: [ExchangeFailure.Kind] = [.cut, .reset]
          #expect(failure.map { kinds.contains($0.kind) } == true, "\(path): \(failure as Any)")
        }
        let answer = try await exchange.send(Request(nginx.url(site, "/up/reset")))
        #expect(answer.kind == .failed(.server))
      }
    }
  }

  @Test("a server that does not speak it is told from one that breaks off")
  func noTLS() async throws {
    let plain = ScriptedServer(isPatient: false) { _ in
      [.text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .hold]
    }
    let broken = ScriptedServer(isPatient: false) { _ in [.reset] }
    defer { [plain, broken].forEach { $0.stop() } }
    try await withExchange { exchange in
      let first = await exchange.failure(try Request("https://127.0.0.1:\(plain.port)/"))
      #expect(first?.kind == .tls && first?.mayPass == false)
      let second = await exchange.failure(try Request("https://127.0.0.1:\(broken.port)/"))
      // The reset may even come before the connection is seen to be there.
      let kinds: [ExchangeFailure.Kind] = [.reset, .unreachable]
      #expect(second.map { kinds.contains($0.kind) && $0.mayPass } == true, "\(second as Any)")
    }
  }

  @Test("a file of certificates that is not there, or holds none, stops it before a connection")
  func badFile() async throws {
    #expect(throws: TransportOptions.Problem.self) {
      try CurlExchange(options { $0.caFile = "/no/such/file.pem" })
    }
    try await withServer { _ in
      [.hold]
    } _: { server in
      try await withExchange(options { $0.caFile = "/proc/self/status" }) { exchange in
        let failure = await exchange.failure(try Request("https://127.0.0.1:\(server.port)/"))
        #expect(failure?.kind == .tls && failure?.sentence.contains("trusted certificates") == true)
      }
    }
  }
}

extension NginxServer.Site {
  static let sound: [NginxServer.Site] = [.good, .plain]
}
