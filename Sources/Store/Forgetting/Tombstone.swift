internal import Base

/// What is left of a forgotten record: the digest of its key, which the evidence of pages has too,
/// and the time. So a proof knows why the key has no row.
struct Tombstone {
  let job, table: String
  let digest: UInt64
  let at: Instant
  /// A page that returns the record stores it again.
  var mayReturn: Bool

  var key: FactKey { FactKey(.forgotten, job: job, "\(table) \(Hexadecimal.text(digest))") }

  var fact: FactFields { ["at": .text(at.description), "returns": mayReturn ? 1 : nil] }

  /// - Parameter job: nil: all of them.
  static func all(
    of job: String? = nil, _ connection: Connection
  ) throws(SQLiteError) -> [Tombstone] {
    try connection.rows(
      "SELECT job, subject, fact FROM trawl_facts WHERE kind = 'forgotten'"
        + "\(job == nil ? "" : " AND job = ?") ORDER BY job, subject",
      job.map { [.text($0)] } ?? [], as: Tombstone.init(_:_:_:)
    ).compactMap(\.self)
  }
}

extension Tombstone {
  /// Nil: the row is damaged, which every proof reports.
  fileprivate init?(_ job: String, _ subject: String, _ fact: SQLValue) {
    let parts = subject.split(separator: " ")
    let fields = FactFields(fact)
    guard parts.count == 2, let digest = UInt64(parts[1], radix: 16), let at = fields.instant("at")
    else { return nil }
    self.init(
      job: job, table: String(parts[0]), digest: digest, at: at,
      mayReturn: fields.flag("returns") ?? false)
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
