internal import Base
internal import Jobs

/// A program of the user's settings that prints a secret: run without a shell, with a time limit. Its other output is
/// never shown, as it may contain the secret.
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
