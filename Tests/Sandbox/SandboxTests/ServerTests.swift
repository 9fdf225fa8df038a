import Base
@testable import SandboxKit
import TestSupport
import Testing

@Suite("The sandbox's server", .prompt)
struct ServerTests {
  @Test("a port that is taken is an error that names it")
  func takenPort() async throws {
    try await withSandbox({ _ in }) { sandbox, _ in
      let error = #expect(throws: SandboxError.self) {
        var options = SandboxOptions(size: .small)
        options.port = sandbox.port
        return try Sandbox.start(options)
      }
      #expect(error?.description.contains("127.0.0.1:\(sandbox.port)") == true)
    }
  }

  @Test("the log tells names of fields, and no secret of a header or a query")
  func log() async throws {
    try await withSandbox { sandbox, client in
      _ = try await client.get(
        "/github/users/octocat?api_key=SECRET&x=1&%6Bey=SECRET", [HeaderField("X-Token", "SECRET")])
      _ = try await client.get("/media/u/583231?v=4")
      let entry = try #require(sandbox.requests(api: "github").first)
      #expect(entry.target == "/github/users/octocat?api_key=***&x=1&%6Bey=***")
      #expect(entry.headerNames.contains("X-Token"))
      #expect(entry.outcome == "answered")
      let answer = try await client.get("/_sandbox/requests?api=github")
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("SECRET"))
      #expect(try JSONDocument.read(answer.body).root["requests"]?.count == 1)
      let later = try await client.get("/_sandbox/requests?since=\(entry.number)")
      #expect(try JSONDocument.read(later.body).root["requests"]?[0]?["api"]?.string == "media")
      _ = try await client.get("/_sandbox/reset-log")
      #expect(sandbox.requests(api: "github").isEmpty)
    }
  }
}
