internal import Base
internal import Jobs

/// A program of a person's settings that prints a secret: its words as they are, no shell, and a limit of
/// time. What it says beside the secret is shown only where it fails, and without the secret.
enum SecretProgram {
  @Sendable
  static func run(_ words: [String]) -> Result<[UInt8], SecretSource.ProgramProblem> {
    var program = BoundedProgram(words: words)
    program.keepsErrorsApart = true
    let ended = program.runBlocking()
    guard let problem = ended.problem else { return .success(Array(ended.output.utf8)) }
    let secret = ended.output.split(separator: "\n").first.map { String($0) } ?? ""
    let said = ended.errors.split(separator: "\n").first.map {
      SecretScreen(texts: [secret]).clean(String($0)).harmless(upTo: saidMax)
    }
    return .failure(SecretSource.ProgramProblem(problem + (said.map { ": \($0)" } ?? "")))
  }

  /// cut: a quotation in a sentence
  private static let saidMax = 200
}
