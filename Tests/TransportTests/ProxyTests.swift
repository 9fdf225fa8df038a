import Base
import TestSupport
@testable import Transport
import Testing

@Suite("A proxy", .prompt)
struct ProxyTests {
  static func settings(
    _ proxy: Int, exceptions: String = "",
    _ change: (inout TransportOptions) -> Void = { _ in }
  ) -> TransportOptions {
    options {
      $0.proxies = ProxySettings(
        http: "http://user:word@127.0.0.1:\(proxy)",
        https: "http://127.0.0.1:\(proxy)", exceptions: exceptions)
      change(&$0)
    }
  }

  @Test("is asked for http addresses as they are, and the answer tells so")
  func forwards() async throws {
    let proxy = serve { ScriptedServer.json("\"\($0.target)\"") }
    try await withExchange(Self.settings(proxy.port)) { exchange in
      // Only the proxy can resolve this name.
      let answer = try await exchange.send(Request("http://inside.invalid/x?a=1"))
      #expect(String(decoding: answer.body, as: UTF8.self) == "\"http://inside.invalid/x?a=1\"")
      #expect(answer.wentThroughProxy)
      #expect(proxy.calls.first?.field("proxy-authorization") != nil)
    }
  }

  @Test("that repeats what it was sent gives away neither its password nor what is made of it")
  func repeats() async throws {
    let proxy = serve { call in
      let sent = call.field("proxy-authorization") ?? ""
      return ScriptedServer.answer(
        200, ["X-Debug: \(sent)"], body: Array("{\"sent\":\"\(sent)\",\"as\":\"pass-word\"}".utf8))
    }
    let settings = options {
      $0.proxies = ProxySettings(http: "http://user:pass%2Dword@127.0.0.1:\(proxy.port)")
    }
    try await withExchange(settings) { exchange in
      let answer = try await exchange.send(Request("http://inside.invalid/"))
      // Within Base64 only the letters of the password are masked.
      let body = String(decoding: answer.body, as: UTF8.self)
      #expect(body == #"{"sent":"Basic dXNlcjp***Q=","as":"***"}"#)
      #expect(answer.fields["x-debug"] == "Basic dXNlcjp***Q=")
      #expect(proxy.calls.first?.field("proxy-authorization") == "Basic dXNlcjpwYXNzLXdvcmQ=")
    }
  }

  @Test("passes TLS on, and the key goes to the server, not to the proxy")
  func tunnels() async throws {
    let proxy = serve { call in
      let port = call.target.split(separator: ":").last.flatMap { Int($0) } ?? 0
      return [.text("HTTP/1.1 200 Established\r\n\r\n"), .tunnel(port: port)]
    }
    try await TLSTests.withNginx { nginx, tls in
      let settings = Self.settings(proxy.port) {
        $0.issuers = tls.issuers
        $0.resolveOverrides = []
      }
      try await withExchange(settings) { exchange in
        let place = Credential.Place.header(name: "Authorization", prefix: "")
        let answer = try await exchange.send(
          Request(nginx.url(.good, "/list.json"), place, "canary-1"))
        #expect(answer.status == 200 && answer.wentThroughProxy && answer.httpVersion == "2")
        #expect(answer.fields["x-connection"] != nil)
        #expect(proxy.calls.map(\.verb) == ["CONNECT"])
        #expect(!proxy.calls.contains { $0.head.contains("canary") })
      }
    }
  }

  @Test(
    "that refuses, fails in its own way",
    arguments: [
      (407, ExchangeFailure.Kind.proxy, "user and a password"), (403, .proxy, "403"),
      (502, .unreachable, "could not reach"), (504, .unreachable, "could not reach"),
    ])
  func refuses(status: Int, kind: ExchangeFailure.Kind, words: String) async throws {
    try await meet(
      ScriptedServer.answer(status), options: { Self.settings($0) }
    ) { proxy, exchange in
      let failure = await exchange.failure(try Request("https://inside.invalid/"))
      #expect(failure?.kind == kind && failure?.cause == .network, "\(failure as Any)")
      #expect(failure?.sentence.contains(words) == true, "\(failure as Any)")
      #expect(failure?.sentence.contains("127.0.0.1:\(proxy.port)") == true)
      #expect(failure?.sentence.contains("word@") == false)
      guard status == 407 else { return }
      let plain = await exchange.failure(try Request("http://inside.invalid/"))
      #expect(plain?.kind == .proxy && plain?.mayPass == false)
    }
  }

  @Test("that is not there, or has no name, is named in the failure", arguments: ["http", "https"])
  func down(scheme: String) async throws {
    let gone = DeadPort()
    try await withExchange(Self.settings(gone.port)) { exchange in
      let failure = await exchange.failure(try Request("\(scheme)://inside.invalid/"))
      #expect(failure?.kind == .unreachable && failure?.sentence.contains("proxy") == true)
    }
    let nameless = options { $0.proxies = ProxySettings(all: "http://no-proxy.invalid:1") }
    try await withExchange(nameless) { exchange in
      let failure = await exchange.failure(try Request("\(scheme)://inside.invalid/"))
      #expect(failure?.kind == .unresolved && failure?.sentence.contains("proxy") == true)
    }
  }

