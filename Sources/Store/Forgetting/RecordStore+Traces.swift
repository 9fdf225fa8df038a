public import Base

/// What files beside the database may hold of records: collected before the records are deleted.
public struct RecordTraces: Sendable {
  public var job: String
  public var keys: Set<ExactText> = []
  /// The same as JSON lists, as watches name rows.
  public var lists: [String] = []
  /// The values of each key, however short.
  public var parts: [Set<ExactText>] = []
  /// The keys, and values that no other record of the table has.
  public var texts = NamedTexts()
  /// The keys, and other identifying values: of columns in which all values differ.
  public var names = NamedTexts()
  /// The paths of their images.
  public var paths: Set<String> = []

  public init(job: String) { self.job = job }

  /// Whether a row of a watched query, as a JSON object, has all values of a key.
  public func areShown(in row: String) -> Bool {
    guard let members = JSONValue(text: row)?.members else { return false }
    let shown = members.map { member in
      ExactText(member.value.string ?? String(decoding: member.value.json, as: UTF8.self))
    }
    return parts.contains { $0.isSubset(of: shown) }
  }
}

extension RecordStore {
  /// - Parameters:
  ///   - isThorough: includes values that no other record has, at a query each.
  ///   - withPaths: includes the paths of their images, at a query for each record.
  public func traces(
    of keys: [[SQLValue]], in table: KeyedTable, isThorough: Bool, withPaths: Bool = true
  ) throws(StoreError) -> RecordTraces {
    var traces = RecordTraces(job: table.job)
    for key in keys {
      let text = try keyText(key)
      traces.keys.insert(ExactText(text))
      traces.lists.append(key.jsonText)
      let parts = key.compactMap(\.keyText)
      traces.parts.append(Set(parts.map { ExactText($0) }))
      for part in parts {
        traces.texts.add(part)
        traces.names.add(part)
      }
    }
    let name = SQLName.quoted(table.name)
    let isThis = TableDesign.isThis(table.key.map(\.name))
    try guarded {
      let pictured = withPaths ? try Self.pictured(connection, table.name) : []
      for shown in pictured {
        for key in keys {
          let paths = try connection.row(
            "SELECT \(TableDesign.list(shown.paths)) FROM (\(shown.allRows)) WHERE \(isThis)", key
          ) { row in shown.paths.indices.compactMap { row.text($0) } }
          traces.paths.formUnion(paths ?? [])
        }
      }
      guard isThorough else { return }
      let columns = try connection.columns(of: table.name).filter(CanonicalRow.isOfJob)
      for column in columns {
        let own = SQLName.quoted(column)
        let isUnique =
          try connection.integer(
            "SELECT count(*) > 1 AND 2 * count(\(own)) > count(*) "
              + "AND count(\(own)) = count(DISTINCT \(own)) FROM \(name)") == 1
        // cut: two are several
        let others = "(SELECT 1 FROM \(name) o WHERE o.\(own) = \(name).\(own) LIMIT 2)"
        let isAlone = isUnique ? "1" : "(SELECT count(*) FROM \(others)) = 1"
        for key in keys {
          let text = try connection.text(
            "SELECT \(own) FROM \(name) WHERE \(isThis) AND typeof(\(own)) = 'text' AND \(isAlone)",
            key)
          // A time identifies nobody.
          guard let text, Instant(stored: text) == nil else { continue }
          traces.texts.add(text)
          if isUnique { traces.names.add(text) }
        }
      }
    }
    return traces
  }

  /// Deletes such texts elsewhere in the file: in rows of watched queries, values that a job took from the table, and
  /// arguments and outcomes of runs.
  /// - Parameter keys: of the records.
  func forgetMentions(_ texts: NamedTexts, of keys: [[SQLValue]]) throws(SQLiteError) {
    let own = Set(keys.map { Array($0.jsonText.utf8) })
    let facts = try connection.rows(
      "SELECT kind, job, stream, subject, fact FROM trawl_facts WHERE kind IN ('watched', 'named')"
    ) { row in
      (key: (0...3).map { row.value($0) }, subject: row.text(3) ?? "", fact: row.value(4))
    }
    for (key, subject, fact) in facts {
      let isThis = "kind = ? AND job = ? AND stream = ? AND subject = ?"
      let row = Array(subject.utf8.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
      let isOwn = own.contains(row)
      let isNamed = texts.areHeld(by: subject) || texts.areNamed(in: row)
      let isShown =
        texts.areHeld(by: fact.text) || texts.areNamed(in: Array((fact.text ?? "").utf8))
      guard isOwn || isNamed || isShown else { continue }
      // A row that only shows a text, or only has the same key, stays known: it is no news.
      if row.first == UInt8(ascii: "["), !isNamed, isOwn != isShown {
        var fields = FactFields(fact)
        // Perhaps it is of another table: the next run is to know whether it has changed.
        if isOwn, let content = fields.text("content"), !content.isEmpty {
          fields["digest"] = .text(Hexadecimal.text(Digest64.of(content.utf8)))
        }
        fields["content"] = .text("")
        try connection.set(Book.facts, [("fact", fields.fact)], where: isThis, key)
      } else {
        try connection.delete(Book.facts, where: isThis, key)
      }
    }
    let runs = try connection.rows("SELECT run, arguments, outcome FROM trawl_runs") {
      ($0.integer(0), $0.text(1), $0.text(2) ?? "")
    }
    for (run, arguments, outcome) in runs {
      if texts.areHeld(by: arguments) {
        try connection.set(Book.runs, [("arguments", "[]")], where: "run = ?", [.integer(run)])
      }
      // An outcome of one word, such as `complete`, is not a key.
      if texts.areNamed(in: Array(outcome.utf8)) || outcome.holds(" ") && texts.areHeld(by: outcome)
      {
        try connection.set(Book.runs, [("outcome", "")], where: "run = ?", [.integer(run)])
      }
    }
  }
}

extension SQLValue {
  fileprivate var keyText: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): "\(number)"
    default: nil
    }
  }
}
