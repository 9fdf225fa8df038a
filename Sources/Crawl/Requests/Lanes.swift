internal import Base

/// How many lists of a run are walked at the same time. Lists of an earlier stream come before those of a later one;
/// a list that waits for another try gives its lane back, and comes last.
final class Lanes: Sendable {
  /// Of a list that has given way: behind those of all streams.
  static let last = Int.max

  private struct Waiting {
    var order: Int
    var turn: CheckedContinuation<Void, Never>
  }

  private struct State {
    var free: Int
    /// Lists that are walked now, by the order of their streams.
    var underWay: [Int: Int] = [:]
    var waiting: [Waiting] = []
    /// Streams that may have further lists.
    var open: Set<Int> = []

    /// The next that may go: no list of an earlier stream is walked, or is still to come.
    mutating func next() -> CheckedContinuation<Void, Never>? {
      guard free > 0, let order = waiting.map(\.order).min(),
        // Nothing is begun behind a stream that may have further lists; the last come when none has any.
        !open.contains(where: { $0 < order }),
        order == Lanes.last || !underWay.contains(where: { $0.value > 0 && $0.key < order }),
        let place = waiting.firstIndex(where: { $0.order == order })
      else { return nil }
      free -= 1
      underWay[order, default: 0] += 1
      return waiting.remove(at: place).turn
    }
  }

  private let state: Locked<State>

  init(_ count: Int) { state = Locked(State(free: count)) }

  /// Before its first list enters.
  func open(_ order: Int) { state.withLock { _ = $0.open.insert(order) } }

  /// All its lists have entered.
  func close(_ order: Int) { letIn { $0.open.remove(order) } }

  func enter(_ order: Int) async {
    await withCheckedContinuation { turn in
      letIn { $0.waiting.append(Waiting(order: order, turn: turn)) }
    }
  }

  func leave(_ order: Int) {
    letIn { state in
      state.free += 1
      state.underWay[order, default: 1] -= 1
    }
  }

  private func letIn(_ change: (inout State) -> Void) {
    let turns = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      change(&state)
      var turns: [CheckedContinuation<Void, Never>] = []
      while let turn = state.next() { turns.append(turn) }
      return turns
    }
    for turn in turns { turn.resume() }
  }
}

/// The lane of one list.
final class Lane: Sendable {
  private let lanes: Lanes
  private let state: Locked<(order: Int, calls: Int)>

  /// A list that has entered.
  init(_ lanes: Lanes, order: Int) {
    self.lanes = lanes
    state = Locked((order, 0))
  }

  func leave() { lanes.leave(state.withLock { $0.order }) }

  func beginCall() { state.withLock { $0.calls += 1 } }
  func endCall() { state.withLock { $0.calls -= 1 } }

  /// A list with other requests under way goes on by them.
  var isOfOneCall: Bool { state.withLock { $0.calls == 1 } }

  /// Lets other lists go while `wait` lasts, and until they have had their turns.
  func giveWay<Result>(during wait: () async -> Result) async -> Result {
    leave()
    let result = await wait()
    await lanes.enter(Lanes.last)
    state.withLock { $0.order = Lanes.last }
    return result
  }
}
