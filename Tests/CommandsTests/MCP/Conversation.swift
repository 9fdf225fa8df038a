import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

/// A session of `trawl mcp` without its pipes, on a trial's data.
struct Conversation {
  /// Keeps the trial's data alive.
  private let trial: CommandTrial
  var session: MCPSession
  private var last = 0

  init(_ trial: CommandTrial, time: Timekeeper? = nil) throws {
    self.trial = trial
    var context = try trial.context(["mcp", "--data", trial.data])
    if let time { context.time = time }
    session = MCPSession(
      tools: ToolCalls(context: context, location: try context.locationForReading()))
  }

  /// One that has begun.
  static func begun(_ trial: CommandTrial, time: Timekeeper? = nil) async throws -> Conversation {
    var talk = try Conversation(trial, time: time)
    _ = try await talk.begin()
    return talk
  }

  /// The reply to a line; nil: none.
  mutating func line(_ text: String) async throws -> JSONValue? {
    try await line(bytes: Array(text.utf8))
  }

  mutating func line(bytes: [UInt8]) async throws -> JSONValue? {
    try await session.reply(to: .text(bytes)).map { try JSONDocument.read($0).root }
  }

  mutating func begin(_ version: String = MCPSession.handshakes[0]) async throws -> JSONValue {
    try #require(
      await line(
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":""# + version
          + #""}}"#))
  }

  /// The result of a tool, which may be an error.
  mutating func call(_ tool: String, _ arguments: JSONObject = [:]) async throws -> ToolReply {
    last += 1
    let message: JSONObject = [
      "jsonrpc": "2.0", "id": last, "method": "tools/call",
      "params": ["name": tool, "arguments": arguments] as JSONObject,
    ]
    let reply = try #require(await line(bytes: message.bytes))
    #expect(reply["id"]?.integer == Int64(last))
    return ToolReply(result: try #require(reply["result"]))
  }

  mutating func query(_ sql: String, limit: Int = 200) async throws -> ToolReply {
    try await call("query", ["sql": sql, "limit": limit])
  }
}

extension CommandTrial {
  /// With a job whose lists are complete, and one whose lists are not.
  static func stocked() async throws -> CommandTrial {
    let trial = try CommandTrial()
    for job in ["github", "giphy"] {
      try await trial.run(trial.words("run \(job)"), ends: .complete)
    }
    return trial
  }
}

struct ToolReply {
  let result: JSONValue

  var isError: Bool { result["isError"]?.boolean == true }
  /// The sentences.
  var text: String { result["content"]?[0]?["text"]?.string ?? "" }
  var values: JSONValue { result["structuredContent"] ?? result }
  var trust: JSONValue? { values["trust"] }
  var tables: [String] { trust?["tables"]?.elements.compactMap(\.string) ?? [] }
  var lists: Int? { trust?["lists"]?.integer.map { Int($0) } }
  var verdict: String? { trust?["verdict"]?.string }
}
