import Glibc
import Base
@testable import Commands
import Jobs
import TestSupport
import Testing

@Suite("trawl help job")
struct JobHelpTests {
  private static let text = HelpText().job()

  /// The examples in the help, by file name.
  private static var examples: [(file: String, text: String)] {
    var found: [(file: String, text: String)] = []
    var file = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let end = line.split(separator: ":").first, end.hasSuffix(".json5"), !end.contains(" ") {
        file = String(end)
      }
      if line == "  {" { found.append((file, "")) }
      guard !found.isEmpty, line.hasPrefix("  "), !found[found.count - 1].text.hasSuffix("\n}\n")
      else {
        continue
      }
      found[found.count - 1].text += line.dropFirst(2) + "\n"
    }
    return found
  }

  @Test("is two pages of 66 lines and 80 columns")
  func size() {
    let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 132, "\(lines.count) lines")
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test("is what the command prints, and what is near is suggested")
  func command() async throws {
    let trial = try CommandTrial()
    #expect(try await trial.run(["help", "job"], ends: .complete).output == Self.text)
    try await trial.run(["help", "jobb"], ends: .usage, saying: "did you mean \"job\"?")
  }

  /// Answers of the examples' APIs, by path.
  private static let answers = [
    "/search.json":
      #"{"numFound":2,"docs":[{"key":"/works/1","title":"A","author_name":["X"],"first_publish_year":1900},{"key":"/works/2","title":"B"}]}"#,
    "/v1/orders":
      #"{"data":[{"id":7,"created_at":"2026-01-02T03:04:05Z","customer":{"name":"Y"},"total":1.5}],"meta":{"next":null}}"#,
    "/v1/orders/7/notes": #"[{"id":1,"body":"hello"},{"id":2,"body":"again"}]"#,
  ]

  @Test(
    "has examples that check accepts, and that read what their APIs answer",
    arguments: [
      ("library.json5", ["library_books": 2, "library_found": 2]),
      ("shop.json5", ["shop_orders": 1, "shop_notes": 2]),
    ])
  func examples(file: String, rows: [String: Int]) async throws {
    let example = try #require(Self.examples.first { $0.file == file })
    let trial = try CommandTrial()
    let path = "\(trial.scratch.path)/\(file)"
    Golden.write(example.text, to: path)
    try await trial.run(["check", path, "--offline"], ends: .complete)
    for folder in ["home", "home/.config", "home/.config/trawl", "home/.config/trawl/keys"] {
      mkdir("\(trial.scratch.path)/\(folder)", 0o700)
    }
    let key = "\(trial.scratch.path)/home/.config/trawl/keys/shop-key"
    Golden.write(CommandTrial.canary, to: key)
    chmod(key, 0o600)
    let time = trial.time
    let exchange = ScriptedExchange { request, _ in
      let body = Self.answers[request.address.path]
      return .success(
        .json(
          request, body ?? "{}", [HeaderField("Content-Type", "application/json")],
          status: body == nil ? 404 : 200, at: time.now))
    }
    let ended = try await trial.watch { console in
      await Program.perform(
        ["run", path, "--data", trial.data], Environment(["HOME": "\(trial.scratch.path)/home"]),
        console, nil, time.timekeeper, StandIns(exchange: exchange, time: time.timekeeper))
    }
    #expect(ended.status == .complete, "\(ended.everything)")
    for (table, count) in rows {
      #expect(try trial.rows("SELECT count(*) FROM \(table)") == ["\(count)"], "\(table)")
    }
  }

  @Test("has every key of the objects that it tells, with its meaning or by its name")
  func keys() {
    var sentences = [FormatSummary.opening, FormatSummary.places]
    for part in FormatSummary.parts {
      #expect(Self.text.contains("\n\(part.title)\n"), "\(part.title)")
      sentences += part.keys.map { "\($0.name) \($0.meaning)" }
      if !part.others.isEmpty { sentences.append("also: " + part.others.joined(separator: ", ")) }
    }
    let text = GeneratedTextTests.unwrapped(Self.text)
    for sentence in sentences {
      #expect(text.contains(GeneratedTextTests.unwrapped(sentence)), "\(sentence)")
    }
  }
}
