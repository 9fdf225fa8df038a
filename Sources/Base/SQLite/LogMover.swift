internal import Dispatch

/// Moves the write-ahead log into its database on its own thread and connection while another connection writes, which
/// then has less to move and waits less for the disk. New writes stay in the log. If this fails, the writer moves
/// everything and gets the error.
///
/// `@unchecked Sendable`: the connection is used on the queue only.
public final class LogMover: @unchecked Sendable {
  private let queue = DispatchQueue(label: "trawl.log")
  private let path: String
  private let isInPlace: @Sendable () -> Bool
  private var connection: Connection?
  private var hasEnded = false

  /// - Parameter isInPlace: whether the file at the path is still the database that is written.
  public init(_ path: String, isInPlace: @escaping @Sendable () -> Bool) {
    self.path = path
    self.isInPlace = isInPlace
  }

  /// Starts to move the current content of the log.
  func begin() { queue.async { self.move() } }

  /// Waits for a move in progress, and closes the connection.
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
    // Checked again: the first read opened the log by its name. A wrong file stays open until the writer is done, since
    // closing the log's index would release the writer's locks.
    guard isInPlace() else {
      hasEnded = true
      return
    }
    _ = try? connection.checkpoint(.passive)  // the writer's part then
  }

  private func connect() throws(SQLiteError) {
    let open = try Connection(path, .readWrite, waiting: .zero)
    // Another file may have been at the path when it was opened. It must not be read: SQLite would find no user of our
    // log's index and rebuild it under the writer.
    guard isInPlace(), !open.hasMoved else {
      hasEnded = true
      return
    }
    try open.keepLogFiles()
    try open.skipCheckpointOnClose(true)
    try open.execute("PRAGMA synchronous = NORMAL")
    // Only a connection that has read knows the log.
    _ = try open.integer("PRAGMA schema_version")
    connection = open
  }
}
