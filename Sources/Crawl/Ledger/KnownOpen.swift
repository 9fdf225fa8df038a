internal import Base

/// Keys that needed no wait when the ledger was last read, valid until its files are written again. It is checked
/// before each request: the ledger's thread may be slower than a nearby API.
final class KnownOpen: Sendable {
  /// The ledger's files when it was read. Files that were moved or replaced differ.
  struct Stamp: Equatable {
    fileprivate var file: FilePlace?
    fileprivate var log: FilePlace?
    /// The last write is so old that a later one cannot have the same time.
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

  /// - Parameter stamp: taken before the ledger was read.
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

  /// More than the kernel's tick for file times, which is some milliseconds.
  private static let tick: Int64 = 50_000_000

  var stamp: Stamp {
    var stamp = Stamp()
    let now = FilePlace.now
    stamp.file = FilePlace(path: path)
    stamp.log = FilePlace(path: path + "-wal")
    let written = max(stamp.file?.written ?? 0, stamp.log?.written ?? 0)
    stamp.isOld = now - written > Self.tick
    return stamp
  }
}
