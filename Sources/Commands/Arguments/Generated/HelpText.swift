internal import Jobs

/// `--help`, made from the table.
struct HelpText: Sendable {
  private let columns: Int

  /// At most 100 columns, as longer lines are hard to read; at least 40.
  init(columns: Int = 80) { self.columns = min(max(columns, 40), 100) }

  static let purpose =
    "mirrors paged web APIs into a SQLite file you own, and proves which lists are complete"

  /// Of the program itself.
  func program() -> String {
    var text = paragraph("trawl " + Self.purpose) + "\n"
    text += "usage: trawl COMMAND [OPTIONS]\n"
    let width = OptionTable.commands.map(\.word.utf8.count).max() ?? 0
    for group in CommandGroup.allCases {
      let commands = OptionTable.commands.filter { $0.name.group == group }
      // Aligns the texts of all groups.
      let words = commands.map { command in
        command.word + String(repeating: " ", count: width - command.word.utf8.count)
      }
      text +=
        "\n\(group.rawValue)\n"
        + definitions(zip(words, commands.map(\.purpose)).map { ($0, $1) })
    }
    text += "\noptions\n" + options(OptionTable.options(OptionTable.programOptions))
    text += "\nexit codes\n" + exits(ExitStatus.allCases)
    let further = "\"trawl COMMAND --help\" shows a command's options and examples."
    return text + "\n" + paragraph(further)
  }

  /// Of one command; empty if the table lacks it.
  func command(_ name: CommandName) -> String {
    guard let command = OptionTable.command(name) else { return "" }
    var text = paragraph("trawl \(command.word): \(command.purpose)") + "\n"
    for (index, line) in Self.usages(of: command).enumerated() {
      text += (index == 0 ? "usage: " : "       ") + line + "\n"
    }
    if !command.details.isEmpty { text += "\n" + paragraph(command.details) }
    if !command.actions.isEmpty {
      text += "\nactions\n" + definitions(command.actions.map { ($0.name, $0.purpose) })
    }
    let operands = Self.operands(of: command)
    if !operands.isEmpty {
      text += "\noperands\n" + definitions(operands.map { ($0.name, $0.about) })
    }
    text += "\noptions\n" + options(OptionTable.options(of: command), of: command)
    text += "\nexamples\n"
    for example in command.examples {
      text += "  \(example.line)\n" + paragraph(example.about, indent: 6)
    }
    let isRun = [.run, .backfill].contains(command.name)
    return text + "\nexit codes\n" + exits(command.allExits, ofRun: isRun)
  }

  /// The word after `trawl help` for the job file format.
  static let jobWord = "job"

  /// Of job files, two pages.
  func job() -> String {
    var text = paragraph(FormatSummary.opening)
    for example in FormatSummary.examples {
      text += "\n" + paragraph(example.about)
      text += example.text.split(separator: "\n").map { "  \($0)\n" }.joined()
    }
    text += "\n" + paragraph(FormatSummary.places) + "\n"
    for part in FormatSummary.parts {
      text += "\(part.title)\n" + definitions(part.keys.map { ($0.name, $0.meaning) })
      if !part.others.isEmpty {
        text += paragraph("also: " + part.others.joined(separator: ", "), indent: 2)
      }
    }
    return text
  }

  /// `trawl media verify [OPTIONS]`, one line for each action.
  static func usages(of command: CommandSpec) -> [String] {
    func line(_ words: [String], _ operands: [OperandSpec]) -> String {
      (["trawl", command.word] + words + operands.map(\.usage) + ["[OPTIONS]"])
        .joined(separator: " ")
    }
    guard !command.actions.isEmpty else { return [line([], command.operands)] }
    return command.actions.map { line([$0.name], $0.operands) }
  }

  /// Each operand once, those of the actions included.
  static func operands(of command: CommandSpec) -> [OperandSpec] {
    var seen: Set<String> = []
    return (command.operands + command.actions.flatMap(\.operands)).filter {
      seen.insert($0.name).inserted
    }
  }

  /// What an option does, its default, whether it is repeatable, and which action takes it.
  static func meaning(of option: OptionSpec, in command: CommandSpec? = nil) -> String {
    var notes: [String] = []
    if let command, !command.actions.isEmpty {
      let takers = command.actions.filter { $0.options.contains(option.name) }.map(\.name)
      if !takers.isEmpty { notes.append("for " + takers.joined(separator: " and ")) }
    }
    if option.isRepeatable { notes.append("may be repeated") }
    if let fallback = option.value?.fallback.text { notes.append("default: \(fallback)") }
    return option.about + (notes.isEmpty ? "" : " (" + notes.joined(separator: "; ") + ")")
  }

  private func options(_ options: [OptionSpec], of command: CommandSpec? = nil) -> String {
    definitions(options.map { ($0.spellings, Self.meaning(of: $0, in: command)) })
  }

  /// - Parameter isRun: whether 0 is explained in terms of lists.
  private func exits(_ list: [ExitStatus], ofRun isRun: Bool = true) -> String {
    definitions(list.map { (String($0.code), $0 == .complete && !isRun ? "success" : $0.meaning) })
  }

  // MARK: layout

  /// Longer words stay whole.
  private func wrapped(_ text: String, to width: Int) -> [String] {
    text.isEmpty ? [] : ConsoleText(lines: text).wrapped(to: width, hanging: 0).map(\.plain)
  }

  /// `text` on lines of its own, indented.
  private func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return wrapped(text, to: columns - indent).map { margin + $0 + "\n" }.joined()
  }

  /// Terms on the left, meanings on the right; on narrow screens below each other.
  private func definitions(_ rows: [(term: String, meaning: String)]) -> String {
    let leftMax = 24
    let longest = rows.map { $0.term.utf8.count + 4 }.filter { $0 <= leftMax }.max() ?? leftMax
    let left = columns < 60 ? 6 : longest
    var text = ""
    for row in rows {
      let margin = String(repeating: " ", count: left)
      let fits = row.term.utf8.count + 4 <= left
      var rest = wrapped(row.meaning, to: columns - left)[...]
      text += "  " + row.term
      if fits, let first = rest.popFirst() {
        text += String(repeating: " ", count: left - 2 - row.term.utf8.count) + first
      }
      text += "\n" + rest.map { margin + $0 + "\n" }.joined()
    }
    return text
  }
}
