import Base
import TestSupport
@testable import Transport
import Testing

@Suite("A plain exchange", .prompt)
struct PlainTests {
  @Test("brings status, fields, body and where it came from")
  func brings() async throws {
    try await meet(ScriptedServer.json("{\"a\":1}")) { server, exchange in
      let answer = try await exchange.follow(Request(server.url("/x?q=1")))
      #expect(answer.status == 200)
      #expect(answer.fields["content-type"] == "application/json")
      #expect(String(decoding: answer.body, as: UTF8.self) == "{\"a\":1}")
      #expect(answer.bodyBytes == 7 && answer.isEndProven && !answer.wentThroughProxy)
      #expect(answer.address.description == server.url("/x?q=1"))
      #expect(answer.httpVersion == "1.1" && answer.hops.isEmpty)
      let call = try #require(server.calls.first)
      #expect(call.target == "/x?q=1")
      #expect(call.field("user-agent")?.hasPrefix("trawl/tests (") == true)
      #expect(call.field("accept-encoding") == "gzip")
    }
  }

  @Test("sends path and query as they were written")
  func asWritten() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      let targets = [
        "/a/../b/./c//d", "/%2e%2E/%7e~", "/x?q=a+b&&c=%20;,[]@:/?", "/?", "/a;b=c/!$&'()*",
      ]
      for target in targets { _ = try await exchange.follow(Request(server.url(target))) }
      #expect(server.calls.map(\.target) == targets)
    }
  }

  @Test("sends fields as they were given, empty ones too")
  func fields() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      let fields = [
        HeaderField("X-Empty", ""), HeaderField("User-Agent", "other"),
        HeaderField("X-Tab", "a\tb"), HeaderField("Accept", "application/json"),
      ]
      _ = try await exchange.follow(Request(server.url(), fields: fields))
      let call = try #require(server.calls.first)
      for field in fields { #expect(call.field(field.name) == field.value) }
    }
  }

  @Test("takes waits of any length")
  func longWaits() async throws {
    try await meet(ScriptedServer.json("{}")) { server, exchange in
      var limits = TransferLimits()
      limits.connectTimeout = .seconds(Int64.max)
      limits.stallTimeout = .seconds(Int64.max)
      limits.totalTimeout = .seconds(Int64.max)
      let answer = try await exchange.follow(Request(server.url(), limits: limits))
      #expect(answer.status == 200)
    }
  }
}
