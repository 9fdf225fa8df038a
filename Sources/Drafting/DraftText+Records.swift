internal import Base

/// The job's mapping of a record.
extension DraftText {
  func records(_ out: inout DraftLines) {
    out.line("")
    out.line("      records: \(quoted(JSONPath.text(of: findings.page?.path ?? []))),")
    if tableName != findings.streamName { out.line("      into: \(quoted(tableName)),") }
    let count = findings.records.count
    let seen = count == 1 ? "the only record" : "all \(Wording.count(count, "record"))"
    if keyColumn == nil {
      out.comment(
        "No member is distinct in \(seen). The position is the key, and it changes with the list: name"
          + " columns that identify a record.", 6)
    } else if count == 1 {
      out.comment("One record was seen: nothing shows yet that this tells records apart.", 6)
    } else {
      out.comment(
        "In \(seen) seen it tells them apart. If the API has an id of its own, use that.", 6)
    }
    let key = keyColumn?.name ?? "position"
    if key != "id" { out.line("      key: [\(quoted(key))],") }
    if let keep { out.line("      keep: \(quoted(keep)),") }
    if isShort { return out.line("      columns: \(shortColumns),") }
    out.line("      columns: [")
    if keyColumn == nil { out.line("        \(Self.position),") }
    for column in survey.columns {
      let remark = column.remark.map { " // \($0)" } ?? ""
      out.line("        \(entry(column)),\(remark)")
    }
    out.line("      ],")
    for remark in survey.remarks { out.comment("Left out: \(remark).", 6) }
  }

  /// A typed or renamed key needs an entry.
  private var shortColumns: String {
    guard let key = keyColumn else { return "[\(Self.position), \"*\"]" }
    if key.type == nil, key.path == [key.name] { return "\"*\"" }
    return "[\(entry(key)), \"*\"]"
  }

  /// Drops members of a map that are not records, such as a list of ids: they have no key.
  private var keep: String? {
    keyColumn.flatMap { key in
      findings.page?.hasOtherMembers ?? false ? "\(key.name) IS NOT NULL" : nil
    }
  }

  private static let position = "\"position()\""

  private func entry(_ column: FieldSurvey.Column) -> String {
    JobText.column(column.name, column.path, type: column.type)
  }

  func children(_ out: inout DraftLines) {
    guard !survey.children.isEmpty, keyColumn != nil else { return }
    out.line("")
    out.comment("Lists within a record, with keys that are distinct in what was seen.", 6)
    out.line("      children: {")
    var taken = subject.namesTaken.union([tableName])
    for child in survey.children {
      // Its own name, unless another table has it.
      let name =
        child.name == tableName
        ? "\(tableName)_entries"
        : taken.contains(child.name) ? "\(tableName)_\(child.name)" : child.name
      let table = DraftNames.table(name, of: subject.jobName, &taken)
      out.line("        \(table): {")
      out.line("          records: \(quoted(JSONPath.text(of: child.path))),")
      let childKey = child.key ?? "position"
      if childKey != "id" { out.line("          key: [\(quoted(childKey))],") }
      let own = Set(child.columns.map(\.name) + [child.key == nil ? "position" : ""])
      if let key = keyColumn?.name, own.contains(key) {
        out.line("          parent: { \(key): \(quoted(parentName(key, own))) },")
      }
      out.line("          columns: [")
      if child.key == nil { out.line("            \(Self.position),") }
      for column in child.columns where child.key != nil || column.name != "position" {
        out.line("            \(entry(column)),")
      }
      out.line("          ],")
      out.line("        },")
    }
    out.line("      },")
  }

  private func parentName(_ key: String, _ own: Set<String>) -> String {
    var taken = own
    return PlainName.unique(
      DraftNames.plain("\(DraftNames.singular(tableName))_\(key)", else: "parent_\(key)"), &taken)
  }

  /// How the rows are used: titles, links, search.
  func uses(_ out: inout DraftLines) {
    let images = survey.columns.filter(\.isImage)
    if let image = images.first {
      out.line("")
      out.comment("Downloads the images; without this line only their URLs are stored.", 6)
      out.line("      media: { image: \(quoted(image.name)) },")
      if images.count > 1 {
        out.comment("Others: \(images.dropFirst().map(\.name).joined(separator: ", ")).", 6)
      }
    }
    var items: [String] = []
    let title = column(["title", "name", "full_name", "login", "label", "headline"])
    if let title { items.append("title: \(quoted(title))") }
    if let link = pageOfRecord {
      items.append("link: \(quoted(link))")
    }
    if let image = images.first { items.append("image: \(quoted(image.name))") }
    let times = ["published_at", "created_at", "published", "created", "date"]
    if let time = column(times, type: "time") {
      items.append("published_at: \(quoted(time))")
    }
    if !items.isEmpty { out.list("items", items, 6) }
    let texts = ["title", "name", "full_name", "description", "body", "summary", "text"].compactMap
    {
      column([$0])
    }
    if !texts.isEmpty {
      out.line("      search: [\(texts.map(quoted).joined(separator: ", "))],")
    }
  }

  /// The address of a record's page for people, which is rarely its address in the API.
  private var pageOfRecord: String? {
    let ofPeople = survey.columns.first { $0.type == "url" && $0.name.hasPrefix("html") }?.name
    return ofPeople ?? column(["link", "permalink", "web_url", "url"], type: "url")
  }

  private func column(_ names: [String], type: String? = nil) -> String? {
    names.lazy.compactMap { name in
      survey.columns.first { column in
        column.name == name
          && (type == nil ? column.type == nil : column.type?.hasPrefix(type ?? "") ?? false)
      }?.name
    }.first
  }
}
