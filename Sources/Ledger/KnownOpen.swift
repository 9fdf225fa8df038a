internal import Glibc
internal import Model

/// Keys of which the ledger said last that nobody has to wait for them, as long as nobody has written to
/// its files since. It is asked before each request: a list whose pages are near would wait longer for the
/// ledger's thread than for the API.
final class KnownOpen: Sendable {
  /// How the files lay when the ledger was asked. Files that were moved or replaced since are others.
  struct Stamp: Equatable {
    fileprivate struct File: Equatable {
      var device: UInt64
      var number: UInt64
      var size: Int64
      var written: Int64
    }

    fileprivate var file: File?
    fileprivate var log: File?
    /// Nothing was written so shortly before that a later write could bear the same time.
    fileprivate var isOld = true
  }

  private struct State {
    var stamp: Stamp?
    var keys: Set<QuotaKey> = []
  }

  private let path: String
  private let state = Locked(State())

  init(path: String) { self.path = path }

  func holds(_ key: QuotaKey) -> Bool {
    let now = stamp
    return state.withLock { $0.stamp == now && $0.keys.contains(key) }
  }

  /// - Parameter stamp: from before the ledger was read.
  func note(_ key: QuotaKey, _ stamp: Stamp) {
    guard stamp.isOld, stamp.file != nil else { return }
    state.withLock { state in
      if state.stamp != stamp {
        state.stamp = stamp
        state.keys = []
      }
      state.keys.insert(key)
    }
  }

  /// The kernel counts the times of files in ticks of some milliseconds.
  private static let tick: Int64 = 50_000_000

  var stamp: Stamp {
    var stamp = Stamp()
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    let now = Self.nanoseconds(clock)
    stamp.file = Self.look(path)
    stamp.log = Self.look(path + "-wal")
    let written = max(stamp.file?.written ?? 0, stamp.log?.written ?? 0)
    stamp.isOld = now - written > Self.tick
    return stamp
  }

  private static func look(_ path: String) -> Stamp.File? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return Stamp.File(
      device: UInt64(facts.st_dev), number: UInt64(facts.st_ino), size: Int64(facts.st_size),
      written: nanoseconds(facts.st_mtim))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
