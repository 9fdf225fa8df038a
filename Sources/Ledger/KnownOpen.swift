internal import Glibc
internal import Model

/// Keys of which the ledger said last that nobody has to wait for them, as long as nobody has written to
/// its files since. It is asked before each request: a list whose pages are near would wait longer for the
/// ledger's thread than for the API.
final class KnownOpen: Sendable {
  /// How the files lay when the ledger was asked.
  struct Stamp: Equatable {
    fileprivate var sizes: [Int64] = []
    fileprivate var times: [Int64] = []
    /// Nothing was written so shortly before that a later write could bear the same time.
    fileprivate var isOld = true
  }

  private struct State {
    var stamp: Stamp?
    var keys: Set<QuotaKey> = []
  }

  private let paths: [String]
  private let state = Locked(State())

  init(path: String) { paths = [path, path + "-wal"] }

  func holds(_ key: QuotaKey) -> Bool {
    let now = stamp
    return state.withLock { $0.stamp == now && $0.keys.contains(key) }
  }

  /// - Parameter stamp: from before the ledger was read.
  func note(_ key: QuotaKey, _ stamp: Stamp) {
    guard stamp.isOld else { return }
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
    for path in paths {
      var facts = stat()
      guard stat(path, &facts) == 0 else {
        stamp.sizes.append(-1)
        stamp.times.append(0)
        continue
      }
      let written = Self.nanoseconds(facts.st_mtim)
      stamp.sizes.append(Int64(facts.st_size))
      stamp.times.append(written)
      stamp.isOld = stamp.isOld && now - written > Self.tick
    }
    return stamp
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
