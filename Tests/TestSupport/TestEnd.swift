internal import Base

/// What a test has started and is to be ended with it, in a suite that is `.prompt`: a server need not
/// be stopped by each test.
public final class TestEnd: Sendable {
  @TaskLocal static var current: TestEnd?

  private let acts = Locked<[@Sendable () -> Void]>([])

  public static func then(_ act: @escaping @Sendable () -> Void) {
    guard let current else { preconditionFailure("a suite with servers is to be .prompt") }
    current.acts.withLock { $0.append(act) }
  }

  func come() { for act in acts.withLock({ $0 }).reversed() { act() } }
}
