internal import Base

/// Keys that needed no wait when the ledger was asked last, as long as its files have not been
/// written to since. It is asked before each request: a list whose pages are near would wait longer
/// for the ledger's thread than for the API.
final class KnownOpen: Sendable {
  /// How the files lay when the ledger was asked. Files that were moved or replaced since are others.
  struct Stamp: Equatable {
    fileprivate var file: FilePlace?
    fileprivate var log: FilePlace?
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
    let now = FilePlace.now
    stamp.file = FilePlace(path: path)
    stamp.log = FilePlace(path: path + "-wal")
    let written = max(stamp.file?.written ?? 0, stamp.log?.written ?? 0)
    stamp.isOld = now - written > Self.tick
    return stamp
  }
}
