internal import Base

/// What one table of a job should look like. A value: compared with what the file holds, and
/// written as SQL that documents itself.
struct TableDesign: Equatable {
  enum Kind: String { case records, list, child }

  struct Column: Equatable {
    var name: String
    var type: String
    var isNeeded = false
    /// Where the values come from: `.schema` shows it.
    var comment: String
    /// Streams that write it.
    var writers: [String] = []
    /// For a found column, the names of the members that lead to it.
    var way: [String]?
  }

  struct Reference: Equatable {
    var columns: [String]
    var table: String
    var to: [String]
  }

  /// Columns that the same streams write: a part of a row's digests.
  struct Part: Equatable {
    var name: String
    var columns: [String]
  }

  var name: String
  var kind: Kind
  var columns: [Column]
  var key: [String]
  var references: [Reference] = []
  var parts: [Part] = []
  /// Columns other than the key by which rows are looked up.
  var indexed: [[String]] = []
  /// Columns that `trawl search` covers.
  var searched: [String] = []
  /// Columns that no job file declares.
  private(set) var found: [Column] = []
  /// Columns of an older job file, which stay in the file as they were.
  var kept: [String] = []

  /// A table that is only looked up by its whole key.
  var isWithoutRowid: Bool { kind == .list }

  func column(_ name: String) -> Column? {
    columns.first { $0.name == name } ?? found.first { $0.name == name }
  }

  mutating func addFound(_ column: Column) {
    found.append(column)
    parts = parts.map { $0.isFound ? $0.with([column.name]) : $0 }
  }

  mutating func setFound(_ columns: [Column]) {
    for column in columns where !found.contains(where: { $0.name == column.name }) {
      addFound(column)
    }
    let gone = found.map(\.name).filter { name in !columns.contains { $0.name == name } }
    found = columns
    parts = parts.map { part in
      var part = part
      if part.isFound { part.columns.removeAll(where: gone.contains) }
      return part
    }
  }

  /// The text by which it is added to the table: SQLite keeps it as it is.
  static func foundText(_ column: Column) -> String {
    // A star could end the comment.
    let comment = oneLine(column.comment).map { $0 == "*" ? "x" : String($0) }.joined()
    return "\(SQLName.quoted(column.name)) /* \(comment) */ \(column.type)"
  }

  /// The statement that makes the table, followed by columns of an older job file.
  func sql(named name: String? = nil, keeping kept: [Column] = []) -> String {
    var lines: [(String, String)] = columns.map { column in
      let rule = column.isNeeded ? " NOT NULL" : ""
      return ("\(SQLName.quoted(column.name)) \(column.type)\(rule)", column.comment)
    }
    for column in kept {
      lines.append(
        ("\(SQLName.quoted(column.name)) \(column.type)", "not in the job; kept as it was"))
    }
    // After the last column, where SQLite adds them.
    lines[lines.count - 1].0 += found.map { ", " + Self.foundText($0) }.joined()
    lines.append(("PRIMARY KEY (\(Self.list(key)))", ""))
    for reference in references {
      let target = "\(SQLName.always(quoted: reference.table)) (\(Self.list(reference.to)))"
      lines.append(("FOREIGN KEY (\(Self.list(reference.columns))) REFERENCES \(target)", ""))
    }
    var text = "CREATE TABLE \(SQLName.always(quoted: name ?? self.name)) (\n"
    for (index, (line, comment)) in lines.enumerated() {
      let comma = index + 1 < lines.count ? "," : ""
      text += "  \(line)\(comma)\(comment.isEmpty ? "" : " -- \(Self.oneLine(comment))")\n"
    }
    return text + ") STRICT\(isWithoutRowid ? ", WITHOUT ROWID" : "")"
  }

  /// Tells an index of ours from a user's own, which may have any name.
  static let indexMark = "/* Trawl's own */"

  /// Name and statement of each index.
  var indexes: [(name: String, sql: String)] {
    indexed.map { columns in
      let index = "\(name)_by_\(columns.joined(separator: "_"))"
      return (
        index,
        "CREATE INDEX \(SQLName.quoted(index)) ON \(SQLName.quoted(name)) "
          + "(\(Self.list(columns)) \(Self.indexMark))"
      )
    }
  }

  static func list(_ names: [String]) -> String {
    names.map { SQLName.quoted($0) }.joined(separator: ", ")
  }

  /// The condition for the row with these values, bound in the order of their columns.
  static func isThis(_ names: [String]) -> String {
    names.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: " AND ")
  }

  /// Pairs of columns of the rows `one` and `other` that name the same record.
  static func same(
    _ names: [String], of one: String, _ others: [String], of other: String
  ) -> String {
    zip(names, others).map { "\(one).\(SQLName.quoted($0)) = \(other).\(SQLName.quoted($1))" }
      .joined(separator: " AND ")
  }

  /// A comment ends with its line, whatever a path contains.
  private static func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
  }

  /// The names of the columns that the parts of a row's digests cover, as JSON.
  static func json(_ parts: [Part]) -> String {
    JSONObject(parts.map { ($0.name, $0.columns) }).jsonText
  }
}
