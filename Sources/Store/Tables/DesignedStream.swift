internal import Base

/// A stream and its tables as the job file designs them. They need not exist yet.
struct DesignedStream {
  let stream: Stream
  let table: TableDesign
  /// Its membership table, and that table's columns for the record's key.
  private let list: (name: String, keyNames: [String])?

  init(_ name: String, _ design: JobDesign) throws(StoreError) {
    guard let stream = design.job.stream(name) else {
      throw StoreError(.bug, "job \(design.job.name)", "stream \(name) was not designed")
    }
    self.stream = stream
    table = try design.designed(stream.table)
    list = stream.membership.map { (design.fullName($0.table), $0.keyNames) }
  }

  /// The part of the digests that only this stream fills, if other streams fill the table too.
  private var ownPart: Int? { table.part(of: stream.name) }

  private var isShared: Bool {
    table.columns.contains { !$0.writers.isEmpty && $0.writers != [stream.name] }
  }

  /// The condition for rows of the table `p` that this stream stored: its own part of the digests,
  /// or its list. Nil if the whole table is its own, or the rows cannot be distinguished.
  var ownCondition: String? {
    guard isShared else { return nil }
    if let ownPart { return TableDesign.has(part: ownPart, "p.") }
    guard let list else { return nil }
    let isSame = TableDesign.same(list.keyNames, of: "m", table.key, of: "p")
    return "EXISTS (SELECT 1 FROM \(SQLName.quoted(list.name)) m WHERE "
      + "m.vanished_at IS NULL AND \(isSame))"
  }

  /// Whether the database already has these columns, and those of the condition.
  func isThere(_ columns: [String], _ connection: Connection) throws(SQLiteError) -> Bool {
    func hasAll(_ names: [String], of table: String) throws(SQLiteError) -> Bool {
      let present = try connection.columns(of: table)
      return names.allSatisfy(present.contains)
    }
    guard try hasAll(columns + ["vanished_at"], of: table.name) else { return false }
    guard isShared, ownPart == nil, let list else { return true }
    return try hasAll(list.keyNames, of: list.name)
  }
}
