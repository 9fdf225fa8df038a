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
    out.list("pages", ["by: \(JobText.quoted(stream.pager))"] + stream.pages, 6)
    remarks(stream, .window, &out)
    let time = stream.time.map {
      ["on: \(JobText.quoted($0.column))", "overlap: \(JobText.quoted($0.overlap))"]
    }
    if !stream.window.isEmpty { out.list("window", stream.window + (time ?? []), 6) }
    remarks(stream, .records, &out)
    out.line("      records: \(JobText.quoted(stream.records)),")
    if stream.table != stream.name { out.line("      into: \(JobText.quoted(stream.table)),") }
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

  private func remarks(
    _ stream: ManifestStream, _ place: ManifestStream.Place, _ out: inout DraftLines,
    _ indent: Int = 6
  ) {
    for remark in stream.remarks where remark.place == place { out.comment(remark.text, indent) }
  }
}
