internal import Base

/// What came, changed and went, with pictures beside their rows.
extension HTMLReport {
  var changes: String {
    let pictures = picturesBesideRows
    var used: Set<String> = []
    return HTMLPage.section(
      "Changes",
      facts.changes.map { table in
        let hasPictures = table.records.contains { picture(of: $0, pictures) != nil }
        var heads = [("change", ""), ("record", ""), ("what", "")]
        if hasPictures { heads.insert(("", "picture"), at: 0) }
        let rows = table.records.map { record in
          var cell = ""
          if hasPictures {
            // Each picture's bytes once: what several records share stands beside the first.
            let shown = picture(of: record, pictures).flatMap {
              used.insert($0.path).inserted ? $0 : nil
            }
            cell = "<td class=\"picture\">\(shown.map { Self.image($0, isNamed: true) } ?? "")</td>"
          }
          return "<tr>\(cell)\(Self.cells(record))</tr>"
        }
        return "<h3><bdi>\(HTMLText.escaped(table.table, max: 100))</bdi>: "
          + "\(HTMLText.escaped(Self.counts(table)))</h3>"
          + HTMLPage.table(heads, rows, kind: "changes") + Self.rest(table)
      }.joined(separator: "\n"))
  }

  /// What watched queries told.
  var watches: String {
    HTMLPage.section(
      "Watched",
      facts.watches.map { watch in
        let counts = "\(Wording.number(watch.new)) new, \(Wording.number(watch.changed)) changed"
        let rows = watch.rows.map { "<li><code>\(HTMLText.foreign($0, max: 600))</code></li>" }
        let rest = watch.new + watch.changed - watch.rows.count
        var notes: [String] = []
        if rest > 0, !rows.isEmpty { notes.append("and \(Wording.number(rest)) more rows") }
        if !watch.note.isEmpty { notes.append(watch.note) }
        if !watch.output.isEmpty { notes.append("it said: \(watch.output)") }
        return "<h3>\(HTMLText.foreign(watch.name, max: 100)): \(HTMLText.escaped(counts))</h3>"
          + (watch.problem.map { "<p class=\"bad\">\(HTMLText.foreign($0, max: 600))</p>" } ?? "")
          + (rows.isEmpty ? "" : "<ul>\(rows.joined(separator: "\n"))</ul>")
          + notes.map { "<p class=\"soft\">\(HTMLText.foreign($0, max: 1_000))</p>" }.joined()
      }.joined(separator: "\n"))
  }

  /// Every picture that stands beside a row, by its path.
  var picturesBesideRows: [String: Thumbnail] {
    let paths = Set(facts.changes.flatMap { $0.records.compactMap(\.imagePath) })
    let found = thumbnails.prefix(Self.thumbnailsMax).filter { paths.contains($0.path) }
    return Dictionary(found.map { ($0.path, $0) }) { one, _ in one }
  }

  private func picture(of record: RecordChange, _ all: [String: Thumbnail]) -> Thumbnail? {
    record.imagePath.flatMap { all[$0] }
  }

  private static func cells(_ record: RecordChange) -> String {
    let tone =
      switch record.kind {
      case .new: "good"
      case .gone: "wait"
      case .changed, .moving: "other"
      }
    var notes = record.columns.map { column in
      "\(HTMLText.escaped(column.name, max: 100)): \(HTMLText.foreign(column.old ?? "NULL", max: 100))"
        + " → \(HTMLText.foreign(column.new ?? "NULL", max: 100))"
    }
    if let list = record.list {
      notes.insert("in the list of \(HTMLText.foreign(list, max: 100))", at: 0)
    }
    return "<td><span class=\"mark \(tone)\">\(record.kind.rawValue)</span></td>"
      + "<td>\(HTMLText.foreign(record.name, max: 160))</td>"
      + "<td class=\"why soft\">\(notes.joined(separator: "<br>"))</td>"
  }

  /// `2 new, 1 gone`
  private static func counts(_ table: TableChanges) -> String {
    RecordChange.Kind.allCases.filter { table.count($0) > 0 }
      .map { "\(Wording.number(table.count($0))) \($0.rawValue)" }.joined(separator: ", ")
  }

  /// What the table leaves out, and what is not kept.
  private static func rest(_ table: TableChanges) -> String {
    let rest = RecordChange.Kind.allCases.reduce(0) { $0 + table.count($1) } - table.records.count
    var notes: [String] = []
    if rest > 0 { notes.append("\(Wording.number(rest)) more: trawl report --changes") }
    if let since = table.knownSince {
      notes.append("what its records held before \(since) is not kept")
    }
    return notes.isEmpty
      ? "" : "<p class=\"soft\">\(HTMLText.escaped(notes.joined(separator: "; ")))</p>"
  }
}
