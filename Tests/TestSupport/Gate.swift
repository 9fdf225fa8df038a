internal import Base

/// Lets a limited number in at once, in the order of arrival.
public final class Gate: Sendable {
  /// For tests that start programs: enough to keep every core busy while some of them wait.
  public static let programs = Gate(places: 16)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>

  public init(places: Int) { state = Locked(State(free: places)) }

  public func enter() async {
    await withCheckedContinuation { continuation in
      let isIn = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isIn { continuation.resume() }
    }
  }

  public func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
