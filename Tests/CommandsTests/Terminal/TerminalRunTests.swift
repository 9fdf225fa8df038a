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

  @Test(
    "hostile names and values from a person reach no terminal as they are",
    arguments: [40, 120])
  func hostile(columns: Int) async throws {
    let trial = try CommandTrial()
    let texts = HostileText.samples(count: Torture.isOn ? 1_000 : 60, seed: 11).map {
      String(decoding: $0.bytes.filter { $0 != 0 }, as: UTF8.self)
    }
    let terminal = try PseudoTerminal(columns: columns)
    let console = Console(
      facts: TerminalFacts(isOutputTerminal: true, isErrorTerminal: true), output: terminal.slave,
      error: terminal.slave)
    let environment = Environment(["HOME": trial.scratch.path])
    for (index, text) in texts.enumerated() {
      // A job that is not there, or a value that does not fit: both are told with the text.
      let arguments =
        index % 4 > 0 ? ["run", text] : ["run", "github", "--set", "user=\(text)", "--dry-run"]
      _ = await Program.perform(arguments, environment, console, nil, trial.time.timekeeper)
      for line in terminal.written().split(separator: 10) {
        // Colours of our own are the only escapes.
        let plain = String(decoding: line, as: UTF8.self).removingStyles
        let controls = plain.unicodeScalars.filter {
          $0.value < 0x20 || (0x7f..<0xa0).contains($0.value)
            || (0x202a...0x202e).contains($0.value) || (0x2066...0x2069).contains($0.value)
        }
        #expect(controls.isEmpty, "\(Array(text.utf8))")
      }
    }
    #expect(trial.sandbox.requests().isEmpty)
  }
}

extension String {
  /// Without `ESC [ number m`.
  fileprivate var removingStyles: String {
    var out = ""
    var rest = self[...]
    while let escape = rest.utf8.firstIndex(of: 0x1b) {
      out += rest[..<escape]
      let behind = rest[rest.utf8.index(after: escape)...]
      let style = behind.prefix { $0 == "[" || $0.isNumber || $0 == "m" }
      guard style.hasPrefix("["), let end = style.firstIndex(of: "m") else {
        return out + rest[escape...]
      }
      rest = behind[behind.index(after: end)...]
    }
    return out + rest
  }
}
