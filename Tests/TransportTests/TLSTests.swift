import Glibc
import Base
import TestSupport
@testable import Transport
import Testing

@Suite("Over TLS", .prompt)
struct TLSTests {
  static func withNginx<Result>(
    _ upstream: @escaping @Sendable (ScriptedServer.Call) -> [ScriptedServer.Act] = { _ in [] },
    _ body: (NginxServer, TransportOptions) async throws -> Result
  ) async throws -> Result {
    let nginx = try await NginxServer(upstreamPort: serve(upstream).port)
    let settings = options {
      $0.issuers = TrustedIssuers(option: nginx.caFile, environment: { _ in nil })
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

  @Test("HTTP/2 is used where it is offered, over one connection, and else HTTP/1.1")
  func http2() async throws {
    try await Self.withNginx { nginx, settings in
      try await withExchange(settings) { exchange in
        let old = try await exchange.follow(Request(nginx.url(.plain, "/list.json")))
        #expect(old.httpVersion == "1.1" && old.body == Array(NginxServer.body.utf8))
        let first = try await exchange.follow(Request(nginx.url(.good, "/list.json")))
        #expect(first.httpVersion == "2" && first.isEndProven)
        #expect(first.fields["content-encoding"] == "gzip")
        #expect(first.body == Array(NginxServer.body.utf8))
        let connections = await withTaskGroup(of: String?.self) { group in
          for _ in 0..<60 {
            group.addTask {
              guard let request = try? Request(nginx.url(.good, "/list.json")) else {
                return nil
              }
              return (try? await exchange.follow(request))?.fields["x-connection"]
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(connections.count == 60 && first.fields["x-connection"] != nil)
        #expect(connections.allSatisfy { $0 == first.fields["x-connection"] })
      }
    }
  }

  /// libcurl would send them again on a second connection, uncounted.
  @Test("a stream of HTTP/2 that the server refuses is told, and sent no second time by libcurl")
  func refusedStream() async throws {
    try await Self.withNginx { _ in
      ScriptedServer.json("{}")
    } _: { nginx, settings in
      try await withExchange(settings) { exchange in
        // All must be in flight before the second one's GOAWAY arrives, which may take several rounds on a busy
        // machine.
        var refused: [ExchangeFailure] = []
        for _ in 0..<50 where refused.isEmpty {
          refused = await Self.refusals(of: 6, nginx.url(.brief, "/up/"), exchange)
        }
        #expect(!refused.isEmpty)
        #expect(refused.allSatisfy { $0.kind == .cut && $0.wasSent && $0.mayPass }, "\(refused)")
        // On a new connection, and counted, it is an ordinary request.
        let again = try await exchange.follow(Request(nginx.url(.brief, "/up/")))
        #expect(again.status == 200)
      }
    }
  }

  private static func refusals(
    of count: Int, _ address: String, _ exchange: CurlExchange
  ) async -> [ExchangeFailure] {
    await withTaskGroup(of: ExchangeFailure?.self) { group in
      for _ in 0..<count {
        group.addTask {
          guard let request = try? Request(address) else { return nil }
          do throws(ExchangeFailure) {
            _ = try await exchange.follow(request)
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
    }
  }

  @Test("a certificate that is not right is refused once, and the sentence says why")
  func refused() async throws {
    try await Self.withNginx { nginx, settings in
      var unknown = settings
      unknown.issuers = TrustedIssuers()
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

  /// The server counts its connections; a fresh exchange opens one more.
  static func connectionNumber(_ nginx: NginxServer, _ options: TransportOptions) async throws
    -> Int
  {
    try await withExchange(options) { exchange in
      let answer = try await exchange.follow(Request(nginx.url(.good, "/list.json")))
      return try #require(answer.fields["x-connection"].flatMap { Int($0) })
    }
  }

  @Test("a redirect to plain http is refused")
  func downgrade() async throws {
    try await Self.withNginx { nginx, settings in
      try await withExchange(settings) { exchange in
        let failure = await exchange.failure(
          try Request(nginx.url(.good, "/down"), .query(name: "key"), "canary-1"))
        #expect(failure?.kind == .refusedRedirect && failure?.cause == .request)
        #expect(failure?.sentence.contains("plain http") == true)
      }
    }
  }

  @Test(
    "a body that the server behind cuts is never whole", arguments: [NginxServer.Site.good, .plain])
  func cutBehind(site: NginxServer.Site) async throws {
    let gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
    try await Self.withNginx { call in
      switch call.path {
      case "/length": [.text(Fault.head + "Content-Length: 1000\r\n\r\n" + Fault.x(100)), .close]
      case "/chunk":
        [.text(Fault.head + "Transfer-Encoding: chunked\r\n\r\n64\r\n" + Fault.x(50)), .close]
      case "/gzip":
        [.text(gzip + "Content-Length: 300\r\n\r\n"), .send(Array(Sending.packedBody[..<300]))]
      default: [.reset]
      }
    } _: { nginx, settings in
      try await withExchange(settings) { exchange in
        for path in ["/up/length", "/up/chunk", "/up/gzip"] {
          let failure = await exchange.failure(try Request(nginx.url(site, path)))
          let kinds: [ExchangeFailure.Kind] = [.cut, .reset]
          #expect(failure.map { kinds.contains($0.kind) } == true, "\(path): \(failure as Any)")
        }
        let answer = try await exchange.follow(Request(nginx.url(site, "/up/reset")))
        #expect(answer.kind == .failed(.server))
      }
    }
  }

  @Test("a server that does not speak it is told from one that breaks off, or is silent")
  func noTLS() async throws {
    let plain = ScriptedServer(isPatient: false) { _ in
      [.text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .hold]
    }
    let broken = ScriptedServer(isPatient: false) { _ in [.reset] }
    defer { [plain, broken].forEach { $0.stop() } }
    try await withExchange { exchange in
      let first = await exchange.failure(try Request("https://127.0.0.1:\(plain.port)/"))
      #expect(first?.kind == .tls && first?.mayPass == false)
      // No part of a request is sent before the connection is secure.
      #expect(first?.wasSent == false)
      let second = await exchange.failure(try Request("https://127.0.0.1:\(broken.port)/"))
      // The reset may arrive before the connection is established.
      let kinds: [ExchangeFailure.Kind] = [.reset, .unreachable]
      #expect(second.map { kinds.contains($0.kind) && $0.mayPass } == true, "\(second as Any)")
      #expect(second?.wasSent == false)
      // This one waits for the end of a head, and says nothing.
      let silent = serve([])
      var limits = TransferLimits()
      limits.connectTimeout = .milliseconds(300)
      let request = try Request("https://127.0.0.1:\(silent.port)/", limits: limits)
      let third = await exchange.failure(request)
      #expect(third?.kind == .timedOut && third?.mayPass == true && third?.wasSent == false)
      #expect(third?.sentence.contains("could not be reached in") == true, "\(third as Any)")
    }
  }

  @Test("a file of certificates that is not there, holds none or is damaged is refused by its name")
  func badFile() async throws {
    let folder = ScratchFolder()
    let broken = "\(folder.path)/broken.pem"
    Golden.write("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", to: broken)
    let rows: [(path: String, words: String)] = [
      ("/no/such/file.pem", "cannot be read: No such file"),
      ("/proc/self/status", "holds no certificate as PEM"), (folder.path, "cannot be read"),
      (broken, "certificate 1 in it cannot be read"), ("/dev/zero", "File too large"),
    ]
    for (path, words) in rows {
      for source in ["--ca", "CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
        let issuers = TrustedIssuers(
          option: source == "--ca" ? path : nil, environment: { $0 == source ? path : nil })
        let problem = #expect(throws: TrustedIssuers.Problem.self) {
          try CurlExchange(options { $0.issuers = issuers })
        }
        let text = problem?.description ?? ""
        #expect(text.contains(words) && text.contains("\(path) (\(source))"), "\(text)")
      }
    }
    var nowhere = TrustedIssuers(
      option: nil, environment: { $0 == "SSL_CERT_DIR" ? "/no/such/a:/no/such/b" : nil })
    #expect(throws: TrustedIssuers.Problem.self) { try nowhere.check() }
    #expect(throws: TrustedIssuers.Problem.self) {
      try CurlExchange(options { $0.issuers = nowhere })
    }
  }

  @Test("each of --ca, CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR makes an issuer trusted")
  func places() async throws {
    try await Self.withNginx { nginx, settings in
      let hashed = ScratchFolder()
      try await NginxServer.hash(nginx.caFile, into: hashed.path)
      let other = nginx.otherCAFile
      // What is set, and whether the server's issuer is trusted then.
      let rows: [(option: String?, variables: [String: String], isTrusted: Bool)] = [
        (nil, [:], false), (nginx.caFile, [:], true), (other, [:], false),
        (nil, ["CURL_CA_BUNDLE": nginx.caFile], true),
        (nil, ["SSL_CERT_FILE": nginx.caFile], true),
        (nil, ["SSL_CERT_DIR": hashed.path], true),
        (nil, ["SSL_CERT_FILE": other, "SSL_CERT_DIR": hashed.path], true),
        // curl's own variable precedes OpenSSL's.
        (nil, ["CURL_CA_BUNDLE": other, "SSL_CERT_FILE": nginx.caFile], false),
        // The option adds to the issuers of the environment.
        (other, ["SSL_CERT_FILE": nginx.caFile], true),
        (nginx.caFile, ["SSL_CERT_FILE": other], true),
      ]
      for (option, variables, isTrusted) in rows {
        var own = settings
        let request = try Request(nginx.url(.good, "/list.json"))
        own.issuers = TrustedIssuers(option: option, environment: { variables[$0] })
        try await withExchange(own) { exchange in
          var failure: ExchangeFailure?
          do throws(ExchangeFailure) {
            _ = try await exchange.send(request)
          } catch {
            failure = error
          }
          #expect((failure == nil) == isTrusted, "\(option ?? "-") \(variables): \(failure as Any)")
          guard !isTrusted, let failure else { return }
          let named = ([option].compactMap { $0 } + variables.values).filter { $0 == other }
          #expect(named.allSatisfy { failure.sentence.contains($0) }, "\(failure.sentence)")
          #expect(failure.sentence.contains("--ca"), "\(failure.sentence)")
        }
      }
    }
  }
}
