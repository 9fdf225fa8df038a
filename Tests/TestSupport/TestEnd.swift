internal import Base

/// What a test has started and what ends with it, in a suite that is `.prompt`: a test need not stop its servers
/// itself.
public final class TestEnd: Sendable {
  @TaskLocal static var current: TestEnd?

  private let acts = Locked<[@Sendable () -> Void]>([])

  public static func then(_ act: @escaping @Sendable () -> Void) {
    guard let current else { preconditionFailure("a suite with servers is to be .prompt") }
    current.acts.withLock { $0.append(act) }
  }

  func come() { for act in acts.withLock({ $0 }).reversed() { act() } }
}
