internal import Base

/// What was added, changed and removed, with images beside their rows.
extension HTMLReport {
  var changes: String {
    var used: Set<String> = []
    let tables = facts.changes.map { table -> String in
      let head =
        "<h3><bdi>\(HTMLText.escaped(table.table, max: 100))</bdi>: "
        + "\(HTMLText.escaped(Self.counts(table)))</h3>"
      // Each image once, beside the first of the records that share it.
      let pictures = table.records.map { record in
        record.imagePath.flatMap { used.insert($0).inserted ? $0 : nil }
      }
      let hasPictures = pictures.contains { $0 != nil }
      if table.isFirst, table.changed + table.gone == 0 {
        return head
          + Self.sheet(
            zip(table.records, pictures).compactMap { record, path in path.map { ($0, record.name) }
            })
      }
      var heads = [("change", ""), ("record", ""), ("what", "")]
      if hasPictures { heads.insert(("", "picture"), at: 0) }
      let rows = HTMLPage.fitting(
        zip(table.records, pictures).map { record, path in
          let cell = "<td class=\"picture\">\(path.map { Self.image($0, record.name) } ?? "")</td>"
          return "<tr>\(hasPictures ? cell : "")\(Self.cells(record))</tr>"
        }, bytes: Self.partBytesMax / 2)
      return head + HTMLPage.table(heads, rows, kind: "changes") + Self.rest(table, rows.count)
    }
    return HTMLPage.section("Changes", HTMLPage.fitting(tables).joined(separator: "\n"))
  }

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

  private static func cells(_ record: RecordChange) -> String {
    let tone =
      switch record.kind {
      case .new, .back: "good"
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
      + (table.isFirst ? ": first run" : "")
  }

  /// What the table leaves out, and what was not kept.
  private static func rest(_ table: TableChanges, _ shown: Int) -> String {
    let rest = RecordChange.Kind.allCases.reduce(0) { $0 + table.count($1) } - shown
    var notes: [String] = []
    if rest > 0 { notes.append("\(Wording.number(rest)) more: trawl report --changes") }
    if let since = table.knownSince {
      notes.append("what its records held before \(since) is not kept")
    }
    return notes.isEmpty
      ? "" : "<p class=\"soft\">\(HTMLText.escaped(notes.joined(separator: "; ")))</p>"
  }
}
