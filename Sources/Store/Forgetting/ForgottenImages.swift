internal import Base

/// The images of forgotten records: an address is deleted with its record unless another record has
/// it, and a file with its last address.
struct ForgottenImages {
  private let table: String
  private let connection: Connection
  private let roles: [String]
  private var identities: Set<ExactText> = []
  /// Deleted addresses.
  private(set) var released = 0

  init(of table: String, _ connection: Connection) throws(SQLiteError) {
    (self.table, self.connection) = (table, connection)
    // A picture that cannot be named would be left behind, and nothing would say so.
    roles = try RecordStore.pictured(connection, table, isStrict: true).flatMap(\.paths)
      .map { String($0.dropLast(ViewDesign.pathEnd.count)) }
  }

  /// Call it before the row is deleted.
  mutating func note(
    _ key: [SQLValue], _ text: String, _ isThis: String
  ) throws(SQLiteError) {
    if roles.isEmpty { return }
    let values = try connection.row(
      "SELECT * FROM \(SQLName.quoted(table)) WHERE \(isThis)", key
    ) { row in (0..<row.columnCount).compactMap { row.text($0) } }
    for value in (values ?? []) + [text] {
      identities.insert(ExactText(value))
      for role in roles { identities.insert(ExactText("\(table).\(role):\(value)")) }
    }
  }

  /// Call it after the rows are deleted. Returns the files to remove.
  mutating func release(of keys: Set<ExactText>) throws(SQLiteError) -> [StoredImageRow] {
    if roles.isEmpty { return [] }
    var found: [ExactText: Bool] = [:]
    let brought: [(String, String)] = try connection.rows(
      "SELECT identity, record_key FROM trawl_media_urls WHERE table_name = ?", [.text(table)])
    for (identity, key) in brought where keys.contains(ExactText(key)) {
      found[ExactText(identity)] = true
    }
    for identity in identities where found[identity] == nil {
      if try connection.has("trawl_media_urls WHERE identity = ?", [.text(identity.text)]) {
        found[identity] = false
      }
    }
    let shown = try SharedImages(besides: nil, connection).shown(among: Set(found.keys))
    for (identity, isOurs) in found {
      if let other = shown[identity] {
        if isOurs {
          try connection.set(
            Book.mediaURLs, other, where: "identity = ?", [.text(identity.text)])
        }
        continue
      }
      released += try connection.delete(
        Book.mediaURLs, where: "identity = ?", [.text(identity.text)])
    }
    // Also the bytes that one of the addresses had before: none leads to them.
    let files: [StoredImageRow] = try connection.rows(
      "SELECT \(StoredImageRow.columns) FROM trawl_media m WHERE NOT EXISTS "
        + "(SELECT 1 FROM trawl_media_urls u WHERE u.digest = m.digest)")
    for file in files { try RecordStore.forget(file.digest, connection) }
    return files
  }
}
