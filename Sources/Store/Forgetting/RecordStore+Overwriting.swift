public import Base
internal import Glibc

/// The bytes of forgotten records. Even if SQLite overwrites what it deletes, copies of rows stay in gaps of pages
/// after moves from page to page, for one record in some hundred. So the file is rewritten.
extension RecordStore {
  private static let unwiped = FactKey(.unwiped)

  func noteUnwiped(_ files: [StoredImageRow]) throws(SQLiteError) {
    let known = Self.images(try connection.fact(Self.unwiped))
    let rows: [[SQLValue]] = (known + files).map { image in
      [.text(image.digest), .text(image.type), SQLValue(image.size)]
    }
    try connection.note(Self.unwiped, .text(rows.jsonText))
  }

  private static func images(_ fact: SQLValue?) -> [StoredImageRow] {
    // Our own text; a damaged one counts as empty, and every proof reports it.
    let root = fact?.text.flatMap(JSONValue.init(text:)) ?? .nothing
    return root.elements.map { image in
      StoredImageRow(
        digest: image[0]?.string ?? "", path: "", size: image[2]?.integer.map { Int($0) } ?? 0,
        type: image[1]?.string ?? "", width: 0, height: 0)
    }
  }

  /// The files of images that are still to be removed; nil: no bytes of forgotten records are left.
  public func unwipedFiles() throws(StoreError) -> [StoredImageRow]? {
    try guarded {
      guard let fact = try connection.fact(Self.unwiped) else { return nil }
      return try Self.images(fact).filter { image in
        try !connection.has("trawl_media WHERE digest = ?", [.text(image.digest)])
      }
    }
  }

  /// Temporary space for rewriting the file: the log holds all of it once.
  public func bytesToWipe() throws(StoreError) -> Int {
    try guarded {
      let pages = try connection.integer("PRAGMA page_count") ?? 0
      return Int(pages * (try connection.integer("PRAGMA page_size") ?? 0))
    }
  }

  /// How long to wait for readers that hold the log back.
  private static let readersWait = Duration.seconds(2)

  /// Rewrites the file, even while a run writes, and moves the log into it.
  /// - Returns: what still reads an older state, so that the log must stay; nil: done.
  public func wipe() throws(StoreError) -> String? {
    let held = try guarded { () -> String? in
      try ConnectionSettings.useTemporaryFiles(true, on: connection)
      // This setting cannot fail.
      defer { try? ConnectionSettings.useTemporaryFiles(false, on: connection) }
      try connection.run("VACUUM")
      try checkPlace()
      settings.faults.reach(.afterWiping)
      return try isLogMoved() ? nil : LogWatch.hold
    }
    if held == nil {
      try guarded { try ConnectionSettings.overwrite(true, on: connection) }
      try writeDurably { try connection.forget(Self.unwiped) }
      try guarded { try ConnectionSettings.overwrite(false, on: connection) }
    }
    return held
  }

  private func isLogMoved() throws(SQLiteError) -> Bool {
    // On a slow disk our own mover would pass for a reader. Later commits move the log themselves.
    connection.log.end()
    let limit = connection.wait.limit
    connection.wait.limit = min(limit, Self.readersWait)
    defer { connection.wait.limit = limit }
    return try connection.checkpoint(.truncate)
  }

  // MARK: copies

  /// Remembers where a copy is made, which need not be there yet, so that `trawl forget` can name it.
  /// - Returns: whether it was unknown.
  @discardableResult
  public func note(copy path: String) throws(StoreError) -> Bool {
    let (key, stamp) = (Self.key(ofCopy: path), now.description)
    return try write {
      let isNew = try connection.fact(key) == nil
      try connection.note(key, .text(stamp))
      return isNew
    }
  }

  /// No copy was made there.
  public func unnote(copy path: String) throws(StoreError) {
    try write { try connection.forget(Self.key(ofCopy: path)) }
  }

  private static func key(ofCopy path: String) -> FactKey {
    // A copy takes the place of a link.
    let folder = FolderNames.resolved(AtomicFile.folder(of: path))
    let name = path.split(separator: "/").last ?? ""
    return FactKey(.copy, folder.map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" } ?? path)
  }

  /// Copies that were made, and databases that a restore set aside.
  public func knownCopies() throws(StoreError) -> [String] {
    let own = FileIdentity(path: folder.databasePath)
    let noted = try guarded { try connection.facts(FactKey(.copy)).map(\.subject) }
    return noted.flatMap(Self.places).filter { FileIdentity(path: $0) != own } + folder.setAside()
  }

  /// A copy, what a kill left of it, and one that did not hold, as far as they are there; if none is, the path.
  public static func places(ofCopy path: String) -> [String] {
    let found = [path, path + AtomicFile.ending, path + BackupDraft.unproven]
      .filter { FileIdentity(path: $0) != nil }
    return found.isEmpty ? [path] : found
  }

  /// Whether a copy has one of the records; nil: it cannot be read as a database, or has the table
  /// by an earlier name.
  public nonisolated func holds(
    _ keys: [[SQLValue]], of table: KeyedTable, copy path: String
  ) -> Bool? {
    // Not a database, or not readable for us, or locked by who writes it.
    guard let connection = try? Connection(path, .readOnly, waiting: .zero) else { return nil }
    defer { connection.close() }
    let isThis = TableDesign.isThis(table.key.map(\.name))
    do throws(SQLiteError) {
      for key in keys
      where try connection.has("\(SQLName.quoted(table.name)) WHERE \(isThis)", key) { return true }
      return false
    } catch { return nil }
  }
}
