internal import Base

/// The order in which requests in flight are answered, so that the results of a seed depend as little as possible on
/// thread timing: one at a time, the lowest page first, each after the commit of the pages before it. An answer may
/// show an older state, back to the arrival of its request (`SimulatedServer`); so pages are answered in any order, but
/// dropped ones never.
final class AnswerOrder: Sendable {
  private enum Turn { case now, notYet, others }

  private struct State {
    var isAnswering = false
    var isOpen = false
    var lastID = 0
    var came: [Int: SimulatedServer.Asked] = [:]
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  /// How often a request looks for one that should precede it, before it is answered anyway.
  private static let looksMax = 400

  /// Waits for its turn. False: it was cancelled before.
  func begin(_ asked: SimulatedServer.Asked, _ server: SimulatedServer) async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      state.came[state.lastID] = asked
      return state.lastID
    }
    let isTurn = await waitForTurn(id, server)
    state.withLock { $0.came[id] = nil }
    // Others may have been waiting for the cancelled one.
    if !isTurn { wake() }
    return isTurn
  }

  private func waitForTurn(_ id: Int, _ server: SimulatedServer) async -> Bool {
    var looks = 0
    return await withTaskCancellationHandler {
      while !Task.isCancelled {
        switch take(id, server, isPatient: looks < Self.looksMax) {
        case .now: return true
        case .notYet:
          looks += 1
          await Task.yield()
        case .others: await sleep(id, server)
        }
      }
      return false
    } onCancel: {
      wake()
    }
  }

  /// The answer was given, or the request cancelled.
  func end() {
    state.withLock { $0.isAnswering = false }
    wake()
  }

  /// Lets all pass: the run was killed, or has ended.
  func open() {
    state.withLock { $0.isOpen = true }
    wake()
  }

  func wake() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }

  private func take(_ id: Int, _ server: SimulatedServer, isPatient: Bool) -> Turn {
    state.withLock { state in
      let turn = Self.turn(of: id, state, server.now, isPatient: isPatient)
      if turn == .now { state.isAnswering = true }
      return turn
    }
  }

  private func sleep(_ id: Int, _ server: SimulatedServer) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        let turn = Self.turn(of: id, state, server.now, isPatient: true)
        if turn != .others || Task.isCancelled { return true }
        state.waiting.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private static func turn(
    of id: Int, _ state: State, _ server: SimulatedServer.State, isPatient: Bool
  ) -> Turn {
    if state.isOpen { return .now }
    guard !state.isAnswering, let asked = state.came[id] else { return .others }
    let others = state.came.filter { $0.key != id }.values
    let place = asked.place ?? 0
    // Pages are committed in order: later ones wait for this one.
    let isBehind =
      others.contains { ($0.place ?? 0) < place }
      || server.pages.contains { !$0.isWritten && ($0.place == nil || $0.place ?? 0 < place) }
    if isBehind { return .others }
    guard isPatient, let next = server.next else { return .now }
    // Any request that is still coming would be in flight already.
    let isGap = place > next
    let missing = (place + 1)..<max(place + 1, server.nextBehindFlight)
    let isAlone =
      place == next && !missing.allSatisfy { page in others.contains { $0.place == page } }
    return isGap || isAlone ? .notYet : .now
  }
}
