internal import Base

/// How many of a job's requests are in flight. A call holds its place from its first try to its end, including a
/// server's waits: other calls would have to wait as well. The next place goes to the call that came first.
final class Flights: Sendable {
  private struct Waiting {
    var number: Int
    var turn: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var places: Int
    var underWay = 0
    var waiting: [Waiting] = []
    /// Calls that were cancelled before they queued.
    var leavers: Set<Int> = []
    var lastNumber = 0
    /// False until the first answer of the run: one request shows whether the host answers.
    var isHeard = false
    /// How often a server has said that there are too many requests.
    var narrowings = 0
    var halt: Stop?

    var isFull: Bool { underWay >= (isHeard ? places : 1) }
  }

  private let state: Locked<State>

  init(atOnce places: Int) { state = Locked(State(places: max(1, places))) }

  /// Waits for a place; false: the task was cancelled, and has no place to give back.
  func enter() async -> Bool {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { turn in join(number, turn) }
    } onCancel: {
      quit(number)
    }
  }

  private func join(_ number: Int, _ turn: CheckedContinuation<Bool, Never>) {
    let answer = state.withLock { state -> Bool? in
      if state.leavers.remove(number) != nil { return false }
      guard state.isFull || !state.waiting.isEmpty else {
        state.underWay += 1
        return true
      }
      state.waiting.append(Waiting(number: number, turn: turn))
      return nil
    }
    if let answer { turn.resume(returning: answer) }
  }

  /// A waiting call leaves at once; one with a place gives it back itself.
  private func quit(_ number: Int) {
    let turn = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
        state.leavers.insert(number)
        return nil
      }
      return state.waiting.remove(at: index).turn
    }
    turn?.resume(returning: false)
  }

  /// Takes a place even if none is free; the call's end gives it back.
  func comeBack() { state.withLock { $0.underWay += 1 } }

  func leave() {
    letIn { $0.underWay -= 1 }
  }

  /// An answer has come: from now on the job's full number may be in flight.
  func noteAnswer() {
    letIn { $0.isHeard = true }
  }

  private func letIn(_ change: (inout State) -> Void) {
    let turns = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
      change(&state)
      var turns: [CheckedContinuation<Bool, Never>] = []
      while !state.isFull, !state.waiting.isEmpty {
        state.underWay += 1
        turns.append(state.waiting.removeFirst().turn)
      }
      return turns
    }
    for turn in turns { turn.resume(returning: true) }
  }

  // MARK: limits

  /// For `narrow`: the limits heard before a send.
  var narrowings: Int { state.withLock { $0.narrowings } }

  /// A server says: too many requests. All that were in flight together count as one.
  /// - Returns: how many may be in flight now, if that is fewer than before.
  func narrow(since heard: Int) -> Int? {
    state.withLock { state in
      guard state.narrowings == heard, state.places > 1 else { return nil }
      state.narrowings += 1
      state.places /= 2
      return state.places
    }
  }

  // MARK: the run's end

  /// One list's stop stops all: no further request is made.
  func halt(_ stop: Stop) {
    state.withLock { state in
      guard state.halt == nil else { return }
      state.halt = stop
      state.halt?.isOfAnother = true
    }
  }

  var halted: Stop? { state.withLock { $0.halt } }
}
