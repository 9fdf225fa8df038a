internal import CSQLite
internal import Glibc

/// How long a connection waits for another one's lock, and who is notified. One for each connection, used on its
/// executor only; SQLite calls back on the waiting thread.
public final class BusyWait {
  /// The longest wait for one lock.
  public var limit: Duration
  /// Called during a wait: if the task has no time left, it gives up after `hurriedMax`.
  public var isHurried: () -> Bool = { false }
  /// Called after 1, 2, 4 … seconds of a wait, with the time waited so far.
  public var report: (Duration) -> Void = { _ in }
  /// The sum of all waits of this connection.
  public private(set) var total: Duration = .zero

  public static let hurriedMax = Duration.seconds(1)

  private var waited: Duration = .zero
  private var nextReport: Duration = .seconds(1)

  init(limit: Duration) { self.limit = limit }

  /// Sleeps a little; returns whether to try again.
  fileprivate func mayTryAgain(after tries: Int32) -> Bool {
    if tries == 0 {
      waited = .zero
      nextReport = .seconds(1)
    }
    guard waited < limit, waited < Self.hurriedMax || !isHurried() else { return false }
    pause(after: tries)
    return true
  }

  /// In milliseconds: 1 at first, 50 at most, and less after a long wait. SQLite's locks have no queue: among many
  /// writers, the one that tries more often gets its turn.
  static func pause(after tries: Int32, _ waited: Duration) -> Int64 {
    let most: Int64 = waited < .seconds(2) ? 50 : waited < .seconds(8) ? 10 : 2
    return min(1 << Int64(min(tries, 6)), most)
  }

  /// For locks that SQLite does not wait for.
  func pause(after tries: Int32) {
    let milliseconds = Self.pause(after: tries, waited)
    var pause = timespec(tv_sec: 0, tv_nsec: Int(milliseconds) * 1_000_000)
    // A signal may shorten the sleep: then the lock is simply tried earlier.
    nanosleep(&pause, nil)
    waited += .milliseconds(milliseconds)
    total += .milliseconds(milliseconds)
    if waited >= nextReport {
      nextReport = nextReport * 2
      report(waited)
    }
  }

  /// The connection keeps this object alive for as long as SQLite may call it.
  func install(on handle: OpaquePointer) -> Int32 {
    sqlite3_busy_handler(handle, waitForLock, Unmanaged.passUnretained(self).toOpaque())
  }
}

private func waitForLock(_ context: UnsafeMutableRawPointer?, _ tries: Int32) -> Int32 {
  guard let context else { return 0 }
  let wait = Unmanaged<BusyWait>.fromOpaque(context).takeUnretainedValue()
  return wait.mayTryAgain(after: tries) ? 1 : 0
}
