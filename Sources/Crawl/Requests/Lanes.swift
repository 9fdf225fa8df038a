internal import Base

/// How many lists of a run are walked at once. Lists of an earlier stream come first; a list that waits for a retry
/// gives its lane back, and comes last.
final class Lanes: Sendable {
  /// The order of a list that gave way: after all streams.
  static let last = Int.max

  private struct Waiting {
    var order: Int
    var turn: CheckedContinuation<Void, Never>
  }

  private struct State {
    var free: Int
    /// Lists being walked, by the order of their streams.
    var underWay: [Int: Int] = [:]
    var waiting: [Waiting] = []
    /// Streams that may have further lists.
    var open: Set<Int> = []

    /// The next that may start: no list of an earlier stream is walked or still to come.
    mutating func next() -> CheckedContinuation<Void, Never>? {
      guard free > 0, let order = waiting.map(\.order).min(),
        // Nothing starts while an earlier stream may have more lists; those that gave way wait for all streams.
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

  /// Called before its first list enters.
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

  /// A list with other requests in flight continues with them.
  var isOfOneCall: Bool { state.withLock { $0.calls == 1 } }

  /// Lets other lists go during `wait`, and until they have had their turns.
  func giveWay<Result>(during wait: () async -> Result) async -> Result {
    leave()
    let result = await wait()
    await lanes.enter(Lanes.last)
    state.withLock { $0.order = Lanes.last }
    return result
  }
}
