internal import Model

struct DescriptionDraft: Sendable {
  let context: CommandContext
  let file: String

  func perform() async throws -> ExitStatus {
    throw ExitReport(.failed, "not yet")
  }
}
