internal import Base

/// Tables whose rows are not what the job file means now.
extension Migration {
  /// Why its rows are not what the job file means; nil: they are.
  func whyOthers(_ table: TableDesign, _ old: OldTable) throws(SQLiteError) -> String? {
    if try refersElsewhere(table, old) { return "names records of another table now" }
    if old.key != table.key { return "has another key now" }
    return try keepsKeys(table, old)
      ? nil : "has a key of another type now, which not all rows fit"
  }

  /// Whether rows name existing rows of a table that is no longer referenced, or rows that were set aside.
  private func refersElsewhere(_ table: TableDesign, _ old: OldTable) throws(SQLiteError) -> Bool {
    if !design.recordTables(of: table.name).isDisjoint(with: aside) { return true }
    for reference in table.references {
      guard let target = old.targets[reference.columns], target != reference.table else { continue }
      if try !connection.columns(of: target).isEmpty { return true }
    }
    return false
  }

  /// Whether each row has a key of the new type that no other row has.
  private func keepsKeys(_ table: TableDesign, _ old: OldTable) throws(SQLiteError) -> Bool {
    var isSame = true
    let keys = table.key.map { name in
      guard let before = old.column(name)?.type, let now = table.column(name)?.type, before != now
      else { return SQLName.quoted(name) }
      isSame = false
      return Self.conversion(of: SQLName.quoted(name), from: before, to: now)
    }
    if isSame { return true }
    let own = SQLName.quoted(table.name)
    return try !connection.has(
      "(SELECT 1 FROM \(own) GROUP BY \(keys.joined(separator: ", ")) HAVING count(*) > 1) "
        + "UNION ALL SELECT 1 FROM \(own) WHERE \(keys.map { "(\($0)) IS NULL" }.joined(separator: " OR "))"
    )
  }

  /// Keeps the old rows in a table of another name, which refers to no table, and to which none refers.
  mutating func setAside(_ name: String, _ why: String) throws {
    var number = 1
    while try connection.has(
      "sqlite_schema WHERE name = ?", [.text("\(name)_before_\(number)")])
    { number += 1 }
    let aside = "\(name)_before_\(number)"
    try connection.execute(
      "CREATE TABLE \(SQLName.quoted(aside)) AS SELECT * FROM \(SQLName.quoted(name)); "
        + "DROP TABLE \(SQLName.quoted(name))")
    messages.append(
      "\(name) \(why); its old rows are in \(aside), which neither retain nor forgetting reaches: "
        + "drop it when it is not needed")
  }

  /// Notes the members of a list whose rows are set aside: no row shows any longer that they were in it.
  func noteMembers(of list: TableDesign, _ old: OldTable) throws(SQLiteError) {
    for stream in design.job.streams where stream.marksVanished {
      guard let membership = stream.membership, design.fullName(membership.table) == list.name,
        membership.keyNames.allSatisfy({ old.column($0) != nil })
      else { continue }
      try ListedRecords.noteErased(
        membership.keyNames, SQLName.quoted(list.name), of: design.fullName(stream.table),
        design.job.name, connection)
    }
  }
}
