/// What a completion script asks the program for, since only it knows: `trawl --complete-words
/// streams github`. The answer is one word a line.
enum CompletionWords {
  enum Kind: String, CaseIterable, Sendable {
    case jobs
    /// Of a job.
    case streams
    /// Of a job, each with `=` behind it.
    case params
    case runs
    case tables
  }

  /// The hidden option.
  static let option = "--complete-words"

  /// More help nobody.
  static let wordsMax = 1000

  /// What goes to stdout. A word that a shell or a terminal could misread is left out.
  static func answer(_ words: [String]) -> String {
    words.prefix(wordsMax).filter(isPlain).map { $0 + "\n" }.joined()
  }

  /// Letters and digits of any script, and the marks that names and paths are made of.
  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty
      && word.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || "-_./=@+%:".unicodeScalars.contains($0)
      }
  }
}
