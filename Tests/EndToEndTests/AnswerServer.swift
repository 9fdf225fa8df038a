import TestSupport

/// A server with the test's answers and one connection for each request, which ends with the test. It keeps all
/// requests whole, including heads and secrets.
final class AnswerServer: Sendable {
  typealias Call = ScriptedServer.Call

  struct Reply: Sendable {
    var status = 200
    var fields: [String] = []
    var body: [UInt8] = []

    static func json(_ text: String, _ fields: [String] = [], status: Int = 200) -> Reply {
      Reply(
        status: status, fields: ["Content-Type: application/json"] + fields,
        body: Array(text.utf8))
    }
  }

  private let server: ScriptedServer

  init(_ script: @escaping @Sendable (Call) -> Reply) {
    let server = ScriptedServer { call in
      let reply = script(call)
      return ScriptedServer.last(reply.body, reply.fields, status: reply.status)
    }
    self.server = server
    TestEnd.then { server.stop() }
  }

  var port: Int { server.port }
  var origin: String { server.origin }
  var calls: [Call] { server.calls }
  var everythingHeard: String { calls.map { $0.head + $0.body }.joined(separator: "\n") }

  func stop() { server.stop() }
}
