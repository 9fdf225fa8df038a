public struct NeverHappened: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }
}

/// Waits for something that gives no notice. Five minutes do not measure the machine: only what hangs forever takes
/// them.
public func until(_ what: String, _ hasHappened: () throws -> Bool) async throws {
  // The machine's clock, for what happens in other threads and programs.
  let clock = ContinuousClock()
  let end = clock.now + .seconds(300)
  while try !hasHappened() {
    guard clock.now < end else {
      throw NeverHappened(description: "\(what): not within five minutes")
    }
    // Leaves the processor to what is awaited.
    try await Task.sleep(for: .milliseconds(1))
  }
}
