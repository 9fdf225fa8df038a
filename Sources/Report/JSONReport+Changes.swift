internal import Base

/// What came, changed and went, in reports and in `trawl report --changes --json`.
extension TableChanges {
  func write(to out: inout JSONWriter) {
    out.member("table", self.table)
    for kind in RecordChange.Kind.allCases { out.member(kind.rawValue, count(kind)) }
    if let knownSince { out.member("known_since", knownSince.description) }
    out.array("records") { out in
      for record in records { out.object { Self.write(record, to: &$0) } }
    }
  }

  private static func write(_ record: RecordChange, to out: inout JSONWriter) {
    out.member("change", record.kind.rawValue)
    out.member("key", record.key)
    out.member("title", record.title)
    out.member("link", record.link)
    out.member("image", record.imagePath)
    out.member("in_list", record.list)
    out.array("columns") { out in
      for column in record.columns {
        out.object { out in
          out.member("column", column.name)
          out.member("old", column.old)
          out.member("new", column.new)
        }
      }
    }
  }

  init(report value: JSONValue) {
    self.init(table: value.text("table"))
    new = value.number("new")
    changed = value.number("changed")
    moving = value.number("moving")
    gone = value.number("gone")
    knownSince = Optional(value).instant("known_since")
    records =
      value["records"]?.elements.compactMap { record in
        guard let kind = RecordChange.Kind(rawValue: record.text("change")) else { return nil }
        // When each came is no part of a report: its run says it.
        var change = RecordChange(
          kind: kind, key: record.text("key"), title: record["title"]?.string,
          link: record["link"]?.string, imagePath: record["image"]?.string,
          list: record["in_list"]?.string, at: Instant(seconds: 0))
        change.columns =
          record["columns"]?.elements.map {
            ColumnChange(
              name: $0.text("column"), old: $0["old"]?.string, new: $0["new"]?.string)
          } ?? []
        return change
      } ?? []
  }
}
