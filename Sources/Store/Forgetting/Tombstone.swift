internal import Base

/// What is left of a forgotten record: the digest of its key, which the evidence of pages has too,
/// and the time. So a proof knows why the key has no row.
struct Tombstone {
  let table: String
  let digest: UInt64
  let at: Instant
  /// A page that returns the record stores it again.
  var mayReturn: Bool

  init(_ table: String, _ digest: UInt64, at: Instant, mayReturn: Bool) {
    (self.table, self.digest, self.at, self.mayReturn) = (table, digest, at, mayReturn)
  }

  /// Nil: the row is damaged, which every proof reports.
  fileprivate init?(_ subject: String, _ fact: SQLValue) {
    let parts = subject.split(separator: " ")
    let fields = FactFields(fact)
    guard parts.count == 2, let digest = UInt64(parts[1], radix: 16), let at = fields.instant("at")
    else { return nil }
    self.init(String(parts[0]), digest, at: at, mayReturn: fields.flag("returns") ?? false)
  }

  func key(of job: String) -> FactKey {
    FactKey(.forgotten, job: job, "\(table) \(Hexadecimal.text(digest))")
  }

  var fact: FactFields { ["at": .text(at.description), "returns": mayReturn ? 1 : nil] }

  static func all(of job: String, _ connection: Connection) throws(SQLiteError) -> [Tombstone] {
    try connection.facts(FactKey(.forgotten, job: job)).compactMap {
      Tombstone($0.subject, $0.fact)
    }
  }
}

/// The records of a table that pages may not store again: another process may forget one during a
/// run.
final class ForgottenKeys {
  private let job, table: String
  private var keys: Set<UInt64> = []
  /// The file's version when it was last read; nil: read again.
  private var version: Int64?

  init(job: String, table: String) { (self.job, self.table) = (job, table) }

  /// Call it in the transaction that stores records.
  func follow(_ connection: Connection) throws(SQLiteError) {
    let found = try connection.integer("PRAGMA data_version")
    guard version == nil || found != version else { return }
    let all = try Tombstone.all(of: job, connection)
    keys = Set(all.filter { $0.table == table && !$0.mayReturn }.map(\.digest))
    version = found
  }

  /// After this connection wrote tombstones, which its `data_version` does not show.
  func reload() { version = nil }

  func holds(_ key: @autoclosure () -> UInt64) -> Bool { !keys.isEmpty && keys.contains(key()) }
}

/// The tombstones of a file, for code that looks for the rows of keys.
struct Tombstones {
  private(set) var tables: [String: (keys: [UInt64], lastAt: Instant, job: String)] = [:]

  private static func all(
    _ connection: Connection
  ) throws(SQLiteError) -> [(job: String, stone: Tombstone)] {
    try connection.rows(
      "SELECT job, subject, fact FROM trawl_facts WHERE kind = 'forgotten' ORDER BY job, subject",
      as: { (job: String, subject: String, fact: SQLValue) in
        Tombstone(subject, fact).map { (job: job, stone: $0) }
      }
    ).compactMap(\.self)
  }

  /// Tombstones of records that no page may store again.
  static func staying(
    _ connection: Connection
  ) throws(SQLiteError) -> [(job: String, stone: Tombstone)] {
    // An older database has no such table.
    if try connection.columns(of: Book.facts.name).isEmpty { return [] }
    return try all(connection).filter { !$0.stone.mayReturn }
  }

  init(_ choice: ProofChoice, _ connection: Connection) throws(SQLiteError) {
    for (job, one) in try Self.all(connection) where choice.takes(job: job) {
      var known = tables[one.table] ?? ([], one.at, job)
      known.keys.append(one.digest)
      known.lastAt = max(known.lastAt, one.at)
      tables[one.table] = known
    }
  }

  /// How many keys of a walk have no row because their records were forgotten.
  func count(in walked: KeySet, besides listed: KeySet, of table: String) -> Int {
    (tables[table]?.keys ?? []).count { walked.contains($0) && !listed.contains($0) }
  }
}
