import Glibc
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("A run on a terminal", .prompt)
struct TerminalRunTests {
  @Test(
    "is steady at any width: no line wraps, nothing of the live block stays",
    arguments: [40, 120])
  func run(columns: Int) async throws {
    let trial = try CommandTrial()
    let terminal = try PseudoTerminal(columns: columns, rows: 60)
    let console = Console(
      facts: TerminalFacts(isOutputTerminal: true, isErrorTerminal: true, isColourless: true),
      output: terminal.slave, error: terminal.slave)
    // A terminal holds so many bytes and then lets the writer wait: it is read all the while.
    let reader = terminal.reading()
    let status = await Program.perform(
      ["run", "github"] + trial.github,
      Environment(["HOME": trial.scratch.path, "TMPDIR": trial.scratch.path]), console, nil,
      trial.time.timekeeper)
    #expect(status == .complete)
    _ = console.finish()
    let bytes = await reader.end()
    // Cursor movements of the live block, and no other control sequence.
    let text = String(decoding: bytes, as: UTF8.self)
    for (index, piece) in text.split(separator: "\u{1b}").enumerated() where index > 0 {
      #expect(
        piece.hasPrefix("[")
          && piece.dropFirst().first(where: \.isLetter).map { "AJ".contains($0) } == true,
        "\(piece.prefix(9))")
    }
    var screen = ScreenModel(columns: columns)
    screen.write(bytes)
    let lines = screen.lines.filter { !$0.isEmpty }
    #expect(lines.first?.hasPrefix("github") == true, "\(lines)")
    #expect(!lines.contains { $0.contains("page 1 of") || $0.contains(" 1/") }, "\(lines)")
    #expect(lines.contains { $0.contains("complete") }, "\(lines)")
    // The path of a scratch folder may be longer than a narrow terminal.
    #expect(lines.suffix(4).joined().hasSuffix(".html"), "\(lines)")
  }
}
