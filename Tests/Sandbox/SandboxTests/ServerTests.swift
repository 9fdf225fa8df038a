import Glibc
import Base
@testable import SandboxKit
import TestSupport
import Testing

@Suite("The sandbox's server", .prompt)
struct ServerTests {
  @Test("answers requests that come in one piece, in order, on one connection")
  func pipelining() async throws {
    try await withSandbox { _, client in
      var text = ""
      for status in 201...220 {
        text += "GET /_sandbox/status/\(status) HTTP/1.1\r\nHost: x\r\n"
        text += status == 220 ? "Connection: close\r\n\r\n" : "\r\n"
      }
      let answer = try await client.send(text)
      let statuses = String(decoding: answer.raw, as: UTF8.self).split(separator: "HTTP/1.1 ")
        .map { Int($0.prefix(3)) }
      #expect(statuses == (201...220).map { $0 })
      #expect(answer.ending == .closed)
    }
  }

  @Test("reads a head that comes byte by byte")
  func bytewise() async throws {
    try await withSandbox { _, client in
      let text = "GET /_sandbox/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      let answer = try await client.send(text.utf8.map { [$0] })
      #expect(answer.status == 200)
      #expect(answer.text == "{\"ok\":true}")
    }
  }

  @Test("reads past a body, so that it is not taken for a request")
  func bodies() async throws {
    try await withSandbox { sandbox, client in
      let inner = "GET /_sandbox/status/599 HTTP/1.1\r\n\r\n"
      let answer = try await client.send(
        "POST /github/users HTTP/1.1\r\nContent-Length: \(inner.utf8.count)\r\n\r\n\(inner)"
          + "GET /_sandbox/ping HTTP/1.1\r\nConnection: close\r\n\r\n")
      #expect(answer.status == 405)
      #expect(String(decoding: answer.raw, as: UTF8.self).contains("HTTP/1.1 200"))
      #expect(sandbox.requests().map(\.status) == [405, 200])
    }
  }

  @Test("answers HEAD with the length of GET and no body")
  func head() async throws {
    try await withSandbox { _, client in
      let fields = "\(RawClient.agent)\r\nConnection: close\r\n\r\n"
      for path in ["/github/users/octocat", "/media/same/a.png", "/_sandbox/ping"] {
        let whole = try await client.get(path)
        let head = try await client.send("HEAD \(path) HTTP/1.1\r\n" + fields)
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(head["Content-Length"] == String(whole.body.count))
      }
    }
  }

  @Test(
    "refuses what is no request and ends the connection",
    arguments: [
      ("GET /\r\n\r\n", 400), ("get / HTTP/1.1\r\n\r\n", 400), ("GET x HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nA : b\r\n\r\n", 400), ("GET / HTTP/1.1\r\n folded\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n", 413),
      ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
      ("GET / HTTP/1.1\r\nX: \(String(repeating: "y", count: 70_000))\r\n\r\n", 431),
      (
        "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 201) + "\r\n", 431
      ),
      ("DELETE /github/users HTTP/1.1\r\nConnection: close\r\n\r\n", 405),
    ])
  func refusals(text: String, status: Int) async throws {
    try await withSandbox { _, client in
      let answer = try await client.send(text)
      #expect(answer.status == status)
      #expect(answer.ending == .closed)
    }
  }

