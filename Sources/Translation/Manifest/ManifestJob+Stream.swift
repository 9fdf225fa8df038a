internal import Drafting

/// One stream of the job file.
extension ManifestJob {
  func write(_ stream: ManifestStream, _ out: inout DraftLines) {
    remarks(stream, .head, &out, 4)
    out.line("    \(stream.name): {")
    out.line("      \(stream.isPost ? "post" : "get"): \(JobText.quoted(base.path(stream))),")
    request(stream, &out)
    if let feed = stream.feed {
      out.line(
        "      for: { each: \(JobText.quoted("\(feed.stream).\(feed.column)")), when: \"all\" },")
    }
    if !stream.errors.isEmpty {
      out.line("      errors: [\(stream.errors.joined(separator: ", "))],")
    }
    remarks(stream, .request, &out)
    out.line("      kind: \"search\",")
    remarks(stream, .pages, &out)
    out.list("pages", stream.pages, 6)
    remarks(stream, .window, &out)
    if !stream.window.isEmpty { out.list("window", stream.window, 6) }
    remarks(stream, .records, &out)
    out.line("      records: \(JobText.quoted(stream.records)),")
    let table = table(stream)
    if table != stream.name { out.line("      into: \(JobText.quoted(table)),") }
    if stream.key != ["id"] {
      out.line("      key: [\(stream.key.map(JobText.quoted).joined(separator: ", "))],")
    }
    if let keep = stream.keep { out.line("      keep: \(JobText.quoted(keep)),") }
    remarks(stream, .columns, &out)
    out.line("      columns: {")
    for column in stream.columns {
      let source = column.isObject ? column.source : JobText.quoted(column.source)
      out.line("        \(column.name): \(source),")
    }
    out.line("      },")
    out.line("    },")
  }

  private func request(_ stream: ManifestStream, _ out: inout DraftLines) {
    if let body = stream.body { out.line("      body: \(body),") }
    out.texts("form", stream.form.map { ($0.name, [$0.value]) }, 6)
    out.texts("query", stream.query, 6)
    out.texts("headers", stream.headers.map { ($0.name, [$0.value]) }, 6)
  }

  /// Avoids the suffixes of tables that Trawl creates itself.
  private func table(_ stream: ManifestStream) -> String {
    let most = 54 - translator.jobName.utf8.count
    var name = String(stream.name.prefix(max(8, most)))
    for ending in ["_history", "_media"] where name.hasSuffix(ending) { name += "_list" }
    return name
  }

  private func remarks(
    _ stream: ManifestStream, _ place: ManifestStream.Place, _ out: inout DraftLines,
    _ indent: Int = 6
  ) {
    for remark in stream.remarks where remark.place == place { out.comment(remark.text, indent) }
  }
}
