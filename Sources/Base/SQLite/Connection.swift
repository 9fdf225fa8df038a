internal import CSQLite
internal import Glibc

/// One connection to one database file. Not Sendable: it belongs to one actor or thread, and is opened without SQLite's
/// own mutexes.
public final class Connection {
  public enum Mode: Sendable {
    case readOnly, readWrite
    case create
    /// A new database in memory.
    case memory
  }

  public let path: String
  public let wait: BusyWait
  /// Created at its first use, when the WAL is on.
  public lazy var log = LogGrowth(handle, wait, pageBytes: pageBytes)
  private(set) var handle: OpaquePointer
  private var isOpen = true
  private var cached: [ExactText: Statement] = [:]
  private var held: [Statement] = []
  fileprivate var mayGoOn: (() -> Bool)?
  private var reading: ReadingGuard?
  /// Pending writes of the current transaction, created at its first use.
  public var pending: (any PendingWrites)?

  /// Set once, before the first connection. The count is not used; if the library was already in use it keeps counting,
  /// which only costs a little time.
  private static let isMemoryCounted = csqlite_stop_counting_memory() != SQLITE_OK

  /// The number of statements that stay compiled; one more empties the cache.
  private static let cachedMax = 256

  public init(
    _ path: String, _ mode: Mode, waiting limit: Duration = .seconds(60)
  ) throws(SQLiteError) {
    self.path = path
    wait = BusyWait(limit: limit)
    _ = Self.isMemoryCounted
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .memory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
    }
    var name = path
    if mode == .readOnly, let unchanging = Self.unchanging(path) {
      name = unchanging
      flags |= SQLITE_OPEN_URI
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code, on: opened)
      sqlite3_close(opened)
      throw error
    }
    handle = opened
    try configure()
  }

  /// The URI of a database on a read-only file system that has no `-wal` and `-shm`: SQLite cannot create
  /// them there, and nothing can change the file, so it is opened as immutable. Nil: a plain open works.
  private static func unchanging(_ path: String) -> String? {
    var (disk, log) = (statvfs(), stat())
    guard statvfs(path, &disk) == 0, disk.f_flag & UInt(ST_RDONLY) != 0,
      stat(path + "-wal", &log) != 0 || log.st_size == 0, access(path + "-shm", F_OK) != 0
    else { return nil }
    let escaped = path.utf8.flatMap { byte in
      "%?#".utf8.contains(byte) ? Array("%\(String(byte, radix: 16))".utf8) : [byte]
    }
    let root = path.hasPrefix("/") ? "//" : ""
    return "file:\(root)\(String(decoding: escaped, as: UTF8.self))?immutable=1"
  }

  /// A foreign file cannot make us run code: no unsafe functions in its schema, no writes to the schema table; and a
  /// misspelt column is not a string.
  private func configure() throws(SQLiteError) {
    try check(wait.install(on: handle))
    for (option, value): (Int32, Int32) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_FKEY, 1), (SQLITE_DBCONFIG_DQS_DML, 0),
      (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    ] {
      try check(csqlite_config(handle, option, value))
    }
  }

  deinit { close() }

  /// Finalises all statements first, so closing cannot fail.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    for statement in held { statement.finalise() }
    for statement in cached.values { statement.finalise() }
    held = []
    cached = [:]
    let code = sqlite3_close(handle)
    assert(code == SQLITE_OK, "a statement outlived its connection")
  }

  /// Closing does not checkpoint, even for the last connection.
  public func skipCheckpointOnClose(_ isSkipped: Bool) throws(SQLiteError) {
    try check(csqlite_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isSkipped ? 1 : 0))
  }

  /// Switches foreign keys; not possible inside a transaction.
  public func enforceForeignKeys(_ isOn: Bool) throws(SQLiteError) {
    try check(csqlite_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, isOn ? 1 : 0))
  }

  /// The size of the page cache; shrinking it frees memory.
  public func setCache(kilobytes: Int) throws(SQLiteError) {
    try execute("PRAGMA cache_size = -\(kilobytes)")
  }

  /// Lets triggers and views use virtual tables and functions not marked as innocuous.
  public func trustSchema() throws(SQLiteError) {
    try check(csqlite_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1))
  }

  /// The number of SQLite's virtual instructions between two calls of `mayGoOn`: a few milliseconds of work.
  private static let workSteps: Int32 = 100_000

  /// From now on a working statement calls this: one that runs for minutes gives no other sign. It is silent while it
  /// waits for a lock or the disk.
  /// - Parameter mayGoOn: false ends the statement. Must neither block nor use the connection.
  public func tell(_ mayGoOn: (() -> Bool)?) {
    guard let mayGoOn else { return }
    self.mayGoOn = mayGoOn
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(handle, Self.workSteps, tellWork, context)
  }

  /// From now on only reading statements compile, and a running one ends (`interrupted`) as soon as `isStopped` says
  /// so.
  public func restrictToReading(stoppingWhen isStopped: @escaping () -> Bool) throws(SQLiteError) {
    tell { !isStopped() }
    try install(ReadingGuard())
  }

  /// From now on statements may call only these functions (in lower case).
  public func restrict(to functions: Set<String>) throws(SQLiteError) {
    try install(ReadingGuard(functions: functions))
  }

  private func install(_ reading: ReadingGuard) throws(SQLiteError) {
    precondition(self.reading == nil, "a connection has one guard")
    self.reading = reading
    let context = Unmanaged.passUnretained(reading).toOpaque()
    try check(sqlite3_set_authorizer(handle, judgeReading, context))
  }

  /// The first action or function that was refused.
  public var refusedAction: String? { reading?.refused }

  /// Runs the body and returns the tables that its statements read, in lower case: SQLite names each one to the guard,
  /// through any view, subquery or alias.
  public func noting<T>(_ body: () throws -> T) rethrows -> (T, tables: Set<String>) {
    precondition(reading != nil, "only a connection that is restricted to reading names its tables")
    reading?.tables = []
    return (try body(), reading?.tables ?? [])
  }

  /// For this connection: a longer text or blob fails its statement.
  public func limitValues(to bytes: Int) {
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(bytes))
  }

  /// For the whole process, to be called before its first connection: a statement that needs more fails.
  public static func limitMemory(to bytes: Int) { sqlite3_hard_heap_limit64(Int64(bytes)) }

  // MARK: Statements

  /// A statement of our own, compiled once and cached.
  public func statement(_ sql: String) throws(SQLiteError) -> Statement {
    let text = ExactText(sql)
    if let statement = cached[text] {
      statement.reset()
      return statement
    }
    // A statement that is in use, as by a loop over its rows, lives on until the loop ends.
    if cached.count >= Self.cachedMax { cached = [:] }
    let statement = try Statement(sql, on: handle)
    cached[text] = statement
    return statement
  }

  /// A statement that the caller owns; it ends with `release` or with the connection.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    let statement = try Statement(sql, on: handle)
    held.append(statement)
    return statement
  }

  public func release(_ statement: Statement) {
    statement.finalise()
    held.removeAll { $0 === statement }
  }

  /// Runs one statement for its effect.
  public func run(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) {
    let statement = try statement(sql)
    try statement.bind(values)
    while try statement.step() {}
    statement.clear()
  }

  /// Runs statements that are used once, such as schemas and pragmas.
  public func execute(_ sql: String) throws(SQLiteError) {
    let text = sql.utf8CString
    var start = 0
    while true {
      let length = try Statement.run(text[start...], on: handle, sql)
      if length == 0 { return }
      start += length
    }
  }

  /// All rows of a query, in order. For results that are known to be small.
  public func rows<T>(
    _ sql: String, _ values: [SQLValue] = [], _ read: (Statement) -> T
  ) throws(SQLiteError) -> [T] {
    var all: [T] = []
    try each(sql, values) { all.append(read($0)) }
    return all
  }

  /// The same, one at a time: for results of any size.
  public func each(
    _ sql: String, _ values: [SQLValue] = [], _ take: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let statement = try statement(sql)
    try statement.bind(values)
    defer { statement.clear() }
    while try statement.step() { try take(statement) }
  }

  /// Reads rows of a key and a value; the first row of each key wins.
  public func dictionary<Name: Hashable, Value>(
    _ sql: String, _ values: [SQLValue] = [], _ read: (Statement) -> (Name, Value)
  ) throws(SQLiteError) -> [Name: Value] {
    Dictionary(try rows(sql, values, read)) { one, _ in one }
  }

  /// The first row, if there is one.
  public func row<T>(
    _ sql: String, _ values: [SQLValue] = [], _ read: (Statement) -> T
  ) throws(SQLiteError) -> T? {
    let statement = try statement(sql)
    try statement.bind(values)
    let first = try statement.step() ? read(statement) : nil
    statement.clear()
    return first
  }

  public func integer(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> Int64? {
    try row(sql, values) { $0.optionalInteger(0) } ?? nil
  }

  public func text(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> String? {
    try row(sql, values) { $0.text(0) } ?? nil
  }

  /// The first column of every row; empty for NULL.
  public func texts(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> [String] {
    try rows(sql, values) { $0.text(0) ?? "" }
  }

  /// 4,096, unless another program created the file.
  private var pageBytes: Int64 { (try? integer("PRAGMA page_size")) ?? nil ?? 4_096 }

  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
  /// Rows that the last INSERT, UPDATE or DELETE changed, including tables WITHOUT ROWID.
  public var changedRows: Int { Int(sqlite3_changes64(handle)) }

  /// Rows written since the connection was opened, including tables WITHOUT ROWID and triggers.
  public var allChangedRows: Int64 { sqlite3_total_changes64(handle) }

  // MARK: Transactions

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Takes the write lock at once (waiting as `wait` allows), and commits all of the body or nothing.
  public func transaction<T>(_ body: () throws -> T) throws -> T {
    try run("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try pending?.flush(self)
      try run("COMMIT")
      return value
    } catch {
      pending = nil
      // Some errors roll back by themselves; the first error is the one to throw.
      if isInTransaction {
        // If the rollback fails, closing the connection ends the transaction.
        try? run("ROLLBACK")
      }
      throw error
    }
  }

  /// One snapshot for several queries.
  public func snapshot<T>(_ body: () throws -> T) throws -> T {
    try transacting { try run("BEGIN") }
    defer {
      // Nothing was written, so a failure loses nothing.
      transacting { if (try? run("COMMIT")) == nil { try? run("ROLLBACK") } }
    }
    return try body()
  }

  /// Allows transactions, which the user's statements may not begin or end.
  private func transacting(_ body: () throws -> Void) rethrows {
    reading?.letsTransactions = true
    defer { reading?.letsTransactions = false }
    try body()
  }

  // MARK: Functions

  /// Adds an SQL function to this connection; -1 arguments mean any number.
  /// - Parameter isInnocuous: generated columns and views may call it.
  public func define(
    _ name: String, arguments: Int, isDeterministic: Bool = true, isInnocuous: Bool = false,
    _ body: @escaping (FunctionCall) -> Void
  ) throws(SQLiteError) {
    let flags =
      SQLITE_UTF8 | (isInnocuous ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
      | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    let box = Unmanaged.passRetained(FunctionBox(body)).toOpaque()
    // SQLite frees the box, even if this call fails.
    try check(
      sqlite3_create_function_v2(
        handle, name, Int32(arguments), flags, box, callFunction, nil, nil, freeFunction))
  }

  func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw SQLiteError(code, on: handle) }
  }
}

/// Called on the working thread; returns 0 to continue the statement.
private func tellWork(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
  return connection.mayGoOn?() == false ? 1 : 0
}

/// Writes of a transaction that are made just before its commit.
public protocol PendingWrites: AnyObject {
  func flush(_ connection: Connection) throws
}
