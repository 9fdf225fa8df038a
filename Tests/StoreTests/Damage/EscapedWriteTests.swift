@testable import Base
@testable import Store
import TestSupport
import Testing

/// Looks for a row of the book that is written without its seal or its count, by any kind of statement in
/// any order, though the triggers for it are made only when they are needed.
@Suite("A write to the book")
struct EscapedWriteTests {
  static let seeds = Torture.seeds(plain: 40, long: 400)

  /// One connection with the book, and what is done with it. Values are any that fit a column's type.
  private struct Scribe {
    let connection: Connection
    var random: SeededRandom
    var kept: [Statement] = []

    init(seed: UInt64, keepsSeals: Bool = true) throws {
      random = SeededRandom(seed: seed)
      connection = try Connection("", .memory)
      try Functions.define(on: connection)
      try connection.transaction { try Shapes(connection: connection, isNew: true).adopt() }
      try connection.execute(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; "
          + "CREATE TABLE other (id INTEGER PRIMARY KEY)")
      if keepsSeals { try Seals.keep(connection) }
    }

    mutating func pick<T>(_ all: [T]) -> T { all.randomElement(using: &random)! }

    private func columns(_ table: String) throws -> [(name: String, type: String)] {
      try connection.rows(
        "SELECT name, type FROM pragma_table_info(?) WHERE name <> 'seal'", [.text(table)]
      ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    }

    /// One statement that writes to a table.
    mutating func statement(_ table: String) throws -> String {
      let columns = try columns(table)
      let names = columns.map { SQLName.quoted($0.name) }
      let values = columns.map { column in
        let digit = random.next() % 9
        return column.type == "TEXT" ? "'\(digit)'" : "\(digit)"
      }
      let row = "INSERT INTO \(table) (\(names.joined(separator: ", "))) "
      let value = "\(values.joined(separator: ", "))"
      let at = Int(random.next() % UInt64(names.count))
      let column = names[at]
      switch random.next() % 8 {
      case 0, 1, 2: return row + "VALUES (\(value))"
      case 3: return row + "SELECT \(value) WHERE 1"
      case 4:
        return row + "VALUES (\(value)) ON CONFLICT DO UPDATE SET \(column) = excluded.\(column)"
      case 5: return "UPDATE \(table) SET \(column) = \(values[at])"
      case 6: return "DELETE FROM \(table) WHERE \(column) = \(values[at])"
      default: return "DELETE FROM \(table)"
      }
    }

    mutating func act(_ sql: String) throws {
      switch random.next() % 6 {
      case 0: try connection.execute(sql)
      case 1: try connection.execute("SELECT 1; \(sql); ")
      case 2:
        let statement = try connection.prepare(sql)
        kept.append(statement)
        try statement.run()
      case 3:
        // By a trigger of the file.
        try connection.execute(
          "CREATE TRIGGER other_new AFTER INSERT ON other BEGIN \(sql); END")
        defer { try? connection.execute("DROP TRIGGER other_new") }  // a rollback took it
        try connection.run("INSERT INTO other (id) SELECT ifnull(max(id), 0) + 1 FROM other")
      case 4 where !kept.isEmpty:
        // One that was compiled long ago.
        try pick(kept).run()
      default: try connection.run(sql)
      }
    }

    mutating func step() throws {
      do {
        switch random.next() % 12 {
        case 0 where !connection.isInTransaction: try connection.run("BEGIN")
        case 1 where connection.isInTransaction: try connection.run("COMMIT")
        case 2, 3: if connection.isInTransaction { try connection.run("ROLLBACK") }
        default: try act(try statement(pick(Book.tables.map(\.name))))
        }
      } catch let error as SQLiteError where error.kind == .constraint {
        // Two rows of one key, as it happens.
      }
    }

    /// What is not as triggers that are always there would have left it.
    func escaped() throws -> [String] {
      var escaped: [String] = []
      for table in Book.tables {
        let digest = try Seals.sql(of: table, connection)
        let wrong = try connection.integer(
          "SELECT count(*) FROM \(table.name) WHERE seal IS NOT \(digest)"
            + (table.keepsDoubt ? " AND seal IS NOT ~\(digest)" : ""))
        if wrong != 0 { escaped.append("\(table.name): \(wrong ?? -1) seals") }
      }
      return escaped
    }
  }

  @Test("is sealed, whatever was written, rolled back and compiled before", arguments: seeds)
  func everySeed(seed: UInt64) throws {
    var scribe = try Scribe(seed: seed)
    for _ in 0..<150 { try scribe.step() }
    #expect(try scribe.escaped() == [], "seed \(seed)")
  }

  @Test("is counted where rows come and go", arguments: seeds)
  func counted(seed: UInt64) throws {
    var scribe = try Scribe(seed: seed)
    let tables = RowCounts.ofBook
    for _ in 0..<150 {
      let rolledBack = scribe.random.next() % 4 == 0
      let sql = try scribe.statement(scribe.pick(tables))
      do {
        try scribe.connection.transaction {
          try scribe.act(sql)
          if rolledBack { throw CancellationError() }
        }
      } catch is CancellationError {
      } catch let error as SQLiteError where error.kind == .constraint {
        // Two rows of one key, as it happens.
      }
    }
    for table in tables {
      let rows = try scribe.connection.integer("SELECT count(*) FROM \(table)")
      let count = try scribe.connection.integer(
        "SELECT rows FROM trawl_row_counts WHERE table_name = ?", [.text(table)])
      #expect(count == rows, "seed \(seed): \(table)")
    }
  }

  @Test("without its triggers is found by this search")
  func control() throws {
    var scribe = try Scribe(seed: 1, keepsSeals: false)
    for _ in 0..<150 { try scribe.step() }
    #expect(try !scribe.escaped().isEmpty)
  }
}
