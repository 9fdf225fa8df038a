internal import Base

/// The command line as one table: parser, help, man page, completions and reference are all made from it. What it lacks
/// is neither shown nor accepted.
enum OptionTable {
  /// Options that precede a command.
  static let programOptions: [OptionName] = [.help, .version, .completions, .system]
  /// Options that exclude each other.
  static let exclusive: [[OptionName]] = [
    [.quiet, .verbose], [.record, .replay], [.json, .html], [.csv, .jsonl, .json],
    [.changes, .explain], [.changes, .html], [.open, .json], [.open, .changes],
  ]

  static func command(_ word: String) -> CommandSpec? {
    commands.first { command in
      command.words.contains { $0.utf8.elementsEqual(word.utf8) }
    }
  }

  static func command(_ name: CommandName) -> CommandSpec? { commands.first { $0.name == name } }

  /// That a word is no command, and what was probably meant.
  static func unknown(_ word: String, among words: [String]) -> String {
    if isAddress(word) { return "an address is not a command; \(draft)" }
    return "there is no command \"\(word)\""
      + (CommandSpec.elsewhere[word].map { "; \($0)" } ?? Suggestion.clause(for: word, in: words))
  }

  /// Whether a word is an address. Messages never repeat one, as it may hold a key.
  static func isAddress(_ word: String) -> Bool {
    word.holds("://") || word.holds("?") && word.holds("=")
  }

  static let draft = "to draft a job from one: trawl new 'URL'"

  /// What `trawl help` takes.
  static var helpWords: [String] { commands.map(\.word) + [HelpText.jobWord] }

  static func options(_ names: [OptionName]) -> [OptionSpec] {
    names.compactMap { name in options.first { $0.name == name } }
  }

  /// The options of a command, in the order of its help, including those of all its actions.
  static func options(of command: CommandSpec, action: ActionSpec? = nil) -> [OptionSpec] {
    let own = action?.options ?? command.actions.flatMap(\.options)
    var seen: Set<OptionName> = []
    return options(own + command.options + [.help]).filter { seen.insert($0.name).inserted }.map {
      option in command.variants.first { $0.name == option.name } ?? option
    }
  }
}
