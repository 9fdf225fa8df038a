/// The commands, as they are typed.
enum CommandName: String, CaseIterable, Sendable {
  case run, backfill, status, new, check
  /// `try` is a word of Swift.
  case attempt = "try"
  case prove, report, sql, search, favorite, media, key, reset, backup, restore, path, help, version
}

/// The shells that completions are written for.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
