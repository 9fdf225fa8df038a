internal import Base

/// trawl(1), made from the table. An option that several commands take is described once.
struct ManualPage: Sendable {
  let version: String

  var text: String {
    var page = Roff.title("TRAWL", 1, of: "trawl \(version)", in: "User Commands")
    page += Roff.section("NAME") + Roff.line("trawl - \(HelpText.purpose)")
    page += Roff.section("SYNOPSIS") + ".B trawl\n" + Roff.line("COMMAND [OPERANDS] [OPTIONS]")
    page += Roff.section("COMMANDS") + Roff.line("trawl COMMAND --help has examples.")
    for group in CommandGroup.allCases {
      page += OptionTable.commands.filter { $0.name.group == group }.map(section).joined()
    }
    page += Roff.section("OPTIONS")
    page += Roff.compact(
      definitions(OptionTable.options(OptionTable.programOptions), of: nil)
        + definitions(OptionTable.options.filter { shared.contains($0.name) }, of: nil), indent: 18)
    page += Roff.section("EXIT STATUS")
    page += Roff.line("Every command may exit with 0, 64, 70 and 74.")
    page += Roff.compact(
      ExitStatus.allCases.map { Roff.term("\($0.code)", $0.meaning) }.joined(), indent: 4)
    let events = ProgressJSON.events.map { "\($0.name): \($0.members)" }.joined(separator: "; ")
    page += Roff.section("JSON LINES") + Roff.line("\(ManualText.jsonLines) \(events).")
    page += Roff.section("FILES") + entries(ManualText.files)
    page += Roff.section("ENVIRONMENT") + entries(ManualText.environment)
    page += Roff.section("NOTES") + Roff.paragraphs(ManualText.notes)
    page += Roff.section("SEE ALSO") + Roff.line("trawl.json5(5), trawl-translate(1), sqlite3(1)")
    return page
  }

  /// Options that read the same in several commands.
  private var shared: Set<OptionName> {
    var counts: [OptionName: Int] = [:]
    for command in OptionTable.commands {
      for option in OptionTable.options(of: command) { counts[option.name, default: 0] += 1 }
    }
    return Set(counts.filter { $0.value > 1 && !OptionTable.programOptions.contains($0.key) }.keys)
  }

  private func section(_ command: CommandSpec) -> String {
    let operands = command.operands.map(\.usage).joined(separator: " ")
    var text = Roff.part("\(command.word) \(operands)".trimmingBlanks)
    text += Roff.line(([Roff.sentence(command.purpose), command.details]).joined(separator: " "))
    let options = OptionTable.options(of: command).filter { $0.name != .help }
    let own = options.filter { option in
      !shared.contains(option.name) || command.variants.contains { $0.name == option.name }
    }
    var terms = command.actions.map { action in
      let words = [command.word, action.name] + action.operands.map(\.usage)
      return Roff.term(words.joined(separator: " "), Roff.sentence(action.purpose))
    }.joined()
    terms += HelpText.operands(of: command).map { Roff.term($0.name, $0.about) }.joined()
    text += Roff.compact(terms + definitions(own, of: command), indent: 18)
    var others = options.map(\.name).filter { name in !own.contains { $0.name == name } }
    var also: [String] = []
    // The many options of run are not repeated for backfill.
    if command.name == .backfill, let run = OptionTable.command(.run) {
      others.removeAll(where: run.options.contains)
      also = ["those of run"]
    }
    also += others.map(\.spelling)
    var lines: [String] = []
    if !also.isEmpty { lines.append("Options: \(also.joined(separator: ", ")).") }
    if !command.exits.isEmpty {
      lines.append("Exits: \(command.exits.map { String($0.code) }.joined(separator: ", ")).")
    }
    if !lines.isEmpty { text += Roff.close(Roff.line(lines.joined(separator: " "))) }
    return text
  }

  private func definitions(_ options: [OptionSpec], of command: CommandSpec?) -> String {
    options.map { Roff.term($0.spellings, HelpText.meaning(of: $0, in: command)) }.joined()
  }

  private func entries(_ entries: KeyValuePairs<String, String>) -> String {
    Roff.compact(entries.map { Roff.term($0.key, $0.value) }.joined(), indent: 18)
  }
}
