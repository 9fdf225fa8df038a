internal import Synchronization

/// State that several threads share, reachable only inside a closure that holds its lock. The one
/// place that names the lock, so that a sanitiser build can put another kind here.
final class Locked<State: Sendable>: Sendable {
  private let mutex: Mutex<State>

  init(_ state: State) { mutex = Mutex(state) }

  func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    mutex.withLock { body(&$0) }
  }
}
