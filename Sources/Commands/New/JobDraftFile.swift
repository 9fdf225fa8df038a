internal import Glibc

/// The file for a draft.
enum JobDraftFile {
  /// A guess never replaces a user's work.
  static func checkIsFree(_ file: String) throws(ExitReport) {
    var facts = stat()
    let isThere = stat(file, &facts) == 0
    let kind = facts.st_mode & S_IFMT
    // For a draft that cannot be written nothing is requested. A pipe is opened only once.
    if !isThere || kind == S_IFDIR { _ = try ResultFile(file) }
    guard isThere, kind == S_IFREG else { return }
    throw ExitReport(
      .cannotCreate, "\(file) is there already, and is left as it is; nothing was requested",
      "name another file: -o FILE")
  }

  static func write(_ text: String, _ file: String) throws {
    let result = try ResultFile(file)
    try result.append(Array(text.utf8))
    try result.keep()
  }

  /// Suggests the next commands.
  static func tellNext(_ file: String, hasKey: Bool, on console: Console) {
    let job = job(file)
    for command in (hasKey ? ["key"] : []) + ["check", "try"] {
      console.tell("  trawl \(command) \(job)")
    }
  }

  /// How to name the job in other commands.
  static func job(_ file: String) -> String {
    file.utf8.contains(UInt8(ascii: "/")) || file.hasSuffix(".json5") ? file : "./\(file)"
  }
}
