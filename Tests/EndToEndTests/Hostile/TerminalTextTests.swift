import Glibc
import Base
import TestSupport
import Testing

/// The built program on a terminal, with an API whose texts all attack terminals.
@Suite("API text on a terminal", .prompt)
struct TerminalTextTests {
  /// A thousand records, each with a title and a size that does not fit.
  private static let answer: [UInt8] = {
    var writer = JSONWriter()
    writer.object { writer in
      writer.array("items") { writer in
        for (index, sample) in HostileText.samples(count: 1_000, seed: 21).enumerated() {
          let text = String(decoding: sample.bytes, as: UTF8.self)
          writer.object { writer in
            writer.member("id", index + 1)
            writer.member("title", "needle \(text)")
            writer.member("size", text)
          }
        }
      }
    }
    return writer.bytes
  }()

  private static func job(_ base: String) -> String {
    """
    {
      name: "attack", base: "\(base)/v1",
      streams: {
        items: {
          get: "/items", pages: { by: "single" }, records: "items", into: "items", key: ["id"],
          columns: { id: "id as integer", title: "title", size: "size as integer" },
          items: { title: "title" }, search: ["title"],
        },
      },
    }
    """
  }

  /// The output on a terminal of this width; `script` of util-linux provides a real one.
  private func shown(_ home: Home, _ columns: Int, _ command: String) async -> String {
    let line = "stty cols \(columns) -opost; \(command)"
    let environment = [
      "TERM": "xterm", "SHELL": "/bin/sh", "JOB": "\(home.scratch.path)/attack.json5",
    ]
    let ended = await home.shell(
      "script -qec '\(line)' \(home.scratch.path)/seen >/dev/null; cat \(home.scratch.path)/seen",
      environment)
    // Without the first and last line of `script`.
    let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.filter { !$0.hasPrefix("Script ") }.joined(separator: "\n")
  }

  @Test(
    "a thousand hostile titles, rejects and answers to a try, a search and a report do no harm",
    .enabled(if: access("/usr/bin/script", X_OK) == 0), arguments: [40, 120])
  func titles(columns: Int) async throws {
    let server = AnswerServer { call in
      call.target.holds("/items")
        ? AnswerServer.Reply(fields: ["Content-Type: application/json"], body: Self.answer)
        : .json("{}", status: 404)
    }
    let home = Home()
    home.write(Self.job(server.origin), to: "attack.json5")
    for (command, least, word) in [
      ("$T run $JOB --data $D --allow-loopback -v", 1, "rejected"),
      ("$T try $JOB --allow-loopback", 3, "needle"),
      ("$T search needle --limit 1000 --data $D", 1_000, "needle"),
      ("$T report --data $D", 1, "rejected"), ("$T report --explain --data $D", 1, "1,000"),
      ("$T status --data $D", 1, "attack"),
    ] {
      let text = await shown(home, columns, command)
      #expect(text.pieces(around: word).count > least, "\(command): \(text.prefix(2_000))")
      let intruders = Self.intruders(in: text, columns)
      #expect(intruders.isEmpty, "\(command): \(intruders.prefix(9))")
    }
  }

  private static func intruders(in text: String, _ columns: Int = 80) -> [String] {
    var screen = ScreenModel(columns: columns)
    screen.write(Array(text.utf8))
    return screen.intruders
  }

  @Test("the search for intruders finds them")
  func finds() {
    for text in ["\u{7}", "\u{1b}[2K", "\u{1b}]0;x", "\u{202e}", "\u{9b}1m", "\u{1b}", "a\tb"] {
      #expect(!Self.intruders(in: text).isEmpty, "\(text.unicodeScalars.map(\.value))")
    }
    #expect(Self.intruders(in: "\u{1b}[1mname\u{1b}[0m\r\n\u{1b}[2A\u{1b}[J한국").isEmpty)
  }
}
