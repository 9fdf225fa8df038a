public struct NeverHappened: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }
}

/// Waits until something has happened that nothing tells of. Five minutes are no measure of a
/// machine: only what hangs for good takes them.
public func until(_ what: String, _ hasHappened: () throws -> Bool) async throws {
  // The machine's clock, for what happens in other threads and programs.
  let clock = ContinuousClock()
  let end = clock.now + .seconds(300)
  while try !hasHappened() {
    guard clock.now < end else {
      throw NeverHappened(description: "\(what): not within five minutes")
    }
    // Between two looks the processor belongs to what is waited for.
    try await Task.sleep(for: .milliseconds(1))
  }
}
