internal import CSQLite

/// A change of a table's rows, as SQLite tells of it when it compiles a statement.
public struct TableWrite: Hashable, Sendable {
  public enum Kind: Sendable, CaseIterable { case insert, update, delete }

  public var kind: Kind
  public var table: String

  public init(_ kind: Kind, _ table: String) {
    self.kind = kind
    self.table = table
  }
}

/// Has something made before a connection's first write of a kind to a table, in temporary triggers, say.
/// SQLite asks for each write of a statement, also of one by a trigger or for a foreign key, and each time that it
/// compiles the statement: what comes too early is refused there, so that no write slips past the gate. The
/// connection then has it made, and compiles the statement again.
final class WriteGate {
  private let all: Set<TableWrite>
  /// An update of this column alone is none.
  private let free: String
  private let make: (Connection, TableWrite) throws(SQLiteError) -> Void
  private unowned let connection: Connection
  /// What is not made yet.
  private var due: Set<TableWrite>
  private var refused: TableWrite?

  init(
    _ all: Set<TableWrite>, free: String, on connection: Connection,
    _ make: @escaping (Connection, TableWrite) throws(SQLiteError) -> Void
  ) {
    (self.all, self.free, self.connection, self.make) = (all, free, connection, make)
    due = all
  }

  /// The connection keeps this object alive for as long as SQLite may call it.
  func install(on handle: OpaquePointer) -> Int32 {
    sqlite3_set_authorizer(handle, judgeWrite, Unmanaged.passUnretained(self).toOpaque())
  }

  fileprivate func judge(
    _ action: Int32, _ first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>?
  ) -> Int32 {
    let table = String(cString: first)
    let kind: TableWrite.Kind
    switch action {
    case SQLITE_INSERT: kind = .insert
    case SQLITE_DELETE: kind = .delete
    default:
      if second.map({ String(cString: $0) }) == free { return SQLITE_OK }
      kind = .update
    }
    let write = TableWrite(kind, table)
    guard due.contains(write) else { return SQLITE_OK }
    refused = write
    return SQLITE_DENY
  }

  fileprivate func guards(_ table: String) -> Bool { all.contains { $0.table == table } }

  /// Makes what was missing when a statement could not be compiled. False: it failed for another reason.
  func opens(after error: SQLiteError) throws(SQLiteError) -> Bool {
    guard error.kind == .denied, let write = refused else { return false }
    refused = nil
    try make(connection, write)
    due.remove(write)
    return true
  }

  /// What was made in a transaction that is rolled back is gone again.
  func noteRollback() { due = all }

  /// While the body runs this write passes freely; after it, what it needs is made anew.
  func without<T>(_ write: TableWrite, _ body: () throws -> T) rethrows -> T {
    due.remove(write)
    defer { due.formUnion(all.intersection([write])) }
    return try body()
  }
}

/// Called some ten times for each statement that is compiled, mostly for columns that it reads. What could
/// take away unseen what was made is refused: a savepoint that is rolled back, and another shape of a table.
private func judgeWrite(
  _ context: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
  _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?,
  _ trigger: UnsafePointer<CChar>?
) -> Int32 {
  switch action {
  case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
    guard let context, let first else { return SQLITE_DENY }
    return Unmanaged<WriteGate>.fromOpaque(context).takeUnretainedValue().judge(
      action, first, second)
  case SQLITE_DROP_TABLE, SQLITE_ALTER_TABLE:
    guard let context, let table = action == SQLITE_DROP_TABLE ? first : second else {
      return SQLITE_DENY
    }
    let gate = Unmanaged<WriteGate>.fromOpaque(context).takeUnretainedValue()
    return gate.guards(String(cString: table)) ? SQLITE_DENY : SQLITE_OK
  case SQLITE_SAVEPOINT: return SQLITE_DENY
  default: return SQLITE_OK
  }
}
