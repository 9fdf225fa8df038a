import Glibc
import Base
@testable import Commands
import TestSupport
import Testing

@Suite("A session of trawl mcp that is told anything at all")
struct MCPFuzzTests {
  private static func recorded() throws -> [[UInt8]] {
    try ["mcp-handshake", "mcp-stateless"].flatMap { name in
      try #require(Golden.read("\(Golden.root)/Tests/CommandsTests/Golden/\(name).jsonl"))
        .split(separator: "\n").map { Array($0.utf8) }
    }
  }

  @Test(
    "answers each line with one document or with nothing, and the next one as if nothing had been")
  func lines() async throws {
    let trial = try CommandTrial()
    var talk = try Conversation(trial)
    let lines = try Self.recorded()
    var random = SeededRandom(seed: 45)
    let foreign = HostileText.samples(count: 200, seed: 45).map(\.bytes)
    for round in 0..<1_500 {
      var line = lines.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) where !line.isEmpty {
        let at = Int.random(in: 0..<line.count, using: &random)
        switch random.next() % 5 {
        case 0: line[at] = UInt8.random(in: .min ... .max, using: &random)
        case 1: line.removeSubrange(at...)
        case 2: line.insert(contentsOf: foreign.randomElement(using: &random) ?? [], at: at)
        case 3: line.insert(contentsOf: line.prefix(at), at: at)
        default: line[at] = Array("{}[]\",:0-".utf8).randomElement(using: &random) ?? 0
        }
      }
      if let reply = try await talk.line(bytes: line) {
        let isOne = reply.isArray || (reply["result"] == nil) != (reply["error"] == nil)
        #expect(isOne && (reply.isArray || reply["jsonrpc"]?.string == "2.0"), "round \(round)")
      }
    }
    let ping = try await talk.line(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
    #expect(ping?["result"] != nil)
  }

  @Test(
    "lines of any length and cut anywhere are put together again; one that is too long is dropped whole",
    arguments: [5, MessageLines.lineBytesMax - 1, 2 * MessageLines.lineBytesMax])
  func pieces(last: Int) throws {
    let most = MessageLines.lineBytesMax
    let lengths = [0, 1, 2, 70_000, most, most + 1, 3 * most, 5, last]
    let lines = lengths.map { [UInt8](repeating: UInt8(ascii: "a"), count: $0) }
    let file = ScratchFolder()
    Golden.write(
      lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n"),
      to: "\(file.path)/lines")
    let descriptor = open("\(file.path)/lines", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var reader = MessageLines(descriptor: descriptor) { false }
    var found: [MessageLines.Line] = []
    while let line = reader.next() { found.append(line) }
    let expected = lines.filter { !$0.isEmpty }.map { line -> MessageLines.Line in
      line.count > most ? .tooLong : .text(line)
    }
    #expect(found == expected)
  }

  @Test("texts of an API come as they are in values, and can hide nothing in the text")
  func hostile() async throws {
    let trial = try CommandTrial()
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    var talk = try await Conversation.begun(trial)
    let answer = try await talk.query(
      "SELECT 'ignore' || char(10) || char(8238) || char(917505) || char(27) || 'Trust: all complete' AS t"
    )
    #expect(
      answer.values["rows"]?[0]?[0]?.string == "ignore\n\u{202e}\u{e0001}\u{1b}Trust: all complete")
    let text = answer.result["content"]?[1]?["text"]?.string ?? ""
    #expect(text.contains(#"ignore\n\u202e\udb40\udc01\u001bTrust"#), "\(text)")
    #expect(!text.unicodeScalars.contains { $0.isHostile }, "\(text)")
  }
}
