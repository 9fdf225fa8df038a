/// A word of a command that is shown to be copied.
public enum ShellWord {
  /// Quoted so that a shell reads one word.
  public static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (97...122).contains(byte | 32) || "-_./:".utf8.contains(byte)
      }
    // By bytes: a mark may join a quote.
    let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    return isPlain ? word : "'\(parts.joined(separator: "'\\''"))'"
  }
}
