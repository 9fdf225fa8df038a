/// trawl(1) in the man macros of roff, made from the table. It holds no date, so that the same
/// source gives the same bytes.
struct ManualPage: Sendable {
  let table: OptionTable
  let version: String

  var text: String {
    var page = ".TH TRAWL 1 \"\" \"trawl \(Self.escaped(version))\" \"User Commands\"\n"
    page += ".SH NAME\ntrawl \\- \(Self.escaped(HelpText.purpose))\n"
    page += ".SH SYNOPSIS\n"
    page += table.commands.flatMap(HelpText.usages).map(synopsis).joined(separator: ".br\n")
    page += ".SH OPTIONS\n" + definitions(table.options(table.programOptions), of: nil)
    page += ".SH COMMANDS\n" + table.commands.map(section).joined()
    page += ".SH EXIT STATUS\n"
    for status in ExitStatus.allCases { page += term("\(status.code)", status.meaning) }
    page += ".SH JSON LINES\n" + Self.line(ManualText.jsonLines)
    for event in ProgressJSON.events { page += term(event.name, event.members) }
    page += ".SH FILES\n" + entries(ManualText.files)
    page += ".SH ENVIRONMENT\n" + entries(ManualText.environment)
    page += ".SH NOTES\n" + ManualText.notes.map(Self.line).joined(separator: ".PP\n")
    return page
  }

  private func synopsis(_ usage: String) -> String {
    ".B trawl\n" + Self.line(String(usage.dropFirst("trawl ".count)))
  }

  private func section(_ command: CommandSpec) -> String {
    var text = ".SS \(command.word)\n" + Self.line(Self.sentence(command.purpose))
    if !command.details.isEmpty { text += Self.line(command.details) }
    for action in command.actions {
      text += term("\(command.word) \(action.name)", Self.sentence(action.purpose))
    }
    for operand in HelpText.operands(of: command) { text += term(operand.name, operand.about) }
    text += definitions(table.options(of: command).filter { $0.name != .help }, of: command)
    for example in command.examples {
      text += ".PP\n" + Self.line(Self.sentence(example.about))
      text += ".PP\n.in +4n\n.nf\n" + Self.line(example.line) + ".fi\n.in\n"
    }
    let codes = command.allExits.map { String($0.code) }.joined(separator: ", ")
    return text + ".PP\n" + Self.line("Exit status: \(codes).")
  }

  private func definitions(_ options: [OptionSpec], of command: CommandSpec?) -> String {
    options.map { term($0.spellings, HelpText.meaning(of: $0, in: command)) }.joined()
  }

  private func entries(_ entries: [ManualText.Entry]) -> String {
    entries.map { term($0.term, $0.meaning) }.joined()
  }

  private func term(_ term: String, _ meaning: String) -> String {
    ".TP\n.B " + Self.escaped(term) + "\n" + Self.line(meaning)
  }

  /// `syncs a job` is `Syncs a job.` in running text.
  private static func sentence(_ text: String) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst() + "."
  }

  private static func line(_ text: String) -> String { escaped(text) + "\n" }

  /// No text is a request or an escape, and a hyphen can be copied into a shell.
  static func escaped(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "\"": out += "\\(dq"
      case "'": out += "\\(aq"
      case "~": out += "\\(ti"
      case "^": out += "\\(ha"
      case "`": out += "\\(ga"
      default: out.append(character)
      }
    }
    return (out.hasPrefix(".") ? "\\&" : "") + out
  }
}
