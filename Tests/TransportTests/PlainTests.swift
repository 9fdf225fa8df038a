import Model
import Testing

@testable import Transport

@Suite("A plain exchange")
struct PlainTests {
  @Test("brings status, fields, body and where it came from")
  func brings() async throws {
    try await withServer { _ in
      ScriptedServer.json("{\"a\":1}")
    } _: { server in
      try await withExchange { exchange in
        let answer = try await exchange.send(Request(server.url("/x?q=1")))
        #expect(answer.status == 200)
        #expect(answer.fields["content-type"] == "application/json")
        #expect(String(decoding: answer.body, as: UTF8.self) == "{\"a\":1}")
        #expect(answer.bodyBytes == 7 && answer.isEndProven && !answer.wentThroughProxy)
        #expect(answer.address.description == server.url("/x?q=1"))
        #expect(answer.httpVersion == "1.1" && answer.hops.isEmpty)
        let call = try #require(server.calls.first)
        #expect(call.target == "/x?q=1" && call.field("user-agent") == "trawl-tests/1")
        #expect(call.field("accept-encoding") == "gzip")
      }
    }
  }
}
