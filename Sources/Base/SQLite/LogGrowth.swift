internal import CSQLite

/// The write-ahead log of one connection: moves it into the database when it is long, and knows how much of it a reader
/// pins. Used on the connection's thread only.
public final class LogGrowth {
  /// Frames in the log after the last commit.
  public private(set) var frames = 0
  /// Frames that the last attempt could not move.
  public private(set) var heldFrames = 0
  /// A page and its frame header.
  public let frameBytes: Int64

  private let handle: OpaquePointer
  private let wait: BusyWait
  private var framesMax = Int.max
  private var ceiling = Int.max
  private var triedAt = 0
  private var mover: LogMover?
  private var moverFrames = Int.max
  private var hasBegun = false

  /// Frames (8 MB) between an attempt that a reader blocked and the next: each attempt sorts the whole log.
  private static let pause = 2_000

  /// Among many writers, one always begins to read before everything is moved, so the log grows although none pins it
  /// for long. From one and a half `framesMax` on, the others wait this long.
  private static let patience = Duration.milliseconds(100)

  init(_ handle: OpaquePointer, _ wait: BusyWait, pageBytes: Int64) {
    self.handle = handle
    self.wait = wait
    frameBytes = pageBytes + 24
  }

  /// From now on a commit that leaves this many frames or more moves them. Replaces SQLite's own rule, which does the
  /// same but does not report the result.
  /// - Parameter ceiling: above it each commit tries, so that `heldFrames` is never outdated.
  /// - Parameter mover: moves the log from `moverFrames` on, once for each log.
  public func moveWhenLong(
    framesMax: Int, ceiling: Int, moverFrames: Int = .max, mover: LogMover? = nil
  ) {
    (self.mover, self.moverFrames) = (mover, moverFrames)
    self.framesMax = min(framesMax, ceiling)
    self.ceiling = ceiling
    sqlite3_wal_hook(handle, logGrew, Unmanaged.passUnretained(self).toOpaque())
  }

  /// After this returns, nothing else moves the log.
  public func end() {
    mover?.end()
    mover = nil
  }

  fileprivate func grew(to count: Int) {
    if count < frames { (heldFrames, triedAt, hasBegun) = (0, 0, false) }
    frames = count
    if !hasBegun, count >= moverFrames {
      hasBegun = true
      mover?.begin()
    }
    let isDue = triedAt == 0 || count >= triedAt + Self.pause || count >= ceiling
    guard count >= framesMax, isDue else { return }
    let isCrowded = count >= framesMax + framesMax / 2
    let mode = isCrowded ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
    let limit = wait.limit
    if isCrowded { wait.limit = Self.patience }
    defer { wait.limit = limit }
    var log: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &log, &moved)
    // If it fails, the log stays as it is, and a later commit tries again.
    guard code & 0xff == SQLITE_OK || code & 0xff == SQLITE_BUSY, log >= 0 else { return }
    heldFrames = Int(log - moved)
    // Even if all frames were moved, a reader may keep the log from restarting.
    triedAt = heldFrames > 0 || code != SQLITE_OK ? count : 0
  }
}

/// The commit has already happened, so an error here must not look like its failure.
private func logGrew(
  _ context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, _ frames: Int32
) -> Int32 {
  if let context {
    Unmanaged<LogGrowth>.fromOpaque(context).takeUnretainedValue().grew(to: Int(frames))
  }
  return SQLITE_OK
}
