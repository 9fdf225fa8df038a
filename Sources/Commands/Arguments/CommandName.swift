/// The commands, as they are typed.
enum CommandName: String, CaseIterable, Sendable {
  case run, backfill
  case status, report, sql, search, why, mcp, path
  case check, prove
  case new
  /// `try` is a word of Swift.
  case attempt = "try"
  case key
  case favorite, media, backup, restore, forget, reset
  case help, version

  /// Where the program's help has it; nil: only among its options.
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

/// What commands are for.
enum CommandGroup: String, CaseIterable, Sendable {
  case sync, look, trust
  case setUp = "set up"
  case keep
}

/// The shells that completions are written for.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
