internal import Base

/// Runs the SQL expressions of a stream's columns and its `keep` over a row, before it is stored.
/// One statement; streams without expressions have none and pay nothing.
final class Shaper {
  enum Outcome {
    case kept, dropped
    /// An expression failed, or returned a value that its column cannot hold.
    case misfit(slot: Int?, Misfit)
  }

  private let statement: Statement
  private let shaped: [Int]
  private let kinds: [Column.Kind]
  /// The only one; nil: an error does not tell which of them failed.
  private let only: Int?
  /// Whose expressions these are, for messages.
  let origin: String

  init?(_ connection: Connection, _ stream: Stream) throws(SQLiteError) {
    shaped = stream.columns.indices.filter { stream.columns[$0].expression != nil }
    guard !shaped.isEmpty || stream.keep != nil else { return nil }
    kinds = stream.columns.map(\.kind)
    only = stream.keep == nil && shaped.count == 1 ? shaped[0] : nil
    let names = shaped.map { stream.columns[$0].name } + (stream.keep == nil ? [] : ["keep"])
    origin = names.joined(separator: " or ")
    statement = try connection.prepare(Self.text(stream, shaped))
  }

  /// The innermost row holds the values as read; an expression sees its own as `value` and the
  /// others by name; `keep` sees the values as they will be stored. Only false drops a record: a comparison with NULL
  /// decides nothing, and 0.5 is as true as 1.
  static func text(_ stream: Stream, _ shaped: [Int]) -> String {
    let names = stream.columns.map { SQLName.always(quoted: $0.name) }
    let read = names.enumerated().map { "?\($0 + 1) AS \($1)" }.joined(separator: ", ")
    let made = zip(stream.columns, names).map { column, name in
      guard let expression = column.expression else { return "r.\(name) AS \(name)" }
      return "(SELECT (\(expression)\n) FROM (SELECT r.\(name) AS value)) AS \(name)"
    }
    let keep = stream.keep.map { "iif(ifnull((\($0)\n), 1), 1, 0)" } ?? "1"
    let results = shaped.map { "s.\(names[$0])" } + [keep]
    return "SELECT \(results.joined(separator: ", ")) FROM (SELECT "
      + "\(made.joined(separator: ", ")) FROM (SELECT \(read)) AS r) AS s"
  }

  func shape(_ row: RowBuffer) throws(SQLiteError) -> Outcome {
    for index in kinds.indices { try row.bind(index, to: statement, at: index + 1) }
    do {
      guard try statement.step() else { return .kept }
    } catch {
      // Bad input to a function (such as the least integer to abs) costs only this record.
      guard error.kind == .other || error.kind == .tooBig else { throw error }
      return .misfit(slot: only, .expression(error.message))
    }
    defer { statement.clear() }
    for (column, slot) in shaped.enumerated() {
      if let misfit = take(column, into: row, slot) { return .misfit(slot: slot, misfit) }
    }
    return statement.boolean(shaped.count) ? .kept : .dropped
  }

  /// The result in the class that the column stores.
  private func take(_ column: Int, into row: RowBuffer, _ slot: Int) -> Misfit? {
    let found = statement.kind(column)
    switch (kinds[slot].sqlType, found) {
    case (_, .null): row.setNull(slot)
    case ("INTEGER", .integer): row.setInteger(slot, statement.integer(column))
    case ("INTEGER", .real):
      guard let whole = Int64(exactly: statement.real(column)) else { return .fraction }
      row.setInteger(slot, whole)
    case ("REAL", .integer), ("REAL", .real): row.setReal(slot, statement.real(column))
    case ("TEXT", .integer), ("TEXT", .real), ("TEXT", .text):
      row.setText(slot, statement.text(column) ?? "")
    default: return .wrongKind("what the SQL expression gave")
    }
    return nil
  }
}