  @Test("of an unknown kind is refused without showing its password")
  func unknownKind() async throws {
    let strange = options {
      $0.proxies = ProxySettings(all: "quantum://user:canary-1@proxy.test:1")
    }
    try await withExchange(strange) { exchange in
      let failure = await exchange.failure(try Request("http://inside.invalid/"))
      #expect(failure?.kind == .proxy && failure?.mayPass == false, "\(failure as Any)")
      #expect(failure?.sentence.contains("canary") == false)
      #expect(failure?.sentence.contains("proxy.test:1") == true)
    }
  }

  @Test("is left out for the hosts that it is not for")
  func exceptions() async throws {
    let (server, proxy) = (
      serve(ScriptedServer.json("\"server\"")), serve(ScriptedServer.json("\"proxy\""))
    )
    let settings = Self.settings(proxy.port, exceptions: "other.test, 127.0.0.0/8")
    try await withExchange(settings) { exchange in
      let answer = try await exchange.send(Request(server.url()))
      #expect(answer.body == Array("\"server\"".utf8) && !answer.wentThroughProxy)
    }
  }

  @Test("is not asked for what leads to a refused address here")
  func guarded() async throws {
    try await meet(ScriptedServer.json("{}"), options: { Self.settings($0) }) { proxy, exchange in
      for host in [
        "10.0.0.1", "localhost", "a.localhost", "a.localhost.", "0x7f.1", "[::1]",
        "169.254.169.254", "2852039166",
      ] {
        for scheme in ["http", "https"] {
          let request = try Request("\(scheme)://\(host)/", loopback: false)
          let failure = await exchange.failure(request)
          #expect(failure?.kind == .refusedAddress && failure?.cause == .request, "\(host)")
        }
      }
      #expect(proxy.connections == 0)
      var trusted = try Request("http://10.0.0.1/", loopback: false)
      trusted.rule.trusted = [trusted.address.origin]
      let answer = try await exchange.send(trusted)
      #expect(answer.status == 200)
    }
  }

  @Test("keeps no request from ending that is cancelled or closed during the look-up")
  func cancelled() async throws {
    try await meet([.hold], options: { Self.settings($0) }) { proxy, exchange in
      let request = try Request("http://inside.invalid/")
      let tasks = (0..<20).map { _ in Task { await exchange.failure(request) } }
      for task in tasks[..<10] { task.cancel() }
      for task in tasks[..<10] {
        let failure = await task.value
        #expect(failure?.kind == .cancelled)
      }
      await exchange.close()
      for task in tasks[10...] {
        let failure = await task.value
        #expect(failure.map { [.closed, .stalled].contains($0.kind) } == true)
      }
    }
  }

  @Test(
    "is chosen as curl chooses it",
    arguments: [
      ("http://a.test", "http", ""), ("https://a.test", "https", ""),
      ("https://a.test", nil, "*"), ("https://a.test", nil, "b.test,a.test"),
      ("https://a.test", nil, ".a.test"), ("https://x.a.test", nil, "a.test"),
      ("https://x.a.test", nil, " .a.test "), ("https://xa.test", "https", "a.test"),
      ("https://A.TEST.", nil, "a.test"), ("http://10.1.2.3", nil, "10.0.0.0/8"),
      ("http://11.1.2.3", "http", "10.0.0.0/8"), ("http://10.1.2.3", nil, "10.1.2.3"),
      ("http://[fd00::1]", nil, "fd00::/8"), ("http://[fd00::1]", nil, "[fd00::1]"),
      ("http://10.1.2.3", "http", "10.0.0.0/x"), ("http://10.1.2.3", "http", "10.0.0.0/99"),
      ("http://a.test", "http", ",, ,"),
    ] as [(String, String?, String)])
  func chosen(url: String, proxy: String?, exceptions: String) throws {
    let settings = ProxySettings(http: "http", https: "https", exceptions: exceptions)
    #expect(settings.proxy(for: try WebAddress(url).origin) == proxy)
  }

  @Test("for everything serves where there is none for the scheme")
  func fallback() throws {
    let origin = try WebAddress("http://a.test").origin
    #expect(ProxySettings(https: "s", all: "all").proxy(for: origin) == "all")
    #expect(ProxySettings(https: "s").proxy(for: origin) == nil)
    #expect(ProxySettings(http: "", all: "all").proxy(for: origin) == "all")
    for password in ["p@ss", "p/ss", "p/s@s", "//p", "p?s#s", ""] {
      for scheme in ["http://", "socks5h://", ""] {
        let shown = ProxySettings.shown("\(scheme)user:\(password)@proxy.test:3128/")
        #expect(shown == "proxy.test:3128")
      }
    }
    #expect(ProxySettings.shown("http://proxy.test:3128/x") == "proxy.test:3128")
    let screens = ProxySettings.secrets(of: "http://user:before/behind@proxy.test")
    #expect(screens[0].clean("no port before/behind") == "no port ***")
  }
}
