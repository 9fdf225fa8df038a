internal import Base

/// All tables of one job, and how its streams write them. That its streams agree about their tables is
/// known by the reading of its file.
struct JobDesign {
  let job: Job
  var tables: [TableDesign] = []

  init(_ job: Job) throws(StoreError) {
    self.job = job
    for name in job.streams.map(\.table).eachOnce {
      let streams = job.streams.filter { $0.table == name }
      tables.append(records(name, streams))
    }
    addChildren()
    addMemberships()
    indexChanges()
    try checkNames()
    try checkOwnNames()
  }

  func table(_ name: String) -> TableDesign? { tables.first { $0.name == name } }

  /// A table by the name that the job file has for it.
  func designed(_ table: String) throws(StoreError) -> TableDesign {
    if let found = self.table(fullName(table)) { return found }
    throw StoreError(.bug, "job \(job.name)", "the table \(table) was not designed")
  }

  func fullName(_ table: String) -> String { "\(job.tablePrefix)_\(table)" }

  /// The tables whose records the rows of a list or a nested list name.
  func recordTables(of table: String) -> Set<String> {
    let streams = job.streams.filter { stream in
      stream.membership.map { fullName($0.table) } == table
        || stream.children.contains {
          fullName($0.table) == table && !$0.parentKeyNames.isEmpty
        }
    }
    return Set(streams.map { fullName($0.table) })
  }

  /// Takes over the columns that the rows' seals cover beyond those of the design. Those of other programs are in none.
  mutating func noteKept(_ connection: Connection) throws(SQLiteError) {
    for index in tables.indices {
      let seal = try OldTable.parts(of: tables[index].name, connection)
        .first { $0.name == TableDesign.digests }
      tables[index].kept = (seal?.columns ?? []).filter { tables[index].column($0) == nil }
    }
  }

  private func fail(_ message: String) -> StoreError {
    StoreError(.job, "job \(job.name)", message)
  }

  private mutating func indexChanges() {
    for stream in job.streams where stream.isFollowed {
      let names =
        [stream.table] + stream.children.map(\.table)
        + [stream.membership?.table].compactMap(\.self)
      let own = Set(names.map(fullName))
      for place in tables.indices
      where own.contains(tables[place].name)
        && !tables[place].indexed.contains([TableDesign.change])
      {
        tables[place].indexed.append([TableDesign.change])
      }
    }
  }

  // MARK: Records

  /// Columns that the same streams write share one hash, so no stream can spoil another's; volatile
  /// ones have their own, so that their changes are separate.
  private struct Group: Hashable {
    var streams: [String]
    var isVolatile: Bool
  }

  private func records(_ table: String, _ streams: [Stream]) -> TableDesign {
    let first = streams[0]
    var columns: [TableDesign.Column] = []
    var groups: [(Group, [String])] = []
    for stream in streams {
      for column in stream.columns where !columns.contains(where: { $0.name == column.name }) {
        let writers = streams.filter { $0.column(column.name) != nil }
        let isKey = first.key.contains(column.name)
        columns.append(
          TableDesign.Column(
            name: column.name, type: column.kind.sqlType, isNeeded: isKey,
            comment: comment(column, writers), writers: writers.map(\.name)))
        if isKey { continue }
        let isVolatile = writers.contains { $0.column(column.name)?.isVolatile == true }
        let group = Group(streams: writers.map(\.name), isVolatile: isVolatile)
        if let place = groups.firstIndex(where: { $0.0 == group }) {
          groups[place].1.append(column.name)
        } else {
          groups.append((group, [column.name]))
        }
      }
    }
    let finders = streams.filter(\.takesAll).map(\.name)
    if groups.isEmpty, finders.isEmpty {
      groups.append((Group(streams: streams.map(\.name), isVolatile: false), []))
    }
    let keyFirst = first.key.compactMap { name in columns.first { $0.name == name } }
    let others = columns.filter { !first.key.contains($0.name) }
    var design = TableDesign(
      name: fullName(table), kind: .records, columns: keyFirst + others, key: first.key)
    design.parts = Self.parts(groups, key: first.key)
    if !finders.isEmpty {
      design.parts.append(TableDesign.Part(ofFound: finders, key: first.key))
    }
    design.columns += TableDesign.times + TableDesign.ownColumns
    design.indexed = parentLookups(table, first.key)
    for stream in streams where stream.membership == nil && stream.marksVanished {
      // Each of many lists looks for its own rows.
      let asked = first.key.filter { name in
        if case .parameter = stream.column(name)?.source { true } else { false }
      }
      if !asked.isEmpty, asked[0] != first.key[0], !design.indexed.contains(asked) {
        design.indexed.append(asked)
      }
    }
    for name in streams.flatMap(\.searchable) where !design.searched.contains(name) {
      design.searched.append(name)
    }
    return design
  }

  /// Each part covers the key, so that a damaged key is found as well.
  private static func parts(_ groups: [(Group, [String])], key: [String]) -> [TableDesign.Part] {
    groups.map { group, columns in
      TableDesign.Part(
        name: TableDesign.Part.name(group.streams)
          + (group.isVolatile ? TableDesign.Part.volatile : ""), columns: key + columns)
    }
  }

