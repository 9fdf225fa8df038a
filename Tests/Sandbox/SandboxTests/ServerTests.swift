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
}
