/// The command line as one table: parser, help, man page, completions and reference are all made from it. What it lacks
/// is neither shown nor accepted.
struct OptionTable: Sendable {
  let commands: [CommandSpec]
  let options: [OptionSpec]
  /// Options that precede a command.
  let programOptions: [OptionName]
  /// Options that exclude each other.
  let exclusive: [[OptionName]]

  static let shipped = OptionTable(
    commands: allCommands, options: allOptions,
    programOptions: [.help, .version, .completions, .system],
    exclusive: [
      [.quiet, .verbose], [.record, .replay], [.json, .html], [.csv, .jsonl, .json],
      [.changes, .explain], [.changes, .html], [.open, .json], [.open, .changes],
    ])

  func command(_ word: String) -> CommandSpec? {
    commands.first { command in
      command.words.contains { $0.utf8.elementsEqual(word.utf8) }
    }
  }

  func command(_ name: CommandName) -> CommandSpec? { commands.first { $0.name == name } }

  /// What `trawl help` takes.
  var helpWords: [String] { commands.map(\.word) + [HelpText.jobWord] }

  func option(_ name: OptionName) -> OptionSpec? { options.first { $0.name == name } }

  func options(_ names: [OptionName]) -> [OptionSpec] { names.compactMap(option) }

  /// The options of a command, in the order of its help, including those of all its actions.
  func options(of command: CommandSpec, action: ActionSpec? = nil) -> [OptionSpec] {
    let own = action?.options ?? command.actions.flatMap(\.options)
    var seen: Set<OptionName> = []
    return options(own + command.options + [.help]).filter { seen.insert($0.name).inserted }.map {
      option in command.variants.first { $0.name == option.name } ?? option
    }
  }
}
