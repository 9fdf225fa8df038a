internal import Base

/// trawl(1), made from the table.
struct ManualPage: Sendable {
  let table: OptionTable
  let version: String

  var text: String {
    var page = Roff.title("TRAWL", 1, of: "trawl \(version)", in: "User Commands")
    page += Roff.section("NAME") + Roff.line("trawl - \(HelpText.purpose)")
    page += Roff.section("SYNOPSIS")
    page += table.commands.flatMap(HelpText.usages).map(synopsis).joined(separator: ".br\n")
    page += Roff.section("OPTIONS") + definitions(table.options(table.programOptions), of: nil)
    page += Roff.section("COMMANDS") + table.commands.map(section).joined()
    page += Roff.section("EXIT STATUS")
    for status in ExitStatus.allCases { page += Roff.term("\(status.code)", status.meaning) }
    page += Roff.section("JSON LINES") + Roff.line(ManualText.jsonLines)
    for event in ProgressJSON.events { page += Roff.term(event.name, event.members) }
    page += Roff.section("FILES") + entries(ManualText.files)
    page += Roff.section("ENVIRONMENT") + entries(ManualText.environment)
    page += Roff.section("NOTES") + Roff.paragraphs(ManualText.notes)
    page += Roff.section("SEE ALSO") + Roff.line("trawl.json5(5), trawl-sandbox(1), sqlite3(1)")
    return page
  }

  private func synopsis(_ usage: String) -> String {
    ".B trawl\n" + Roff.line(String(usage.dropFirst("trawl ".count)))
  }

  private func section(_ command: CommandSpec) -> String {
    var text = Roff.part(command.word) + Roff.line(Roff.sentence(command.purpose))
    if !command.details.isEmpty { text += Roff.line(command.details) }
    for action in command.actions {
      text += Roff.term("\(command.word) \(action.name)", Roff.sentence(action.purpose))
    }
    for operand in HelpText.operands(of: command) { text += Roff.term(operand.name, operand.about) }
    text += definitions(table.options(of: command).filter { $0.name != .help }, of: command)
    for example in command.examples {
      text += ".PP\n" + Roff.line(Roff.sentence(example.about)) + Roff.example(example.line)
    }
    let codes = command.allExits.map { String($0.code) }.joined(separator: ", ")
    return text + ".PP\n" + Roff.line("Exit status: \(codes).")
  }

  private func definitions(_ options: [OptionSpec], of command: CommandSpec?) -> String {
    options.map { Roff.term($0.spellings, HelpText.meaning(of: $0, in: command)) }.joined()
  }

  private func entries(_ entries: [ManualText.Entry]) -> String {
    entries.map { Roff.term($0.term, $0.meaning) }.joined()
  }
}
