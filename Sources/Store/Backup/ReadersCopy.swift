public import Base

/// A copy of the records for other programs: tables of records and lists, and `items`, without the
/// book, digests and log, so that it opens in read-only places. Times and dates have declared
/// types, and lists have foreign keys to their records.
public struct ReadersCopy: Sendable {
  /// "TrRd": distinguishes such a copy from a database.
  static let applicationID: Int64 = 0x5472_5264
  /// Readable by other users.
  public static let rights: UInt32 = FileRights.isPrivate ? 0o600 : 0o644
  public static let items = "items"

  public struct Table: Sendable, Equatable {
    public var name: String
    public var job: String
    /// `records`, `list`, `child`, `history`; `items` for the table over all jobs.
    public var kind: String
    var key: [String]
    public var columns: [Column]
    var rows: Int
  }

  public struct Column: Sendable, Equatable {
    public var name: String
    public var type: String
    /// Where in the answer it comes from.
    public var source: String
  }

  public let tables: [Table]
  public let byteCount: Int64

  /// Rows of `items` are rows of other tables, so they are not counted.
  public var recordRows: Int {
    tables.filter { $0.kind != Self.items }.reduce(0) { $0 + $1.rows }
  }

  /// Writes the copy, and names it when it is complete. Blocks.
  /// - Parameter jobs: those whose files are known; they say what lists refer to.
  public static func write(
    of folder: DataFolder, at path: String, jobs: [Job], _ settings: RecordStore.Settings
  ) throws(StoreError) -> ReadersCopy {
    try ReplacedFile.check(path, besides: folder, applicationID, "copy for readers")
    let file = try DraftFile(for: path, rights: rights, settings.faults)
    var links: TableLinks = [:]
    for job in jobs { links.merge(try JobDesign(job).links, uniquingKeysWith: +) }
    // Its lock keeps a restore from replacing the file while it is attached below.
    let source = try DatabaseFile(folder: folder).open(for: .read, settings)
    defer { source.close() }
    let lost: [String]
    do { lost = try ViewDesign.lost(source) } catch {
      throw StoreError(error, on: folder.databasePath)
    }
    // The copy reads no other views.
    if let view = lost.first(where: { $0 == items || $0.hasSuffix(HistoryView.end) }) {
      throw StoreError(
        .damaged, folder.databasePath,
        "the view \(view) is missing, or not as Trawl made it: the next run of its job makes it again"
      )
    }
    let tables = try file.edit(reading: folder.databasePath) { connection throws(SQLiteError) in
      connection.tell(settings.mayGoOn)
      try Functions.define(on: connection)
      try connection.trustSchema()
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.skipCheckpointOnClose(true)
      try connection.run("ATTACH ? AS source", [.text(folder.databasePath)])
      try connection.enforceForeignKeys(false)
      try connection.run("BEGIN")
      let tables = try ReadersTables(connection: connection, links: links).copy()
      try connection.run("COMMIT")
      try connection.run("DETACH source")
      return tables
    }
    let bytes = file.byteCount
    try file.place()
    return ReadersCopy(tables: tables, byteCount: bytes)
  }
}

/// What the columns of each table refer to.
typealias TableLinks = [String: [TableDesign.Reference]]

extension JobDesign {
  /// All references between tables, including those that the database does not declare because a row may arrive before
  /// the one that it names.
  var links: TableLinks {
    var links: TableLinks = [:]
    for stream in job.streams {
      guard let membership = stream.membership, let records = table(fullName(stream.table)) else {
        continue
      }
      let list = fullName(membership.table)
      links[list, default: []].append(
        TableDesign.Reference(
          columns: membership.keyNames, table: records.name, to: records.key))
      guard let feed = stream.parent, let parent = job.stream(feed.stream) else { continue }
      for column in membership.columns {
        guard case .parameter(let name) = column.source else { continue }
        guard feed.given.contains(name), parent.key == [name] else { continue }
        links[list]?.append(
          TableDesign.Reference(
            columns: [column.name], table: fullName(parent.table), to: [name]))
      }
    }
    return links
  }
}
