/// A command line that is not understood: exit 64, and nothing was done.
struct UsageProblem: Error, Equatable, Sendable {
  /// The command it was given to, where that much is known.
  var command: CommandName?
  /// What is wrong, and what was probably meant.
  var sentence: String

  init(_ sentence: String, command: CommandName? = nil) {
    self.sentence = sentence
    self.command = command
  }

  /// Where the help is.
  var hint: String {
    let words = ["trawl", command?.rawValue, "--help"].compactMap(\.self)
    return "\"\(words.joined(separator: " "))\" shows what is possible"
  }
}
