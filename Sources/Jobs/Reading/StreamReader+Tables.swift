internal import Base

/// The tables beside a stream's own: which list had a record, and what is nested in it.
extension StreamReader {
  func readTables(_ stream: inout Stream, values: [String], holes: [String]) {
    stream.membership = membership(stream, values: values, holes: holes)
    stream.children = node.entries("children").compactMap {
      child($0.key, $0.value, stream, values: values)
    }
  }

  private func membership(_ stream: Stream, values: [String], holes: [String]) -> Membership? {
    guard let list = node["list"] else { return nil }
    guard let table = list.text("table", .sqlName) ?? list.string else { return nil }
    guard PlainName.problem(table) == nil else { return nil }
    let columns: [Column]
    if let declared = list["columns"] {
      columns = ColumnReader(values: values, complaints: complaints).columns(declared)
    } else {
      columns = ownColumns(stream, values: values, holes: holes)
    }
    if list["columns"] == nil, let feed = stream.parent, feed.batch > 1 {
      complaints.add(
        list,
        "in a batch it is unknown which {\(feed.column)} returned a record; declare the"
          + " \"columns\" of the list, or remove the batch")
    }
    checkApart(list, columns, of: stream, holes: holes)
    let renamed = renamed(list, "names", of: table, beside: columns, key: stream.key)
    for name in columns.map(\.name) + renamed where name == "position" {
      complaints.add(list, "every list has a column \"position\" of its own; choose another name")
    }
    for column in columns where column.isVolatile {
      complaints.add(list, "a column of a list is part of its key and cannot be volatile")
    }
    return Membership(table: table, columns: columns, keyNames: renamed)
  }

  /// If a table cannot distinguish two lists, each would mark the other's records as gone.
  private func checkApart(
    _ list: JSON5Node, _ columns: [Column], of stream: Stream, holes: [String]
  ) {
    guard let vanish = node["vanish"], vanish.string != "keep" else { return }
    let told = columns.filter { $0.expression == nil }.flatMap { column -> [String] in
      switch column.source {
      case .parameter(let name): return [name]
      case .filled(let template): return template.holes.count == 1 ? template.holes : []
      default: return []
      }
    }
    let ofParent = stream.parent?.given ?? []
    let hidden = holes.first { hole in
      // Any carried value of the parent identifies it.
      if ofParent.containsBytes(hole) { return !told.contains(where: ofParent.containsBytes) }
      let parameter = names.parameters.first {
        $0.name == hole || $0.splits?.holes.containsBytes(hole) ?? false
      }
      guard let parameter, !told.containsBytes(hole) else { return false }
      return !told.containsBytes(parameter.name) && parameter.defaults.count != 1
    }
    guard let hidden else { return }
    complaints.add(
      list["columns"] ?? list,
      "vanish: no column of the list has {\(hidden)} as it is, so that lists of different {\(hidden)} are one and"
        + " each marks the other's records; name it: \(hidden): \"{\(hidden)}\", or leave the columns out"
    )
  }

  /// The values of the request as columns: they distinguish this list from others.
  private func ownColumns(_ stream: Stream, values: [String], holes: [String]) -> [Column] {
    let parent = stream.parent.flatMap { names.stream($0.stream) }
    return values.filter { holes.containsBytes($0) }.map { value in
      let isCarried = stream.parent?.given.containsBytes(value) ?? false
      let kind = isCarried ? parent?.kind(of: value) : nil
      return Column(name: value, source: .parameter(value), kind: kind ?? .text)
    }
  }

  private func child(
    _ table: String, _ node: JSON5Node, _ stream: Stream, values: [String]
  ) -> ChildTable? {
    let columns = ColumnReader(values: values, complaints: complaints).columns(node["columns"])
    let declared = node.entries("columns").map(\.key)
    complaints.expect(node["key"]?.elements ?? [], among: declared) {
      "the key names \"\($0)\", which is not a column of \(table)"
    }
    for column in columns where column.source == .memberName {
      complaints.add(
        node["columns"]?[column.name],
        "name() is for records: an entry of a nested list has none; a column \"as json\" stores the"
          + " object with its names"
      )
    }
    let isShared = node["shared"]?.boolean ?? false
    if isShared, let parent = node["parent"] {
      complaints.add(parent, "an entry that many records share has no parent; take \"parent\" away")
    }
    let parents =
      isShared ? [] : renamed(node, "parent", of: table, beside: columns, key: stream.key)
    guard let records = node.path("records"), let key = node["key"]?.scalarTexts, !columns.isEmpty
    else { return nil }
    return ChildTable(
      table: table, records: records, key: key, parentKeyNames: parents, columns: columns)
  }

  /// The record's key under another table's names.
  private func renamed(
    _ node: JSON5Node, _ what: String, of table: String, beside columns: [Column], key: [String]
  ) -> [String] {
    for member in node.entries(what) {
      complaints.expect(
        member.key, in: key, at: member.value,
        "\(what): \"\(member.key.shown)\" is not part of the key")
    }
    let renamed = key.map { node[what]?[$0]?.string ?? $0 }
    for name in columns.map(\.name) where renamed.containsBytes(name) {
      complaints.add(
        node,
        "the table \(table) would have two columns \"\(name)\"; give the record's key another"
          + " name there: \(what): { \(key[0]): \"…\" }")
    }
    return renamed
  }
}
