internal import CSQLite

/// Reports that a connection works: a statement that runs for minutes gives no other sign. Silent
/// while it waits for a lock or for the disk. SQLite calls back on the thread that works.
public final class WorkReport {
  /// A call for so many steps of SQLite's machine: some milliseconds of work.
  private static let steps: Int32 = 100_000

  fileprivate let mayGoOn: () -> Bool

  /// False ends the statement. It must not use the connection, and not block.
  public init(_ mayGoOn: @escaping () -> Bool) { self.mayGoOn = mayGoOn }

  /// The connection keeps this object alive for as long as SQLite may call it.
  func install(on handle: OpaquePointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(handle, Self.steps, tellWork, context)
  }
}

/// 0: the statement goes on.
private func tellWork(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<WorkReport>.fromOpaque(context).takeUnretainedValue().mayGoOn() ? 0 : 1
}
