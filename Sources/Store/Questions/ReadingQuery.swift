public import Base

/// The user's own statement, on a separate connection that may only read. Not Sendable: one thread
/// opens it, takes the rows and closes it.
public final class ReadingQuery {
  private let connection: Connection
  private let path: String

  /// - Parameters:
  ///   - cache: how much of the file is kept in memory, and of a sort before it goes to a file.
  ///   - isStopped: called while a statement runs; if true, that ends with `.interrupted`.
  public init(
    _ folder: DataFolder, _ settings: RecordStore.Settings, cache kilobytes: Int? = nil,
    stoppingWhen isStopped: @escaping @Sendable () -> Bool
  ) throws(StoreError) {
    path = folder.databasePath
    connection = try DatabaseFile(folder: folder).open(for: .read, settings)
    do {
      // A large sort uses a file: memory does not grow with the rows.
      try connection.execute("PRAGMA temp_store = FILE; PRAGMA query_only = ON")
      if let kilobytes { try connection.setCache(kilobytes: kilobytes) }
      try connection.restrictToReading(stoppingWhen: isStopped)
    } catch {
      throw StoreError(error, on: path)
    }
  }

  deinit { connection.close() }

  /// - Parameter body: uses our own statements.
  func reading<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    do {
      return try body(connection)
    } catch let error as SQLiteError {
      if error.kind == .interrupted { throw CancellationError() }
      throw StoreError(error, on: path)
    }
  }

  /// The rows of the query, in order, until `take` returns false.
  public func run(
    _ sql: String, columns: ([String]) -> Void, take: ([SQLValue]) throws -> Bool
  ) throws {
    try noting(sql) { statement, _ in
      columns(statement.columnNames)
      let count = statement.columnCount
      while try statement.step() {
        guard try take((0..<count).map { statement.value($0) }) else { return }
      }
    }
  }

  /// Runs the user's own statement and notes what it reads; errors are described in terms of that
  /// statement.
  func noting<Result>(
    _ sql: String, _ body: (Statement, Set<String>) throws -> Result
  ) throws -> Result {
    let text = try statementText(sql)
    do {
      let (statement, tables) = try connection.noting { try connection.prepare(text) }
      defer { connection.release(statement) }
      return try body(statement, tables)
    } catch let error as SQLiteError {
      throw problem(error, in: text)
    }
  }

  /// The tables of the jobs, with their numbers of present rows.
  public func tablesOfJobs() throws -> [(job: String, table: String, rows: Int)] {
    try reading { connection in
      let tables: [(String, String)] = try connection.rows(
        "SELECT job, table_name FROM trawl_tables ORDER BY job, kind <> 'records', table_name")
      var found: [(job: String, table: String, rows: Int)] = []
      for (job, table) in tables {
        found.append((job, table, try PresentRows.rows(of: table, connection)))
      }
      return found
    }
  }

  /// Whether the query is just a name.
  public static func isName(query sql: String) -> Bool { name(query: sql) != nil }

  /// The query's only word.
  private static func name(query sql: String) -> String? {
    let words = sql.split { " \t\n\r;".utf8.contains($0.utf8.first ?? 0) }
    guard words.count == 1 else { return nil }
    let isName = words[0].utf8.allSatisfy {
      $0 == UInt8(ascii: "_") || (48...57).contains($0) || (97...122).contains($0 | 32) || $0 > 127
    }
    return isName ? String(words[0]) : nil
  }

  /// The bare name of a table or view is a query for all of it, except the columns that Trawl keeps
  /// for itself.
  private func statementText(_ sql: String) throws -> String {
    guard let name = Self.name(query: sql) else { return sql }
    guard let table = try tables().first(where: { $0.lowercased() == name.lowercased() }) else {
      throw QueryProblem(sentence: "there is no table \"\(name)\"" + (try nearTable(name)))
    }
    let shown = try Self.shownColumns(of: table, connection).map(TableDesign.list) ?? "*"
    return "SELECT \(shown) FROM \(SQLName.quoted(table))"
  }

  /// Nil: not a table of records or lists.
  static func shownColumns(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [String]? {
    let columns = try connection.columns(of: table)
    let own = Set(TableDesign.ownColumns.map(\.name))
    return own.isSubset(of: columns) ? columns.filter { !own.contains($0) } : nil
  }

  private func tables() throws(SQLiteError) -> [String] {
    try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
        + "AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name LIKE 'trawl!_%' ESCAPE '!', name")
  }

  private func nearTable(_ name: String) throws(SQLiteError) -> String {
    Suggestion.clauseOrList(for: name, in: try tables())
  }

  /// The columns of the tables that the statement names; of all tables if it names none.
  private func columns(near sql: String) throws(SQLiteError) -> [String] {
    let lowered = sql.lowercased()
    let all = try tables()
    let named = all.filter { lowered.holds($0.lowercased()) }
    return try (named.isEmpty ? all : named).map { table throws(SQLiteError) in
      try connection.texts("SELECT name FROM pragma_table_xinfo(?)", [.text(table)])
    }.joined().eachOnce
  }

  // MARK: What is wrong

  private func problem(_ error: SQLiteError, in sql: String) -> any Error {
    switch error.kind {
    case .other, .denied, .schema: break
    case .interrupted: return CancellationError()
    case .memory: return QueryProblem(sentence: "the query needs more memory than it may have")
    case .tooBig: return QueryProblem(sentence: "a value of it is longer than a query may read")
    default: return StoreError(error, on: path)
    }
    if let refused = connection.refusedAction {
      return QueryProblem(sentence: "this command only reads: \(refused) is refused")
    }
    // If no name can be suggested, SQLite's own message is enough.
    let sentence = error.message + ((try? near(error.message, sql)) ?? nil ?? "")
    return QueryProblem(
      sentence: sentence, place: error.offset.flatMap { Self.place($0, in: sql) })
  }

  /// What was probably meant by a name that SQLite does not find.
  private func near(_ message: String, _ sql: String) throws -> String? {
    func name(behind words: String) -> String? {
      guard message.hasPrefix(words) else { return nil }
      let whole = message.dropFirst(words.count).prefix { $0 != " " }
      return whole.split(separator: ".").last.map(String.init)
    }
    if let table = name(behind: "no such table: ") { return try nearTable(table) }
    if let column = name(behind: "no such column: ") {
      return Suggestion.clauseOrList(for: column, in: try columns(near: sql))
    }
    if let function = name(behind: "no such function: ") {
      let known = try connection.texts("SELECT DISTINCT name FROM pragma_function_list")
      return Suggestion.clause(for: function, in: known)
    }
    return nil
  }

  private static func place(_ offset: Int, in sql: String) -> QueryProblem.Place? {
    let bytes = Array(sql.utf8)
    guard offset <= bytes.count else { return nil }
    let before = bytes[..<offset]
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    let end = bytes[start...].firstIndex(of: 10) ?? bytes.count
    return QueryProblem.Place(
      line: before.count { $0 == 10 } + 1,
      text: String(decoding: bytes[start..<end], as: UTF8.self),
      before: String(decoding: bytes[start..<offset], as: UTF8.self))
  }
}

/// A query that cannot be run, and where its error is.
public struct QueryProblem: Error, Sendable, Equatable {
  public struct Place: Sendable, Equatable {
    /// From 1.
    public var line: Int
    /// The whole line.
    public var text: String
    /// The part of the line before the place.
    public var before: String
  }

  public var sentence: String
  public var place: Place?
}
