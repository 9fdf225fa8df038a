internal import Base
internal import Jobs

/// A program of a person's settings that prints a secret: its words as they are, no shell, and a limit of
/// time. What it says beside the secret is shown nowhere: it may hold the secret.
enum SecretProgram {
  @Sendable
  static func run(_ words: [String]) -> Result<[UInt8], SecretKeepingProblem> {
    var program = BoundedProgram(words: words)
    program.dropsErrors = true
    let ended = program.runBlocking()
    guard let problem = ended.problem else { return .success(Array(ended.output.utf8)) }
    return .failure(SecretKeepingProblem(problem))
  }
}
