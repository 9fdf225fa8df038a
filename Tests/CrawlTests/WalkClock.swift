import Base
import TestSupport

/// The hours of a list and of a host of pictures that is slower by far, on one virtual clock. While
/// the walk is under way its pages alone move the clock; a picture is done when the clock has come
/// so far. Behind the walk the pictures move it.
final class WalkClock: Sendable {
  private struct State {
    var hasWalked = false
    var sleepers: [(due: Duration, wake: CheckedContinuation<Void, Never>)] = []
    var walked: Duration?
  }

  let time: VirtualTime
  private let state = Locked(State())

  init(_ time: VirtualTime) { self.time = time }

  /// When the walk had its certificate.
  var walked: Duration? { state.withLock { $0.walked } }

  func pageTakes(_ span: Duration) {
    let due = time.timekeeper.elapsed() + span
    wake(until: due)
    moveOn(to: due)
  }

  func pictureTakes(_ span: Duration) async {
    let due = time.timekeeper.elapsed() + span
    await withCheckedContinuation { (wake: CheckedContinuation<Void, Never>) in
      let isOver = state.withLock { state in
        if !state.hasWalked { state.sleepers.append((due, wake)) }
        return state.hasWalked
      }
      guard isOver else { return }
      moveOn(to: due)
      wake.resume()
    }
  }

  func walkEnded() {
    let isFirst = state.withLock { state in
      defer {
        state.hasWalked = true
        state.walked = state.walked ?? time.timekeeper.elapsed()
      }
      return !state.hasWalked
    }
    if isFirst { wake(until: .seconds(Int64.max / 4)) }
  }

  private func wake(until end: Duration) {
    let due = state.withLock { state in
      let due = state.sleepers.filter { $0.due <= end }.sorted { $0.due < $1.due }
      state.sleepers.removeAll { $0.due <= end }
      return due
    }
    for sleeper in due {
      moveOn(to: sleeper.due)
      sleeper.wake.resume()
    }
  }

  private func moveOn(to instant: Duration) {
    let ahead = instant - time.timekeeper.elapsed()
    if ahead > .zero { time.advance(by: ahead) }
  }
}
