internal import Base

/// `trawl help [COMMAND|job]`, and `--help` anywhere.
struct HelpCommand: Sendable {
  let console: Console

  func perform(_ word: String?) throws -> ExitStatus {
    guard let word else { return show(nil) }
    if word == HelpText.jobWord {
      console.printLines(HelpText(columns: console.columns).job())
      return .complete
    }
    guard let command = OptionTable.command(word) else {
      throw ExitReport(.usage, OptionTable.unknown(word, among: OptionTable.helpWords))
    }
    return show(command.name)
  }

  func show(_ command: CommandName?) -> ExitStatus {
    let help = HelpText(columns: console.columns)
    console.printLines(command.map { help.command($0) } ?? help.program())
    return .complete
  }
}
