/// `--completions SHELL`.
enum CompletionScript {
  static func text(for shell: Shell, table: OptionTable) -> String {
    switch shell {
    case .bash: BashCompletion(table: table).text
    case .zsh: ZshCompletion(table: table).text
    case .fish: FishCompletion(table: table).text
    }
  }
}
