internal import Base

/// The draft in its shortest form.
extension DraftText {
  var short: String {
    var out = DraftLines()
    out.comment(
      "Drafted by trawl new --short on \(subject.date):"
        + " every member of a record becomes a column.", 0)
    for remark in findings.remarks { out.comment("Note: \(remark).", 0) }
    out.isShort = true
    out.line("{")
    if !subject.isNamedByFile { out.line("  name: \(quoted(subject.jobName)),") }
    out.line("  base: \(quoted(base)),")
    auth(&out)
    limits(&out)
    out.line("  streams: {")
    stream(&out)
    out.line("  },")
    out.line("}")
    return out.text
  }

  func shortRecords(_ out: inout DraftLines) {
    out.line("      records: \(quoted(JSONPath.text(of: findings.page?.path ?? []))),")
    let name = keyColumn?.name ?? "position"
    if name != "id" { out.line("      key: [\(quoted(name))],") }
    if let keep { out.line("      keep: \(quoted(keep)),") }
    out.line("      columns: \(columns),")
  }

  /// The key is text where nothing else is said.
  private var columns: String {
    guard let key = keyColumn else { return "[\"position()\", \"*\"]" }
    if key.type == nil, key.path == [key.name] { return "\"*\"" }
    return "[\(JobText.column(key.name, key.path, type: key.type)), \"*\"]"
  }
}
