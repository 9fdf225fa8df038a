internal import CSQLite

/// Reports that a connection is working: a statement that runs for minutes gives no other sign. Silent while it waits
/// for a lock or the disk. SQLite calls back on the working thread.
public final class WorkReport {
  /// The number of SQLite's virtual instructions between two calls: a few milliseconds of work.
  private static let steps: Int32 = 100_000

  fileprivate let mayGoOn: () -> Bool

  /// False ends the statement. Must neither block nor use the connection.
  public init(_ mayGoOn: @escaping () -> Bool) { self.mayGoOn = mayGoOn }

  /// The connection keeps this object alive for as long as SQLite may call it.
  func install(on handle: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(handle, Self.steps, tellWork, context)
  }
}

/// Returns 0 to continue the statement.
private func tellWork(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<WorkReport>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
}
