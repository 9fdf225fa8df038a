@testable import Base
@testable import Store
import TestSupport
import Testing

/// Looks for a row of the book that is written without its seal or its count, by any way of writing, in transactions
/// that are committed or rolled back.
@Suite("A write to the book")
struct EscapedWriteTests {
  static let seeds = Torture.seeds(plain: 40, long: 400)

  /// One connection with the book, and what is done with it. Values are any that fit a column's type.
  private struct Scribe {
    let connection: Connection
    var random: SeededRandom

    init(seed: UInt64) throws {
      random = SeededRandom(seed: seed)
      connection = try Connection("", .memory)
      try Functions.define(on: connection)
      try connection.transaction { try Shapes(connection: connection, isNew: true).adopt() }
      try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    }

    /// Without the facts, which count the others' rows and are written along with them.
    static let tables = Book.tables.filter { $0.name != Book.facts.name }

    mutating func values(_ table: BookTable) throws -> Connection.Values {
      let columns = try connection.rows(
        "SELECT name, type FROM pragma_table_info(?) WHERE name <> 'seal'", [.text(table.name)]
      ) { (name: $0.text(0) ?? "", type: $0.text(1) ?? "") }
      return columns.filter { $0.name != table.number }.map { column in
        let digit = random.next() % 9
        return (column.name, column.type == "TEXT" ? .text("\(digit)") : .integer(Int64(digit)))
      }
    }

    mutating func act(_ table: BookTable) throws {
      let values = try values(table)
      let one = values.randomElement(using: &random)!
      let isSame = "\(one.column) = ?"
      switch random.next() % 7 {
      case 0, 1, 2: try connection.insertIfNew(table, values)
      case 3:
        let key = table.number == nil ? table.key : [one.column]
        try connection.put(table, by: key, values, changing: [one.column])
      case 4: try connection.set(table, [one], where: "seal % 2 = 0")
      case 5:
        try connection.update(
          table, [(one.column, "coalesce(?, \(one.column))")], where: isSame, [.null, one.value])
      default: try connection.delete(table, where: isSame, [one.value])
      }
    }

    /// A transaction with some writes; one in four is rolled back.
    mutating func step() throws {
      let isKept = random.next() % 4 > 0
      do {
        try connection.transaction {
          for _ in 0...Int(random.next() % 4) {
            try act(Self.tables.randomElement(using: &random)!)
          }
          if !isKept { throw CancellationError() }
        }
      } catch is CancellationError {
      } catch let error as SQLiteError where error.kind == .constraint {
        // Two rows happened to get one key.
      }
    }

    /// Rows that are not sealed, or not counted.
    func escaped() throws -> [String] {
      var escaped: [String] = []
      for table in Book.tables {
        let digest = table.seal(\.name)
        let wrong = try connection.integer(
          "SELECT count(*) FROM \(table.name) WHERE seal IS NOT \(digest)")
        if wrong != 0 { escaped.append("\(table.name): \(wrong ?? -1) seals") }
        let rows = try connection.integer("SELECT count(*) FROM \(table.name)") ?? -1
        let count = try connection.fact(FactKey(.rows, table.name))
        if count != .integer(rows) {
          escaped.append("\(table.name): \(rows), not \(count ?? .null)")
        }
      }
      return escaped
    }
  }

  @Test("is sealed and counted, whatever else was written and rolled back", arguments: seeds)
  func everySeed(seed: UInt64) throws {
    var scribe = try Scribe(seed: seed)
    for _ in 0..<60 { try scribe.step() }
    let escaped = try scribe.escaped()
    #expect(escaped == [], "seed \(seed): \(escaped)")
  }

  @Test("by another way is found by this search")
  func control() throws {
    let scribe = try Scribe(seed: 1)
    try scribe.connection.execute(
      "INSERT INTO trawl_runs (name, job, command, arguments, began_at) "
        + "VALUES ('a', 'b', 'run', '[]', 'c')")
    #expect(try scribe.escaped().count == 2)
  }
}