  private func comment(_ column: Base.Column, _ writers: [Stream]) -> String {
    let origins = writers.compactMap { $0.column(column.name) }.map { own in
      Field(own, isKey: false).origin + (own.expression.map { ", as \($0)" } ?? "")
    }
    let kind = column.kind == .text || column.kind.name == column.kind.sqlType.lowercased()
    return origins.eachOnce.joined(separator: "; ") + (kind ? "" : " (\(column.kind.name))")
  }

  /// Columns by which children are requested and that are not the key itself.
  private func parentLookups(_ table: String, _ key: [String]) -> [[String]] {
    var found: [[String]] = []
    for feed in job.streams.compactMap(\.parent) {
      guard let parent = job.stream(feed.stream), parent.table == table else { continue }
      if key.first != feed.column, !found.contains([feed.column]) { found.append([feed.column]) }
    }
    return found
  }

  /// Columns whose values the history of a table keeps.
  func volatileColumns(of records: String) -> [String] {
    job.streams.filter { fullName($0.table) == records }.flatMap(\.columns)
      .filter(\.isVolatile).map(\.name).eachOnce
  }

  // MARK: Tables beside the records

  /// The columns in which a stream names records of a table.
  private static func key(
    _ names: [String], of records: TableDesign, _ stream: Stream
  ) -> [TableDesign.Column] {
    zip(names, records.key).compactMap { name, key in
      records.column(key).map {
        TableDesign.Column(
          name: name, type: $0.type, isNeeded: true, comment: "\(key) of \(records.name)",
          writers: [stream.name])
      }
    }
  }

  private mutating func addChildren() {
    for stream in job.streams {
      guard let parent = table(fullName(stream.table)) else { continue }
      for child in stream.children where table(fullName(child.table)) == nil {
        let parentKeys = Self.key(child.parentKeyNames, of: parent, stream)
        let own = child.columns.map {
          TableDesign.Column(
            name: $0.name, type: $0.kind.sqlType, isNeeded: child.key.contains($0.name),
            comment: "\(child.records.text) . \(Field($0, isKey: false).origin)",
            writers: [stream.name])
        }
        let key = child.parentKeyNames + child.key
        var design = TableDesign(
          name: fullName(child.table), kind: .child, columns: parentKeys + own, key: key)
        if !child.parentKeyNames.isEmpty {
          design.references = [
            TableDesign.Reference(
              columns: child.parentKeyNames, table: parent.name, to: parent.key)
          ]
        }
        design.parts = [
          TableDesign.Part(
            name: stream.name, columns: key + own.map(\.name).filter { !key.contains($0) })
        ]
        design.columns += TableDesign.times + TableDesign.ownColumns
        tables.append(design)
      }
    }
  }

  private mutating func addMemberships() {
    for stream in job.streams {
      guard let membership = stream.membership else { continue }
      guard let records = table(fullName(stream.table)) else { continue }
      let name = fullName(membership.table)
      if let place = tables.firstIndex(where: { $0.name == name }) {
        // Filled from both ends: either column may name a record that is not stored yet.
        tables[place].references.removeAll { $0.columns != membership.keyNames }
        if !tables[place].indexed.contains(membership.keyNames) {
          tables[place].indexed.append(membership.keyNames)
        }
        continue
      }
      let own = membership.columns.map {
        TableDesign.Column(
          name: $0.name, type: $0.kind.sqlType, isNeeded: true,
          comment: Field($0, isKey: true).origin, writers: [stream.name])
      }
      let keys = Self.key(membership.keyNames, of: records, stream)
      var design = TableDesign(
        name: name, kind: .list, columns: own + keys, key: (own + keys).map(\.name))
      design.columns += [
        TableDesign.Column(
          name: "position", type: "INTEGER", comment: "in the list as it was read last, from 1"),
        TableDesign.Column(
          name: "first_seen_at", type: "TEXT", isNeeded: true,
          comment: "when the list first returned it"),
        TableDesign.Column(
          name: "vanished_at", type: "TEXT",
          comment: "when a whole read of the list no longer had it"),
      ]
      design.columns += TableDesign.ownColumns
      design.references = [
        TableDesign.Reference(
          columns: membership.keyNames, table: records.name, to: records.key)
      ]
      if !own.isEmpty { design.indexed = [membership.keyNames] }
      tables.append(design)
    }
  }

  /// The columns of lists are called as parameters are, and these may be called as columns of ours. SQLite treats `Id`
  /// and `id` as one.
  private func checkNames() throws(StoreError) {
    for table in tables {
      var seen: Set<String> = []
      for column in table.columns {
        let isOurs = column.writers.isEmpty
        let name = column.name.lowercased()
        if !isOurs, PlainName.reserved.contains(name) || name.hasPrefix("trawl_") {
          throw fail("column \(column.name) of \(table.name): the name is kept for Trawl itself")
        }
        guard seen.insert(name).inserted else {
          throw fail("table \(table.name) has two columns called \(column.name)")
        }
      }
    }
  }
}
