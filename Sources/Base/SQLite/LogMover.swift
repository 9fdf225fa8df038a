internal import Dispatch

/// Moves the write-ahead log into its database on a thread and a connection of its own, while another
/// connection goes on writing: that one has less to move itself, and less to wait for the disk. What is
/// written meanwhile stays in the log. Where it fails, the writer moves all of it, and hears why.
///
/// `@unchecked Sendable`: the connection is touched on the queue alone.
public final class LogMover: @unchecked Sendable {
  private let queue = DispatchQueue(label: "trawl.log")
  private let path: String
  private let isInPlace: @Sendable () -> Bool
  private var connection: Connection?
  private var hasEnded = false

  /// - Parameter isInPlace: whether what lies at the path is still the database that is written to.
  public init(_ path: String, isInPlace: @escaping @Sendable () -> Bool) {
    self.path = path
    self.isInPlace = isInPlace
  }

  /// Begins to move what the log holds now.
  func begin() { queue.async { self.move() } }

  /// Waits for the move that is under way, and lets go of the database.
  func end() {
    queue.sync {
      connection?.close()
      connection = nil
      hasEnded = true
    }
  }

  private func move() {
    guard !hasEnded, isInPlace() else { return }
    if connection == nil { try? connect() }  // the writer's part then
    guard !hasEnded, let connection else { return }
    // Once more: the log was opened by its name, with the first reading. What was opened stays open until the
    // writer is done: letting go of its log's index would let go of the writer's locks.
    guard isInPlace() else {
      hasEnded = true
      return
    }
    _ = try? connection.checkpoint(.passive)  // the writer's part then
  }

  private func connect() throws(SQLiteError) {
    let open = try Connection(path, .readWrite, waiting: .zero)
    // Another file may have lain there as it was opened, for a moment or until now. Nothing of that
    // one is read: SQLite would find no user of our log's index, and make it anew under the writer.
    guard isInPlace(), !open.hasMoved else {
      hasEnded = true
      return
    }
    try open.keepLogFiles()
    try open.skipCheckpointOnClose(true)
    try open.execute("PRAGMA synchronous = NORMAL")
    // Only a connection that has read knows of the log.
    _ = try open.integer("PRAGMA schema_version")
    connection = open
  }
}
