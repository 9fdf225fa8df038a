public import Testing

/// For tests that talk to programs and servers which do not wait for ever: their steps come before
/// the reckoning of others, which start all at once on as many threads as there are cores; and a few
/// of them run at a time, for each starts processes of its own.
public struct Prompt: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    await Gate.programs.enter()
    let end = TestEnd()
    defer {
      end.come()
      Gate.programs.leave()
    }
    try await withoutActuallyEscaping(body) { body in
      // Awaited below, and cancelled with the test.
      let task = Task(priority: .userInitiated) {
        try await TestEnd.$current.withValue(end) { try await body() }
      }
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}

extension Trait where Self == Prompt {
  public static var prompt: Self { Prompt() }
}
