internal import Base

/// A write-ahead log that a reader keeps from being moved into the database.
struct HeldLog: Sendable, Equatable {
  var bytes: Int64
  /// `process 4711 (sqlite3)`, as far as this machine shows.
  var readers: [String]

  /// The readers, for a sentence.
  var hold: String {
    let namedMax = 3
    var names = readers.isEmpty ? ["a reader that cannot be named from here"] : readers
    let others = names.count - namedMax
    // cut: their number is shown instead of the others
    if others > 1 { names = names.prefix(namedMax) + ["\(others) others"] }
    let last = names.removeLast()
    return names.isEmpty
      ? "\(last) still reads an older state of it"
      : "\(names.joined(separator: ", ")) and \(last) still read an older state of it"
  }
}

/// Whether readers let the log grow: the store updates it after each commit, and it can be asked
/// from anywhere. A run continues beside such a reader, since no row is lost, but not until the
/// disk is full.
public final class LogWatch: Sendable {
  /// From this size on the log is reported.
  static let shownFrom: Int64 = 64_000_000
  static let maxByDefault: Int64 = 1_000_000_000

  /// `--max-wal`
  let max: Int64
  private let state = Locked(State())

  private struct State {
    var held: HeldLog?
    var reportedBytes: Int64 = 0
    var onGrowth: (@Sendable (String) -> Void)?
  }

  init(max: Int64) { self.max = max }

  /// Called when the log passes the reporting size, and each time it has doubled. On the store's
  /// own thread: it must not block.
  public func onGrowth(_ listener: @escaping @Sendable (String) -> Void) {
    state.withLock { $0.onGrowth = listener }
  }

  /// Why a run should make no further request; nil while it may.
  public var pauseReason: String? {
    guard let held = state.withLock({ $0.held }), held.bytes >= max else { return nil }
    return "the log of the database has grown to \(Self.size(held.bytes)) (--max-wal), since "
      + "\(held.hold); end what reads, or wait until it has ended"
  }

  /// A log of 32 MB is moved into the database: with a longer log, keys in random order rewrite
  /// each page less often.
  private static let framesMax = 8_000
  /// One of 20 MB is moved beside the writer.
  private static let framesBeside = 5_000

  /// - Parameter place: the place of the database that the connection writes to.
  func follow(_ connection: Connection, _ place: DatabasePlace) {
    let growth = connection.log
    growth.moveWhenLong(
      framesMax: Self.framesMax, ceiling: Int(clamping: Swift.max(1, max / growth.frameBytes)),
      moverFrames: Self.framesBeside,
      mover: LogMover(connection.path) { [files = place.files] in files.change() == nil })
  }

  /// After a commit.
  func look(at connection: Connection, _ folder: DataFolder) {
    let growth = connection.log
    let bytes = Int64(growth.frames) * growth.frameBytes
    guard growth.heldFrames > 0, bytes >= min(Self.shownFrom, max) else {
      state.withLock { ($0.held, $0.reportedBytes) = (nil, 0) }
      return
    }
    let (isNews, listener) = state.withLock { state in
      let isNews = bytes >= state.reportedBytes * 2 || (bytes >= max && state.reportedBytes < max)
      if isNews { state.reportedBytes = bytes }
      state.held?.bytes = bytes
      return (isNews, state.onGrowth)
    }
    // The kernel's table is read only if a sentence needs it.
    guard isNews else { return }
    let held = HeldLog(bytes: bytes, readers: LogReaders.names(of: "\(folder.databasePath)-shm"))
    state.withLock { $0.held = held }
    guard bytes < max else { return }
    listener?(
      "the log of the database has grown to \(Self.size(bytes)), since \(held.hold); the "
        + "run continues, and pauses at \(Self.size(max)) (--max-wal)")
  }

  private static func size(_ bytes: Int64) -> String {
    if bytes >= 1_000_000_000, bytes % 1_000_000_000 < 50_000_000 {
      return "\(bytes / 1_000_000_000) GB"
    }
    return bytes >= 1_000_000 ? "\(bytes / 1_000_000) MB" : "\(bytes / 1_000) KB"
  }
}
