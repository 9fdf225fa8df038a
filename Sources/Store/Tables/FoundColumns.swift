internal import Base

/// The columns of a table that no job file declares: each member of its records gets one when it
/// first has a value. One object for all streams of the table.
final class FoundColumns {
  /// Further members share one column for the rest.
  static let most = 200
  static let rest = "rest"

  let table: String
  private let writers: [String]
  private let taken: [[String]]
  /// The names of columns that take the members they would be named after.
  private let named: Set<String>
  private(set) var columns: [TableDesign.Column]
  /// Rises with each column: then writers of rows rebuild their statements.
  private(set) var version = 0
  private var tree = MemberTree(named: [])
  private var restSlot: Int?

  /// - Parameters:
  ///   - design: as the file has it now.
  ///   - finders: the streams that store every member of their records there.
  init(_ design: TableDesign, _ finders: [Base.Stream]) {
    table = design.name
    writers = finders.map(\.name)
    taken = JobDesign.taken(by: finders)
    named = Set(
      finders.flatMap(\.columns).filter { $0.paths.contains(where: \.isColumnName) }.map(\.name))
    columns = design.found
    plant()
  }

  private func plant() {
    tree = MemberTree(named: named)
    for way in taken { tree.add(way, column: nil) }
    restSlot = nil
    for (index, column) in columns.enumerated() {
      guard let way = column.way else { continue }
      if way.isEmpty { restSlot = index } else { tree.add(way, column: index) }
    }
    version += 1
  }

  // MARK: a record

  /// - Parameter first: the slot of the first found column.
  func read(_ record: JSONValue, into row: RowBuffer, first: Int) {
    var rest = RestOfRecord()
    tree.visit(record) { visit, way, value in
      switch visit {
      case .known(let column):
        // Of duplicate members the first counts.
        if row.isNull(first + column) { FoundValue.put(value, into: row, first + column) }
      case .new, .data: rest.add(way.compactMap(\.string), value)
      }
    }
    if let restSlot, !rest.isEmpty { row.setText(first + restSlot, rest.json) }
  }

  // MARK: a page

  /// Makes columns for new members of a page, in the page's own transaction. Returns their names.
  func find(
    in records: [JSONValue], at now: String, _ connection: Connection
  ) throws(SQLiteError) -> [String] {
    var new: [[String]] = []
    var known: Set<[ExactText]> = []
    var needsRest = false
    for record in records {
      tree.visit(record) { visit, way, _ in
        switch visit {
        case .known: return
        case .data: needsRest = true
        case .new:
          let names = way.compactMap(\.string)
          if known.insert(names.map { ExactText($0) }).inserted { new.append(names) }
        }
      }
    }
    let room = max(0, Self.most - columns.count { $0.way?.isEmpty == false })
    if new.count > room { needsRest = true }
    // cut: members without room share one column
    let ways = new.prefix(room) + (needsRest && restSlot == nil ? [[]] : [])
    return ways.isEmpty ? [] : try add(Array(ways), at: now, connection)
  }

  private func add(
    _ ways: [[String]], at now: String, _ connection: Connection
  ) throws(SQLiteError) -> [String] {
    var used = Set(try connection.columns(of: table))
    // The member nearest to the record gets the plain name.
    var names = ways.map { _ in "" }
    for index in ways.indices.sorted(by: { ways[$0].count < ways[$1].count }) {
      let way = ways[index]
      names[index] = PlainName.unique(way.isEmpty ? Self.rest : PlainName.folded(way), &used)
    }
    for (name, way) in zip(names, ways) {
      let column = TableDesign.Column(
        name: name, type: "ANY", comment: way.isEmpty ? Self.rest : JSONPath.text(of: way),
        writers: writers, way: way)
      try connection.execute(
        "ALTER TABLE \(SQLName.quoted(table)) ADD COLUMN \(TableDesign.foundText(column))")
      try connection.insert(Book.columns, column.row(of: table, addedAt: now))
      columns.append(column)
    }
    let parts = try OldTable.parts(of: table, connection).map { part in
      part.isFound ? part.with(names) : part
    }
    try connection.set(
      Book.jobTables, [("digests", .text(TableDesign.json(parts)))], where: "table_name = ?",
      [.text(table)])
    plant()
    return names
  }

  /// After a rollback, keeps only columns that the file has.
  func reload(_ connection: Connection) throws(SQLiteError) {
    let there = Set(try connection.columns(of: table))
    columns.removeAll { !there.contains($0.name) }
    plant()
  }
}

extension TableDesign.Column {
  /// As in `trawl_columns`.
  func row(of table: String, addedAt: String?) -> Connection.Values {
    [
      ("table_name", .text(table)), ("column_name", .text(name)), ("type", .text(type)),
      ("source", .text(comment)), ("written_by", .text(writers.joined(separator: " "))),
      ("added_at", SQLValue(addedAt)), ("way", SQLValue(way?.jsonText)),
    ]
  }
}

extension JobDesign {
  /// The streams that store every member of their records in a table.
  func finders(of table: String) -> [Base.Stream] {
    job.streams.filter { $0.takesAll && fullName($0.table) == table }
  }

  /// Takes over the found columns: those that the file has and that no column of the job has taken
  /// since.
  mutating func noteFound(_ connection: Connection) throws(SQLiteError) {
    for index in tables.indices {
      let finders = finders(of: tables[index].name)
      if finders.isEmpty { continue }
      let taken = Self.taken(by: finders)
      let there: [(String, String, String?, String)] = try connection.rows(
        "SELECT t.name, c.source, c.way, c.written_by FROM pragma_table_info(?1) t "
          + "JOIN trawl_columns c ON c.table_name = ?1 AND c.column_name = t.name "
          // Of two columns for one member, the one that the job wrote last counts.
          + "ORDER BY c.written_by = '', t.cid",
        [.text(tables[index].name)])
      for (name, source, way, writtenBy) in there where tables[index].column(name) == nil {
        let writers = writtenBy.split(separator: " ").map(String.init)
        // A plain member that was declared before becomes a found one, unless only other streams wrote it: then its
        // values are not of these records.
        guard
          writers.isEmpty || finders.contains(where: { writers.contains($0.name) }),
          let way = way.map(OldTable.names) ?? Self.plainWay(source),
          !taken.contains(where: { front in
            way.starts(with: front, by: { $0.utf8.elementsEqual($1.utf8) })
          }),
          !tables[index].found.contains(where: { other in
            other.way?.elementsEqual(way, by: { $0.utf8.elementsEqual($1.utf8) }) == true
          })
        else { continue }
        tables[index].addFound(
          TableDesign.Column(
            name: name, type: "ANY", comment: source, writers: finders.map(\.name), way: way))
      }
    }
  }

  /// The paths of members that declared columns and nested lists take.
  static func taken(by streams: [Base.Stream]) -> [[String]] {
    streams.flatMap { stream in
      let columns = stream.columns.compactMap { column -> [String]? in
        guard case .paths(let paths) = column.source, paths.count == 1 else { return nil }
        return paths[0].members
      }
      return columns + stream.children.compactMap { $0.records.membersBeforeAll }
    }.filter { !$0.isEmpty }
  }

  private static func plainWay(_ source: String) -> [String]? {
    // A source that is not a path belongs to no member.
    guard let path = try? JSONPath(source), let way = path.members, !way.isEmpty,
      JSONPath.text(of: way) == source
    else { return nil }
    return way
  }
}
