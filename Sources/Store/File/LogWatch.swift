internal import Base

/// Watches whether readers make the log grow. The store updates it after each commit; any thread may read it. A run
/// continues beside such a reader, since no row is lost, but not until the disk is full.
public final class LogWatch: Sendable {
  /// From this size on the log is reported.
  public static let shownFrom: Int64 = 64_000_000
  static let maxByDefault: Int64 = 1_000_000_000

  /// `--max-wal`
  let max: Int64
  private let state = Locked(State())

  private struct State {
    /// How long the log is, if a reader keeps it from being moved into the database.
    var heldBytes: Int64?
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
    guard let bytes = state.withLock({ $0.heldBytes }), bytes >= max else { return nil }
    return "the log of the database has grown to \(Self.size(bytes)) (--max-wal), since "
      + "\(Self.hold); end what reads, or wait until it has ended"
  }

  /// A log of 32 MB is moved into the database: with a longer log, keys in random order rewrite
  /// each page less often.
  private static let framesMax = 8_000
  /// A log of 20 MB is moved by a separate thread.
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
  func look(at connection: Connection) {
    let growth = connection.log
    let bytes = Int64(growth.frames) * growth.frameBytes
    guard growth.heldFrames > 0, bytes >= min(Self.shownFrom, max) else {
      state.withLock { ($0.heldBytes, $0.reportedBytes) = (nil, 0) }
      return
    }
    let (isNews, listener) = state.withLock { state in
      let isNews = bytes >= state.reportedBytes * 2 || (bytes >= max && state.reportedBytes < max)
      if isNews { state.reportedBytes = bytes }
      state.heldBytes = bytes
      return (isNews, state.onGrowth)
    }
    guard isNews, bytes < max else { return }
    listener?(
      "the log of the database has grown to \(Self.size(bytes)), since \(Self.hold); the "
        + "run continues, and pauses at \(Self.size(max)) (--max-wal)")
  }

  static let hold = "a program, which trawl check names, still reads an older state of it"

  private static func size(_ bytes: Int64) -> String { Wording.bytes(Int(bytes)) }
}
