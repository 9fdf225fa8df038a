/// The commands, as typed.
enum CommandName: String, CaseIterable, Sendable {
  case run, backfill
  case status, report, sql, search, why, mcp, path
  case check, prove
  case new
  /// `try` is a Swift keyword.
  case attempt = "try"
  case key
  case favorite, media, backup, restore, forget, reset
  case help, version

  /// Its group in the program's help; nil: shown among the options only.
  var group: CommandGroup? {
    switch self {
    case .run, .backfill: .sync
    case .status, .report, .sql, .search, .why, .mcp, .path: .look
    case .check, .prove: .trust
    case .new, .attempt, .key: .setUp
    case .favorite, .media, .backup, .restore, .forget, .reset: .keep
    case .help, .version: nil
    }
  }
}

enum CommandGroup: String, CaseIterable, Sendable {
  case sync, look, trust
  case setUp = "set up"
  case keep
}

enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
