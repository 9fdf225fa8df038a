/// A command line that is not understood: exit 64, and nothing was done.
struct UsageProblem: Error, Equatable, Sendable {
  /// The command it was given to, where that much is known.
  var command: CommandName?
  /// What is wrong, and what was probably meant.
  var sentence: String

  /// Nothing at all was typed: somebody who begins.
  var isNothing = false

  init(_ sentence: String, command: CommandName? = nil) {
    self.sentence = sentence
    self.command = command
  }

  static var nothing: UsageProblem {
    var problem = UsageProblem("no command is given")
    problem.isNothing = true
    return problem
  }

  /// Where the help is.
  var hint: String {
    let words = ["trawl", command?.rawValue, "--help"].compactMap(\.self)
    let help = "\"\(words.joined(separator: " "))\" shows what is possible"
    return isNothing ? "\(help); to begin: trawl run github --set user=YOU" : help
  }
}
