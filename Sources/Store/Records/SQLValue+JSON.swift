public import Base

/// Values of columns as JSON has them, with their classes; blobs are never stored so.
extension SQLValue {
  init(json value: JSONValue) {
    if let text = value.string {
      self = .text(text)
    } else if let integer = value.integer {
      self = .integer(integer)
    } else {
      self = value.real.map { .real($0) } ?? .null
    }
  }
}

extension SQLValue: JSONWritable {
  public func write(to out: inout JSONWriter) {
    switch self {
    case .null: out.null()
    case .integer(let value): out.integer(value)
    case .real(let value): value.isInfinite ? out.number(value.sqlText) : out.real(value)
    case .text(let value): out.string(value)
    case .blob(let bytes): out.string(Hexadecimal.text(bytes))
    }
  }
}

/// A row stored in a column as one JSON object.
enum KeptRow {
  static func text(_ row: NamedRow) -> String { JSONObject(row.map { ($0, $1) }).jsonText }

  /// Our own text; a damaged one counts as empty, and every proof reports it.
  static func read(_ text: String?) -> NamedRow {
    let root = text.flatMap(JSONValue.init(text:)) ?? .nothing
    return root.members.map { ($0.key.string ?? "", SQLValue(json: $0.value)) }
  }
}

/// A row with the names of its columns: the same for JSON and for a person.
public typealias NamedRow = [(name: String, value: SQLValue)]

extension Connection {
  /// Every row of one of our queries, with its columns' names. For results that are known to be small.
  func named(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> [NamedRow] {
    let names = try statement(sql).columnNames
    return try rows(sql, values) { row in names.enumerated().map { ($1, row.value($0)) } }
  }
}
