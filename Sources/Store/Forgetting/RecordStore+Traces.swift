public import Base

/// What files beside the database may hold of records: collected before the records are deleted.
public struct RecordTraces: Sendable {
  public var job: String
  public var keys: Set<String> = []
  /// The keys, and the values that no other record of the table has.
  public var texts = NamedTexts()
  /// The paths of their pictures.
  public var paths: Set<String> = []

  public init(job: String) { self.job = job }
}

extension RecordStore {
  /// - Parameter isThorough: also the values that no other record has; else only the keys.
  public func traces(
    of keys: [[SQLValue]], in table: KeyedTable, isThorough: Bool
  ) throws(StoreError) -> RecordTraces {
    var traces = RecordTraces(job: table.job)
    for key in keys {
      let text = try keyText(key)
      traces.keys.insert(text)
      for case .text(let part) in key { traces.texts.add(part) }
      for case .integer(let part) in key { traces.texts.add("\(part)") }
    }
    let name = SQLName.quoted(table.name)
    let isThis = TableDesign.isThis(table.key.map(\.name))
    try guarded {
      for shown in try Self.pictured(connection, table.name) {
        for key in keys {
          let paths = try connection.row(
            "SELECT \(TableDesign.list(shown.paths)) FROM "
              + "\(SQLName.quoted(ViewDesign.mediaName(of: shown.name))) WHERE \(isThis)",
            key
          ) { row in shown.paths.indices.compactMap { row.text($0) } }
          traces.paths.formUnion(paths ?? [])
        }
      }
      guard isThorough else { return }
      let columns = try connection.columns(of: table.name).filter { column in
        !JobDesign.reserved.contains(column) && !column.hasPrefix("trawl_")
      }
      for key in keys {
        for column in columns {
          let own = SQLName.quoted(column)
          let text = try connection.row(
            "SELECT \(own) FROM \(name) WHERE \(isThis) AND typeof(\(own)) = 'text' AND (SELECT count(*) "
              // cut: two are several
              + "FROM (SELECT 1 FROM \(name) o WHERE o.\(own) = \(name).\(own) LIMIT 2)) = 1",
            key
          ) { $0.text(0) }
          if let text = text ?? nil { traces.texts.add(text) }
        }
      }
    }
    return traces
  }

  /// Deletes such texts elsewhere in the file: rows of watched queries, and the arguments of
  /// commands.
  func forgetMentions(_ texts: NamedTexts) throws(SQLiteError) {
    if texts.isEmpty { return }
    let watched = try connection.rows(
      "SELECT job, subject, fact FROM trawl_facts WHERE kind = 'watched'"
    ) { ($0.text(0) ?? "", $0.text(1) ?? "", $0.text(2)) }
    for (job, subject, fact) in watched
    where texts.areHeld(by: subject) || texts.areHeld(by: fact)
      || texts.areNamed(in: Array((fact ?? "").utf8))
    {
      try connection.forget(FactKey(.watched, job: job, subject))
    }
    let called = try connection.rows("SELECT run, arguments FROM trawl_runs") {
      ($0.integer(0), $0.text(1))
    }
    for (run, arguments) in called where texts.areHeld(by: arguments) {
      try connection.set(Book.runs, [("arguments", "[]")], where: "run = ?", [.integer(run)])
    }
  }
}
