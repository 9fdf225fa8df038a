@testable import Base
@testable import Commands
import TestSupport
import Testing

@Suite("Texts made from the option table")
struct GeneratedTextTests {
  @Test("the help of the program reads as it was accepted, and has the same words in 40 columns")
  func program() {
    let text = HelpText(columns: 80).program()
    acceptText(text, equals: "help-80.txt")
    let narrow = HelpText(columns: 40).program()
    #expect(Self.unwrapped(narrow) == Self.unwrapped(text))
    #expect(
      narrow.contains(
        "\n  run     \n      reads the lists of a job to their\n      end and stores them\n"))
  }

  @Test(
    "the help of each command has all that the table says of it; one shows the form of all",
    arguments: CommandName.allCases)
  func command(name: CommandName) throws {
    let text = HelpText().command(name)
    if name == .run { acceptText(text, equals: "help-run.txt") }
    if name == .media {
      let lines = [
        "trawl media gc [OPTIONS]", "actions\n  verify  reads files again;",
        "operands\n  TABLE  the table of the record\n  KEY    the key of",
      ]
      for line in lines { #expect(text.contains(line), "\(line)") }
    }
    let command = try #require(OptionTable.command(name))
    for part in ["\noptions\n", "\nexamples\n", "\nexit codes\n"] { #expect(text.contains(part)) }
    var sentences = ["trawl \(command.word): \(command.purpose)", command.details]
    sentences += HelpText.usages(of: command)
    sentences += command.actions.map { "\($0.name) \($0.purpose)" }
    sentences += HelpText.operands(of: command).map { "\($0.name) \($0.about)" }
    sentences += OptionTable.options(of: command).map {
      "\($0.spellings) \(HelpText.meaning(of: $0, in: command))"
    }
    sentences += command.examples.map { "\($0.line) \($0.about)" }
    sentences += command.allExits.map { $0 == .complete ? "0 success" : "\($0.code) \($0.meaning)" }
    for sentence in sentences where !sentence.isEmpty {
      #expect(Self.unwrapped(text).contains(Self.unwrapped(sentence)), "\(sentence)")
    }
  }

  private func acceptText(_ text: String, equals name: String) {
    Golden.expect("Tests/CommandsTests/Golden/\(name)", equals: text)
  }

  /// On one line.
  static func unwrapped(_ text: String) -> String {
    text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  @Test("no line of help is wider than asked", arguments: [40, 60, 80, 100])
  func width(columns: Int) {
    let help = HelpText(columns: columns)
    for text in [help.program()] + OptionTable.commands.map({ help.command($0.name) }) {
      for line in text.split(separator: "\n") where !line.hasPrefix("  trawl ") {
        // Usage lines and options are not wrapped, for copying.
        let isTerm =
          line.hasPrefix("usage:") || line.hasPrefix("       trawl") || line.contains("  -")
        #expect(line.count <= columns || isTerm || !line.contains(" "), "\(line)")
      }
    }
  }

  @Test("every command has a purpose, examples it would take, and its exit codes")
  func whole() throws {
    let reader = ArgumentReader(now: .init(seconds: 0))
    for command in OptionTable.commands {
      #expect(!command.purpose.isEmpty && command.purpose.utf8.last != UInt8(ascii: "."))
      #expect(command.purpose.utf8.count <= 90, "\(command.word)")
      let isPlain = command.operands.isEmpty && command.options.isEmpty
      #expect(command.examples.count >= (isPlain ? 1 : 2), "\(command.word)")
      #expect(command.exits == command.exits.sorted { $0.code < $1.code }, "\(command.word)")
      for example in command.examples {
        let inner = example.line.split(separator: "$(").last.map(String.init) ?? ""
        let words = inner.split { " )\"<".contains($0) }.map(String.init)
        let start = try #require(words.firstIndex(of: "trawl"), "\(example.line)")
        let line = words[(start + 1)...].filter { $0 != "token.txt" }
        guard case .command(let invocation) = try reader.read(Array(line)) else {
          Issue.record("\(example.line) is no command")
          continue
        }
        #expect(invocation.command == command.name)
      }
    }
    #expect(OptionTable.commands.map(\.name) == CommandName.allCases)
  }

  @Test("every option is in the table once, and some command takes it")
  func options() {
    #expect(Set(OptionTable.options.map(\.name)) == Set(OptionName.allCases))
    #expect(OptionTable.options.count == OptionName.allCases.count)
    let taken = Set(OptionTable.commands.flatMap { OptionTable.options(of: $0).map(\.name) })
    #expect(taken.union(OptionTable.programOptions) == Set(OptionName.allCases))
    let shorts = OptionTable.options.compactMap(\.short)
    #expect(Set(shorts).count == shorts.count)
    #expect(OptionTable.exclusive.filter { $0.count < 2 }.isEmpty)
  }

  @Test("the spellings that scripts rely on are taken")
  func spellings() throws {
    let reader = ArgumentReader(now: .init(seconds: 0))
    let line =
      "run JOB FILE --data DIR --endpoint http://127.0.0.1:1 --set A=B --set A=C --stream S "
      + "--max-wait 1m --max-requests 3 --max-time 1h --allow-loopback --dry-run --record DIR "
      + "--json -v"
    for text in [
      line, "run JOB --replay DIR -q", "status JOB --json", "status JOB --max-age 2h",
      "backfill JOB --stream S --from 2024 --to 90d --set k=v --max-requests 1 --max-time 1h "
        + "--dry-run --until 06:00",
      "check github --print", "report --html", "report R --explain", "prove JOB --cite",
      "run JOB --accept-vanish 3 --retry-rejects --wait --max-wal 64MB --metrics-file F --keep 9",
      "backfill JOB --refill", "media gc --dry-run --grace 7d", "media verify --sample 1/7",
      "media path T K", "run JOB --send-key-to https://a.example --ledger F",
      "--system backfill JOB",
    ] {
      #expect(throws: Never.self, "\(text)") {
        try reader.read(text.split(separator: " ").map(String.init))
      }
    }
  }

  private let page = ManualPage(version: "1.0").text

  @Test(
    "the man page reads as it was accepted; some of its sections and a command show the form of all"
  )
  func generated() {
    var isKept = true
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.hasPrefix(".SH") {
        isKept = ![
          ".SH OPTIONS", ".SH EXIT STATUS", ".SH FILES", ".SH ENVIRONMENT", ".SH NOTES",
        ].contains(line)
      } else if line.hasPrefix(".SS") {
        isKept = line == ".SS backfill JOB|FILE"
      }
      return isKept
    }
    acceptText(lines.joined(separator: "\n"), equals: "trawl.1")
  }

  @Test("man page and completions hold every option and every command, in the words of their help")
  func complete() {
    let all = page.split(separator: "\n")
    let lines = Set(all)
    let stands = { (text: String) in lines.contains(Roff.escaped(text)[...]) }
    for option in OptionTable.options(OptionTable.programOptions) {
      #expect(stands(HelpText.meaning(of: option)), "\(option.spelling)")
    }
    for heading in ["OPTIONS", "EXIT STATUS", "FILES", "ENVIRONMENT", "NOTES"] {
      let isThere = lines.contains(".SH \(heading)"[...])
      #expect(isThere, "\(heading)")
    }
    for text in ManualText.notes { #expect(stands(text), "\(text)") }
    var entries: [(String, String)] = ExitStatus.allCases.map { ("\($0.code)", $0.meaning) }
    for list in [ManualText.files, ManualText.environment] {
      entries += list.map { ($0.key, $0.value) }
    }
    let pairs = Set(zip(all, all.dropFirst()).map { "\($0)\n\($1)" })
    for (name, about) in entries {
      let isThere = pairs.contains(".B \(Roff.escaped(name))\n\(Roff.escaped(about))")
      #expect(isThere, "\(name)")
    }
    let typed = { (words: [String]) in
      Completion(words, environment: Environment([:])).text.split(separator: "\n")
        .map { $0.split(separator: "\t")[0] }
    }
    #expect(typed([""]).elementsEqual(OptionTable.commands.map { $0.word[...] }))
    for command in OptionTable.commands {
      let options = OptionTable.options(of: command)
      let known = Set(options.map { $0.name.spelling[...] })
      #expect(known.isSubset(of: typed([command.word, "-"])), "\(command.word)")
      // The page does not repeat trawl help and trawl version.
      guard command.name.group != nil else { continue }
      var texts = [[Roff.sentence(command.purpose), command.details].joined(separator: " ")]
      texts += command.actions.map { Roff.sentence($0.purpose) }
      texts += HelpText.operands(of: command).map(\.about)
      for text in texts { #expect(stands(text), "\(command.word): \(text)") }
      for option in options {
        let isExplained =
          stands(HelpText.meaning(of: option)) || stands(HelpText.meaning(of: option, in: command))
        let isThere = lines.contains(".B \(Roff.escaped(option.spellings))"[...])
        #expect(isThere && isExplained, "\(command.word) \(option.spelling)")
      }
    }
  }

  @Test("no text is a request or an escape to roff")
  func roff() {
    #expect(Roff.escaped(".so /etc/passwd") == "\\&.so /etc/passwd")
    #expect(Roff.escaped("'\\n-x\"") == "\\(aq\\en\\-x\\(dq")
  }

  @Test("words for a completion are plain")
  func words() {
    #expect(
      Completion.answer(
        ["github", "a b", "$(rm)", "\u{1b}[1m", "", "한국", "user=", "x`y`"].map { .init(word: $0) })
        == "github\n한국\nuser=\n")
  }
}