  @Test("closes after an answer to HTTP/1.0, unless it is asked to stay")
  func oldVersion() async throws {
    try await withSandbox { _, client in
      let closed = try await client.send("GET /_sandbox/ping HTTP/1.0\r\n\r\n")
      #expect(closed.ending == .closed)
      var brief = client
      brief.waitSeconds = 1
      let kept = try await brief.send(
        "GET /_sandbox/ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(kept.ending == .silent)
      #expect(kept["Connection"] == "keep-alive")
    }
  }

  @Test("serves three hundred peers at the same time")
  func manyPeers() async throws {
    try await withSandbox { sandbox, client in
      let good = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<300 {
          group.addTask {
            try await client.get("/_sandbox/body?bytes=\(100 + index)").body.count == 100 + index
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(good == 300)
      #expect(sandbox.requests().count == 300)
    }
  }

  @Test("serves the next peer whatever became of the descriptor of the one before")
  func heldDescriptor() async throws {
    try await withSandbox { _, client in
      // A child that is just being started holds a copy of each descriptor, as this does.
      var held: [Int32] = []
      defer { for copy in held { close(copy) } }
      for _ in 0..<20 {
        let socket = try client.connected()
        let ours = try #require(Self.port(of: socket, getsockname))
        // Copied while the server waits for the request: it is open for as long.
        var servers: Int32?
        try await until("the connection is accepted") {
          servers = (3..<65_536).first { Self.port(of: $0, getpeername) == ours }
          return servers != nil
        }
        held.append(fcntl(try #require(servers), F_DUPFD_CLOEXEC, 0))
        let request = "GET /_sandbox/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        #expect(send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0)
        #expect(client.read(socket).status == 200)
        close(socket)
        #expect(try await client.get("/_sandbox/ping").status == 200)
      }
    }
  }

  private static func port(
    of socket: Int32,
    _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(socket, $0, &length) }
    }
    guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(in_port_t(bigEndian: address.sin_port))
  }

  @Test("decodes paths and queries once")
  func decoding() async throws {
    try await withSandbox { _, client in
      let direct = try await client.get("/github/users/octocat")
      let encoded = try await client.get("/github/users/%6Fcto%63at")
      #expect(direct.body == encoded.body)
      let twice = try await client.get("/github/users/%256Fctocat")
      #expect(twice.status == 404)
      let query = try await client.get("/_sandbox/redirect?to=%2Fa%3Fb%3Dc+d&status=307")
      #expect(query.status == 307)
      #expect(query["Location"] == "/a?b=c d")
    }
  }

  @Test("gives the body of a size in each form", arguments: ["length", "chunked", "close", "gzip"])
  func forms(form: String) async throws {
    try await withSandbox { _, client in
      let plain = try await client.get("/_sandbox/body?bytes=70000")
      #expect(plain.body.count == 70_000)
      let answer = try await client.get("/_sandbox/body?bytes=70000&as=\(form)")
      #expect(answer.ending == .closed)
      switch form {
      case "length": #expect(answer.body == plain.body)
      case "close":
        #expect(answer.body == plain.body)
        #expect(answer["Content-Length"] == nil)
      case "chunked":
        #expect(answer["Transfer-Encoding"] == "chunked")
        #expect(answer.body.starts(with: Array("88b8\r\n".utf8) + plain.body[..<100]))
        #expect(answer.body.suffix(5) == Array("0\r\n\r\n".utf8)[...])
      default:
        #expect(answer["Content-Encoding"] == "gzip")
        #expect(answer.body == Deflate.gzipStored(plain.body))
      }
    }
  }

  @Test("packs large JSON for a client that accepts it, and nothing else")
  func packing() async throws {
    try await withSandbox { _, client in
      let accepts = "Accept-Encoding: deflate, gzip;q=0.5"
      let plain = try await client.get("/github/users/octocat/followers")
      #expect(plain["Content-Encoding"] == nil)
      let packed = try await client.get("/github/users/octocat/followers", [accepts])
      #expect(packed["Content-Encoding"] == "gzip")
      #expect(packed.body.count * 3 < plain.body.count)
      #expect(packed["Content-Length"] == String(packed.body.count))
      for (path, field) in [
        ("/media/same/a.png", accepts), ("/_sandbox/ping", accepts),
        ("/github/users/octocat/followers", "Accept-Encoding: gzip;q=0"),
      ] {
        #expect(try await client.get(path, [field])["Content-Encoding"] == nil)
      }
    }
  }

  @Test("a stopped sandbox takes no connection")
  func stopping() async throws {
    let sandbox = try Sandbox.start(SandboxOptions(size: .small))
    let client = RawClient(port: sandbox.port)
    _ = try await client.get("/_sandbox/ping")
    sandbox.stop()
    sandbox.stop()
    let dead = DeadPort(of: sandbox.port)
    defer { withExtendedLifetime(dead) {} }
    await #expect(throws: RawClient.NoConnection.self) { try await client.get("/_sandbox/ping") }
  }

  @Test("a port that is taken is an error that names it")
  func takenPort() async throws {
    try await withSandbox { sandbox, _ in
      let error = #expect(throws: SandboxError.self) {
        try Sandbox.start(options { $0.port = sandbox.port })
      }
      #expect(error?.description.contains("127.0.0.1:\(sandbox.port)") == true)
    }
  }

  @Test("the log tells names of fields, and no secret of a header or a query")
  func log() async throws {
    try await withSandbox { sandbox, client in
      _ = try await client.get(
        "/github/users/octocat?api_key=SECRET&x=1&%6Bey=SECRET", ["Authorization: Bearer SECRET"])
      _ = try await client.get("/media/u/583231?v=4")
      let entry = try #require(sandbox.requests(api: "github").first)
      #expect(entry.target == "/github/users/octocat?api_key=***&x=1&%6Bey=***")
      #expect(entry.headerNames.contains("Authorization"))
      #expect(entry.outcome == "answered")
      let answer = try await client.get("/_sandbox/requests?api=github")
      #expect(!answer.text.contains("SECRET"))
      #expect(try answer.json()["requests"]?.count == 1)
      let later = try await client.get("/_sandbox/requests?since=\(entry.number)")
      #expect(try later.json()["requests"]?[0]?["api"]?.string == "media")
      _ = try await client.get("/_sandbox/reset-log")
      #expect(sandbox.requests(api: "github").isEmpty)
    }
  }

  @Test("the log is bounded and counts what it dropped")
  func logBound() async throws {
    try await withSandbox(options { $0.logMax = 5 }) { sandbox, client in
      for _ in 0..<8 { _ = try await client.get("/_sandbox/ping") }
      #expect(sandbox.requests().map(\.number) == [4, 5, 6, 7, 8])
      #expect(try await client.get("/_sandbox/requests").json()["dropped"]?.integer == 3)
    }
  }
}
