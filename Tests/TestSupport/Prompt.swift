public import Testing

/// For tests that talk to programs and servers with timeouts: their steps have priority over the computations of other
/// tests, which all start at once on all cores; and only a few of them run at a time, since each starts processes.
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
