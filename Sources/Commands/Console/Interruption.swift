internal import CLinux
internal import Glibc
internal import Base

/// SIGINT, SIGTERM, SIGHUP and SIGQUIT: the first finishes the page in hand, the second ends the process at once. In
/// the end the process dies of the signal itself, so that shells and service managers see it. One instance for the
/// process, made by `install`.
final class Interruption: Sendable {
  static let signals: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private struct State {
    var first: Int32?
    var waiting: [Int: CheckedContinuation<Int32?, Never>] = [:]
    var nextWaiter = 0
  }
  private let state = Locked(State())

  /// Its thread lives as long as the process.
  private static let shared = Interruption()

  private init() {}

  /// To be called once, before anything that may take long. Signals that were ignored from the start (nohup, background
  /// jobs of plain shells) stay ignored. Nil if the system refuses.
  static func install() -> Interruption? {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else { return nil }
    wakeDescriptor = ends[1]
    waitDescriptor = ends[0]
    var thread = pthread_t()
    guard pthread_create(&thread, nil, watchSignals, nil) == 0 else { return nil }
    pthread_detach(thread)
    for number in signals {
      var old = sigaction()
      guard sigaction(number, nil, &old) == 0 else { return nil }
      if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == ignored { continue }
      var new = sigaction()
      new.__sigaction_handler.sa_handler = noteSignal
      // System calls are restarted: only this type decides what a signal means.
      new.sa_flags = SA_RESTART
      guard sigaction(number, &new, nil) == 0 else { return nil }
    }
    return shared
  }

  /// The value of `SIG_IGN`.
  private static let ignored = 1

  /// The first signal, if any.
  var signal: Int32? { state.withLock { $0.first } }

  /// Cheap enough to be checked between any two steps.
  var isAsked: Bool { signal != nil }

  /// Returns with the first signal, or nil if the task is cancelled first.
  func asked() async -> Int32? {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          // Cancellation may have come before there was anything to cancel.
          if state.first != nil || Task.isCancelled { return true }
          state.waiting[waiter] = continuation
          return false
        }
        if isDone { continuation.resume(returning: signal) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: nil)
    }
  }

  /// The last call of an interrupted process: it dies of the signal's default action. If that has no effect (process 1
  /// of a container) it returns, and the exit code should be 128 + signal.
  func endBySignal() {
    guard let number = signal else { return }
    Self.dieOf(number)
  }

  fileprivate func note(_ number: Int32) {
    let waiting: [CheckedContinuation<Int32?, Never>]? = state.withLock { state in
      if state.first != nil { return nil }
      state.first = number
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    guard let waiting else {
      // The second signal: the user is in a hurry. The database is safe at any time.
      Self.dieOf(number)
      _exit(128 + number)
    }
    for continuation in waiting { continuation.resume(returning: number) }
  }

  private static func dieOf(_ number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_DFL
    guard sigaction(number, &action, nil) == 0 else { return }
    var mask = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, number)
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    raise(number)
  }

  fileprivate static func watch() {
    var byte: UInt8 = 0
    while true {
      let count = read(waitDescriptor, &byte, 1)
      if count == 1 {
        shared.note(Int32(byte))
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}

// Written once in `install`, before the handler and the thread that read them exist.
nonisolated(unsafe) private var wakeDescriptor: Int32 = -1
// As above.
nonisolated(unsafe) private var waitDescriptor: Int32 = -1

/// Signal handlers may only make a few calls, such as `write`; no locks, no memory.
private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  // A full pipe already has thousands of signals.
  _ = write(wakeDescriptor, &byte, 1)
  errno = saved
}

private func watchSignals(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Interruption.watch()
  return nil
}
