internal import Base
internal import Walk

/// A unit this run is working on.
final class OpenUnit {
  let id: Int64
  let list: Int64
  let unit: Unit
  let plan: StreamPlan
  let run: Int64
  let prints: Fingerprints
  /// The unit's own values and those that its parent or the job adds.
  let parameters: [ParameterValue]
  var traversal: Int64
  var beganAt: String
  /// The last change of records before the walk; 0: unknown, since another run began it.
  var beganAfter: Int64 = 0
  /// Walks of it have been certified.
  var hasCertificates = false
  /// Its certificates, newest first; nil: to be read again.
  var filed: [StoredCertificate]?
  /// Digests of all keys of the walk so far.
  var seen = KeySet()
  /// How keys were written, if not as they are stored.
  var spellings = KeySpellings()
  /// Digests of the rejected records by key, so that two records with one key are both kept.
  var rejected: [UInt64: UInt64] = [:]
  /// Sum of the pages that count, and the highest ordinal among them.
  var received = 0
  var lastOrdinal = 0
  /// Records that the API itself has said are gone, one by one.
  var confirmed = 0
  /// Different records of the walk that this run has stored.
  var kept = 0
  /// Rows that look gone but are too many to be plausible, if the walk proves nothing.
  var withheld = 0
  /// The walk's rules, and what it was handed: stored with the next answer.
  var rules: (digest: UInt64, text: String)?
  var handed: Handed?
  /// The last walk that reached the list's end, as this one knows it.
  var whole: Int?
  /// Slots of the columns that most of its rows have filled.
  var filled: [Int] = []
  /// By their names, how many records without them show that they are empty; below zero: "" and [] are without them, too.
  var enough: [String: Int] = [:]
  /// Those that nearly all rows have, be it as "" or [].
  var always: Set<String> = []
  /// What may come empty: these, and nested lists.
  var filledParts: [String] { filled.map { plan.names[$0] } + plan.children.map(\.part) }
  /// Those that a record of this walk has.
  var shown: Set<String> = []
  /// How many records of this walk came without a part, how many of their rows have it, and how many are new.
  typealias Lost = (rows: Int, lost: Int, new: Int)
  /// Counted while no record has the part.
  var lost: [String: Lost] = [:]
  /// What it begins with: single answers of earlier walks.
  var lostBefore: [String: Lost] = [:]
  /// What pages came without, and no record has shown since.
  var emptied: Set<String> = []
  /// Those among them with which the next walk begins.
  var lasting: Set<String> = []
  /// Nested lists that a person has accepted as empty.
  var acceptsEmpty: [String] = []
  /// It compares rows by their values: their digests do not show what another program changed.
  var readsAll = false
  /// Answers of stored pages; nil: each answer is read.
  var known: KnownAnswers?
  /// The keys of the page with this ordinal: the next page may begin with some of them.
  var lastKeys: (ordinal: Int, keys: [UInt64]) = (0, [])

  init(
    id: Int64, list: Int64, unit: Unit, plan: StreamPlan, run: Int64, prints: Fingerprints,
    parameters: [ParameterValue], traversal: Int64, beganAt: String
  ) {
    self.id = id
    self.list = list
    self.unit = unit
    self.plan = plan
    self.run = run
    self.prints = prints
    self.parameters = parameters
    self.traversal = traversal
    self.beganAt = beganAt
  }

  /// Its certificates, newest first.
  func certificates(_ connection: Connection) throws(SQLiteError) -> [StoredCertificate] {
    if let filed { return filed }
    let all = try StoredCertificate.all(of: id, connection)
    filed = all
    return all
  }

  /// What names its pages.
  var walk: [SQLValue] { [.integer(id), .integer(traversal)] }

  /// Where the coverage of its window ends: a walk covers nothing that came after it began.
  func coverageEnd(
    of window: TimeWindow, _ certificate: Certificate, issuedAt: Instant
  ) -> Instant {
    certificate.coverageEnd(
      min(window.to, Instant(stored: beganAt) ?? window.to), issuedAt: issuedAt)
  }

  /// Whether another list of its table, from the same columns, has the same values in them.
  func sharesPlace(_ connection: Connection) throws(SQLiteError) -> Bool {
    guard plan.list != nil else { return false }
    return try connection.has(
      "trawl_lists l JOIN trawl_lists o ON o.list_table = l.list_table "
        + "AND o.list_where = l.list_where AND o.list_part IS l.list_part "
        + "AND o.list_number <> l.list_number WHERE l.list_number = ?", [.integer(list)])
  }

  /// Drops what is known of the walk, after a rollback or for a new walk: keys are read again from the pages.
  func forget() {
    seen = KeySet()
    spellings = KeySpellings()
    rejected = [:]
    received = 0
    lastOrdinal = 0
    lastKeys = (0, [])
    confirmed = 0
    kept = 0
    withheld = 0
    (shown, lost, emptied) = ([], lostBefore, lasting)
  }

  /// The key of a fact about its list.
  func fact(_ kind: FactKind, _ subject: String = "") -> FactKey {
    FactKey(kind, job: plan.job, stream: plan.stream.name, list: list, subject)
  }

  /// Rules are stored once, however many walks follow them.
  func keepRules(_ connection: Connection) throws(SQLiteError) {
    guard let rules, try connection.fact(.rules(rules.digest)) != .text(rules.text) else { return }
    try connection.note(.rules(rules.digest), .text(rules.text))
  }
}

/// Digests as the database keeps them: 8 bytes each, little-endian.
enum KeyBlob {
  static func bytes(_ keys: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(keys.count * 8)
    for key in keys { withUnsafeBytes(of: key.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }

  static func keys(_ bytes: UnsafeRawBufferPointer?) -> [UInt64] {
    guard let bytes else { return [] }
    return (0..<bytes.count / 8).map {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
    }
  }

  static func digest(_ keys: [UInt64]) -> UInt64 {
    var digest = Digest64()
    for key in keys { withUnsafeBytes(of: key.littleEndian) { digest.add($0) } }
    return digest.value
  }
}
