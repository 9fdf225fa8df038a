internal import Base

/// Small facts about a job, a stream, a list or the file: one row each.
extension Book {
  static let facts = BookTable(
    "trawl_facts", of: .stream,
    """
    kind TEXT NOT NULL, -- what it tells
    job TEXT NOT NULL, -- empty: of the file
    stream TEXT NOT NULL, -- empty: of all its streams
    list_number INTEGER NOT NULL, -- 0: of no single list
    subject TEXT NOT NULL, -- which of several of its kind
    fact ANY, -- a value, or several as JSON
    """, key: ["kind", "job", "stream", "list_number", "subject"], isWithoutRowid: true)
}

/// The kinds of facts.
enum FactKind: String, CaseIterable {
  /// How many rows a table of the book, or of nested lists, has: a seal shows that a row was changed, but only this
  /// shows that one is missing.
  case rows
  /// For a table that a single stream fills: how many of its records are not marked as gone.
  case present
  /// The sum of the sizes of all stored files.
  case bytes
  /// The last change number of records.
  case change
  /// Of a table: rises whenever the change numbers of its rows no longer show what a reader has of
  /// it.
  case generation
  /// The rules of walks as text, by digest, so that walks can be derived again without their job.
  case rules
  /// Of a table of records: some are in no list any more, but do not count as gone yet.
  case left
  /// The account that requests a job's lists, and how many others did before.
  case asker
  /// The clocks of a job's API and ours have agreed before.
  case clock
  /// What the signs in a stream's answers have shown, by the digest of its request.
  case signs
  /// When a list was last as good as before, and the measures for that.
  case course
  /// A problem of the job itself or its machine, by `Trouble`: since when, and when it was last
  /// seen.
  case trouble
  /// The same for what keeps a job's runs from beginning: at most one, and gone once a run begins.
  case refused
  /// The job's own rule by which its last run refused images.
  case images
  /// Records per second of a list, from its last windows: sets the width of the next one.
  case density
  /// The run in which a stream began its current round of requesting every parent.
  case round
  /// Of a stream that is requested for each record of another: the fingerprint of its request.
  case request
  /// Of such a stream: the stream of these records.
  case parent
  /// Of a stream: the lists that the job's own values named last.
  case named
  /// Of a list: the records that look gone, and for how many walks in a row they have.
  case absent
  /// The columns that most rows of a list have filled, at its last proven end, and what came empty since.
  case filled
  /// A member of the stream's records that no column reads, and when it was first seen.
  case field
  /// The path of a column, by its name, once records have filled it or proved to lack it.
  case column
  /// A row of a watched query, or the watch itself.
  case watched
  /// By the table and the digest of its key: a record that was forgotten, and when.
  case forgotten
  /// Records were forgotten, but their bytes are not overwritten yet; holds the files of their images.
  case unwiped
  /// A backup or another copy of records, by its path: `trawl forget` names it.
  case copy
  /// Of a table: its records are kept for a limited time.
  case retained
  /// Of a table and a day: digests of the keys on that day's deleted pages.
  case seen

  /// Whether the fact is deleted on an occasion.
  func goes(on occasion: BookTable.Occasion) -> Bool {
    switch self {
    case .rows, .present, .bytes, .change, .generation, .rules, .unwiped, .copy: false
    // A user's decision outlives the records.
    case .forgotten: false
    case .signs, .clock, .trouble, .refused, .density, .round, .request, .named, .absent:
      occasion == .resetRecords || occasion == .resetCoverage
    case .course, .filled, .field, .column, .watched, .asker, .left, .retained, .seen, .parent,
      .images:
      occasion == .resetRecords
    }
  }
}

/// What a fact is about.
struct FactKey: Hashable {
  var kind: FactKind
  var job = ""
  var stream = ""
  var list: Int64 = 0
  var subject = ""

  init(
    _ kind: FactKind, job: String = "", stream: String = "", list: Int64 = 0, _ subject: String = ""
  ) {
    (self.kind, self.job, self.stream, self.list, self.subject) = (kind, job, stream, list, subject)
  }

  static func rules(_ digest: UInt64) -> FactKey { FactKey(.rules, Hexadecimal.text(digest)) }

  fileprivate var values: Connection.Values {
    [
      ("kind", .text(kind.rawValue)), ("job", .text(job)), ("stream", .text(stream)),
      ("list_number", .integer(list)), ("subject", .text(subject)),
    ]
  }

  fileprivate static let isThis =
    "kind = ? AND job = ? AND stream = ? AND list_number = ? AND subject = ?"
}

extension Connection {
  /// Nil if it is not known.
  func fact(_ key: FactKey) throws(SQLiteError) -> SQLValue? {
    try row("SELECT fact FROM trawl_facts WHERE \(FactKey.isThis)", key.values.map(\.value))
  }

  /// All facts of a kind, by their subjects.
  func facts(_ key: FactKey) throws(SQLiteError) -> [(subject: String, fact: SQLValue)] {
    try rows(
      "SELECT subject, fact FROM trawl_facts WHERE kind = ? AND job = ? AND stream = ? "
        + "AND list_number = ? ORDER BY subject", key.values.dropLast().map(\.value),
      as: { (subject: String, fact: SQLValue) in (subject, fact) })
  }

  /// Digests that a fact keeps.
  func keys(_ key: FactKey) throws(SQLiteError) -> KeySet {
    guard case .blob(let bytes)? = try fact(key) else { return KeySet() }
    return KeySet(bytes.withUnsafeBytes { KeyBlob.keys($0) })
  }

  func note(_ key: FactKey, _ fact: SQLValue) throws(SQLiteError) {
    try put(Book.facts, key.values + [("fact", fact)], ifOther: ["fact"])
  }

  /// Digests; none of them, no fact.
  func note(_ key: FactKey, _ keys: KeySet) throws(SQLiteError) {
    if keys.count == 0 { return try forget(key) }
    try note(key, .blob(KeyBlob.bytes(keys.inOrder)))
  }

  func note(_ key: FactKey, _ fields: FactFields) throws(SQLiteError) {
    try note(key, fields.fact)
  }

  /// Adds to a fact that counts.
  func add(_ number: Int, to key: FactKey) throws(SQLiteError) {
    try update(
      Book.facts, [("fact", "fact + ?")], where: FactKey.isThis,
      [SQLValue(number)] + key.values.map(\.value))
  }

  func forget(_ key: FactKey) throws(SQLiteError) {
    try delete(Book.facts, where: FactKey.isThis, key.values.map(\.value))
  }
}

extension Int64 {
  /// The number after a stored one. No counter reaches the largest number: where it is stored, the row is damaged.
  func nextStored() throws(SQLiteError) -> Int64 {
    guard self < .max else {
      throw SQLiteError(code: 11, message: "trawl_facts holds a count that is too large to be true")
    }
    return self + 1
  }
}
