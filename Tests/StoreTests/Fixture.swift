internal import Glibc
import Base
import Store
import TestSupport
@testable import Walk
internal import Testing

/// A data folder, a clock and a job like GitHub's, with shorthands for what every test does.
struct Fixture {
  let scratch = ScratchFolder()
  let time = VirtualTime()
  var folder: DataFolder { get throws { try DataFolder(creating: "\(scratch.path)/data") } }

  static let origin = Origin(scheme: "https", host: "api.example.org", port: 443)
  static let prints = Fingerprints(request: 1, mapping: 1)

  var settings: RecordStore.Settings {
    RecordStore.Settings(time: time.timekeeper, waitMax: .seconds(600))
  }

  func open(
    _ job: Job = .people(), with change: (inout RecordStore.Settings) -> Void = { _ in }
  ) async throws -> RecordStore {
    var settings = settings
    change(&settings)
    let store = try await RecordStore.open(folder, settings)
    try await store.adopt(job)
    return store
  }

  /// As a command does that works on no job.
  func openBare() async throws -> RecordStore { try await RecordStore.open(folder, settings) }

  func openForReading() async throws -> RecordStore {
    try await RecordStore.openForReading(folder, settings)
  }

  /// With a walk of one page of followers.
  func walked(_ ids: some Sequence<Int>) async throws -> RecordStore {
    let store = try await open()
    try await store.walk([people(ids)])
    return store
  }

  /// With a walk over the list of a job that `Job.things` made.
  func walked(_ job: Job, _ pages: String...) async throws -> RecordStore {
    let store = try await open(job)
    try await store.walk(pages, stream: "all", of: job.name, values: [])
    return store
  }

  /// The proof of a store that is not open.
  func prove() async throws -> Proof {
    let store = try await openForReading()
    let proof = try await store.prove()
    await store.close()
    return proof
  }

  /// A backup of the folder as it is now.
  func backUp(to name: String = "backup.db") throws -> String {
    let path = "\(scratch.path)/\(name)"
    let draft = try BackupDraft(of: folder, at: path, settings)
    try draft.add(ledger: nil, program: "test")
    try draft.place()
    return path
  }

  /// Puts a backup in the place of the database, and returns what the restore has to tell.
  @discardableResult
  func restore(_ backup: String) async throws -> RestoreDraft {
    let draft = try RestoreDraft(from: backup, into: folder, settings)
    #expect(try await draft.prove().findings == [])
    _ = try draft.place()
    return draft
  }

  @discardableResult
  func readersCopy(_ jobs: [Job] = []) throws -> ReadersCopy {
    try ReadersCopy.write(of: folder, at: readersPath, jobs: jobs, settings)
  }

  var readersPath: String { "\(scratch.path)/readers.db" }

  /// What a follower of a table receives, and where it goes on.
  func follow(
    _ table: String, after cursor: FollowCursor? = nil
  ) throws -> (rows: [[SQLValue]], following: Following) {
    var rows: [[SQLValue]] = []
    let query = try ReadingQuery(folder, settings) { false }
    let following = try query.follow(table, after: cursor, columns: { _ in }) { row in
      rows.append(row)
      return true
    }
    return (rows, following)
  }

  /// Tables of the book that have rows.
  func filledTables() throws -> [String] {
    try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'trawl_*' ORDER BY name"
    ).filter { try one("SELECT 1 FROM \($0) LIMIT 1") != nil }
  }

  /// The keys of what is marked as gone.
  func gone(_ table: String = "people_users", _ key: String = "id") throws -> [String] {
    try rows("SELECT \(key) FROM \(table) WHERE vanished_at IS NOT NULL ORDER BY 1")
  }

  /// What any reader sees, through a separate connection.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    let connection = try Connection(folder.databasePath, .readOnly)
    defer { connection.close() }
    return try body(connection)
  }

  /// The schema, its version, and all rows of all tables but these.
  func everything(besides left: Set<String> = []) throws -> [String] {
    let tables = try rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return try rows("SELECT type, name, sql FROM sqlite_schema ORDER BY name, type")
      + rows("PRAGMA user_version")
      + tables.filter { !left.contains($0) }.flatMap { table in
        try rows("SELECT * FROM \"\(table)\"").map { "\(table): \($0)" }
      }
  }

  /// All rows of these tables, whatever their order.
  func sorted(_ tables: [String]) throws -> [String] {
    try tables.flatMap { table in
      try rows("SELECT * FROM \(table)").sorted().map { "\(table)|\($0)" }
    }
  }

  /// Rows as text, values joined by `|`, NULL as `-`.
  func rows(_ sql: String) throws -> [String] {
    try Database(folder.databasePath).rows(sql, null: "-")
  }

  func one(_ sql: String) throws -> String? { try rows(sql).first }

  /// Changes the file directly: for damage, or for what the store does not offer.
  func alter(_ sql: String) throws { try Database(folder.databasePath).change(sql) }

  /// Copies a database that is not open.
  func copyDatabase(from source: String, to target: String) throws {
    for end in ["-wal", "-shm"] { unlink(target + end) }
    let connection = try Connection(source, .readWrite)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    Golden.write(try Self.bytes(of: source), to: target)
  }

  /// The database as it is on the disk, without its log.
  func bytes() throws -> [UInt8] { try Self.bytes(of: folder.databasePath) }

  static func bytes(of path: String) throws -> [UInt8] { try #require(Golden.bytes(path)) }
}

/// Counts how often a store reports its work, which is once for so many steps of SQLite.
struct Reports {
  private let count = Locked(0)

  func open(_ fixture: Fixture) async throws -> RecordStore {
    try await fixture.open(with: watch)
  }

  func watch(_ settings: inout RecordStore.Settings) {
    settings.onWork = { [count] in count.withLock { $0 += 1 } }
  }

  /// Since the last call.
  func taken() -> Int {
    count.withLock { count in
      defer { count = 0 }
      return count
    }
  }
}

extension RecordStore {
  /// Takes a job from the tests' origin, and returns what is told of its tables.
  @discardableResult
  func adopt(_ job: Job) throws(StoreError) -> [String] { try adopt(job, origin: Fixture.origin) }

  func newRun(of job: String = "people") throws(StoreError) -> RunID {
    try beginRun(job: job, command: "run", arguments: [])
  }

  /// A table of records by its full name.
  func keyedTable(_ name: String) throws -> KeyedTable {
    let found = try keyedTables().first { $0.name == name }
    return try #require(found)
  }

  /// Opens a unit of `people` in this run or in one of its own, and stores pages of JSON records there, from page 1.
  @discardableResult
  func store(
    _ pages: [String], stream: String = "followers", of job: String = "people",
    values: [ParameterValue] = .user(1), window: TimeWindow? = nil,
    prints: Fingerprints = Fixture.prints, run: RunID? = nil
  ) async throws -> (UnitID, [PageReceipt]) {
    let unit = Unit(stream: stream, values: values, window: window)
    let opening = try await openAnswers(unit, of: job, prints: prints, run: run)
    var receipts: [PageReceipt] = []
    for (index, page) in pages.enumerated() {
      receipts.append(try await commit(try Page(page), step: Step(page: index + 1), of: opening.id))
    }
    return (opening.id, receipts)
  }

  /// The same, with a certificate at the end.
  @discardableResult
  func walk(
    _ pages: [String], stream: String = "followers", of job: String = "people",
    values: [ParameterValue] = .user(1), verdict: Verdict = .complete,
    rule: StopRule = .singleAnswer, proofs: [ProofKind] = [.oneAnswer], accept: Bool = false,
    prints: Fingerprints = Fixture.prints, run: RunID? = nil
  ) async throws -> (CertifiedUnit, [PageReceipt]) {
    let (id, receipts) = try await store(
      pages, stream: stream, of: job, values: values, prints: prints, run: run)
    let certificate = Certificate(receipts, verdict: verdict, rule: rule, proofs: proofs)
    return (
      try await certifyAnswers(id, certificate, acceptVanishing: accept ? .max : nil), receipts
    )
  }

  /// The same for the list of the job that `Job.things` makes.
  @discardableResult
  func store(things pages: String...) async throws -> (UnitID, [PageReceipt]) {
    try await store(pages, stream: "all", of: "box", values: [])
  }

  @discardableResult
  func walk(
    things pages: String..., verdict: Verdict = .complete, rule: StopRule = .singleAnswer,
    accept: Bool = false, prints: Fingerprints = Fixture.prints
  ) async throws -> (CertifiedUnit, [PageReceipt]) {
    try await walk(
      pages, stream: "all", of: "box", values: [], verdict: verdict, rule: rule, accept: accept,
      prints: prints)
  }
}

extension ImageOutcome {
  /// A small image that was stored.
  static func stored(_ identity: String, _ digest: String, at path: String? = nil) -> ImageOutcome {
    let image = StoredImageRow(
      digest: digest, path: path ?? "media/\(digest).png", size: 5, type: "image/png", width: 1,
      height: 1)
    return .stored(identity: identity, image, status: 200, etag: nil, lastModified: nil)
  }
}

extension Proof {
  /// Whether all holds except verdicts, which the test itself has made.
  var rowsHold: Bool { findings.allSatisfy { $0.table == "trawl_certificates" } }
}

/// Tests store single answers, each whole by itself, so that their proof can be derived from any content.
extension RecordStore {
  private static var answers: WalkRules {
    var rules = WalkRules(
      Stream(
        name: "answers", path: Template([]), pager: .single, records: path(""), table: "answers",
        key: [], columns: []))
    rules.isBatch = true
    return rules
  }

  /// - Parameter run: nil: one of its own.
  func openAnswers(
    _ unit: Unit, of job: String, prints: Fingerprints = Fixture.prints, run: RunID? = nil,
    readsAll: Bool = false, asWalk: Bool = false
  ) async throws -> UnitOpening {
    let own = try run ?? newRun(of: job)
    let opening = try await openUnit(unit, of: job, prints: prints, run: own, readsAll: readsAll)
    var rules = Self.answers
    rules.isBatch = !asWalk
    try begin(rules, Handed(rules: rules.digest), of: opening.id)
    return opening
  }

  func certifyAnswers(
    _ id: UnitID, _ certificate: Certificate, asked: [String] = [],
    open: Set<ProofKind>? = nil, acceptVanishing: Int? = nil
  ) async throws -> CertifiedUnit {
    var certificate = certificate
    var missed = BatchAnswers.Missed()
    if certificate.verdict.isWhole || certificate.verdict == .incomplete {
      // Single answers end so; how a walk stopped before is what a test is about.
      let ends: [StopRule] = [.noNextPage, .emptyPage, .moreFlag, .countedTotal]
      if ends.contains(certificate.rule) { certificate.rule = .singleAnswer }
    }
    switch certificate.verdict {
    case .unproven: missed.waiting = 1
    case .failed: missed.isRefused = true
    case .absent: (missed.absent, missed.absentInARow) = (1, 1)
    default: break
    }
    return try await certify(
      id, certificate, asked: asked, open: open, acceptVanishing: acceptVanishing,
      handed: missed.text)
  }
}

extension Certificate {
  init(
    _ receipts: [PageReceipt], verdict: Verdict = .complete, rule: StopRule = .singleAnswer,
    proofs: [ProofKind] = [.oneAnswer]
  ) {
    var counts = Counts()
    for receipt in receipts where receipt.summary.purpose.isCounted {
      counts += receipt.summary.counts
    }
    self.init(
      verdict: verdict, rule: rule, why: "as the test says", pages: receipts.count,
      counts: counts, distinctKeys: receipts.reduce(0) { $0 + $1.summary.unseen },
      proofs: verdict == .complete ? proofs : [])
    showsWhoLeft = self.proofs.first?.holdsInEachGap ?? false
    isEndShown = true
  }
}

extension Page {
  /// A list of records.
  init(_ json: String, next: Cursor? = nil, etag: String? = nil) throws {
    let document = try JSONDocument.read(Array(json.utf8))
    self.init(document: document, records: Array(document.root.elements))
    (self.next, self.etag) = (next, etag)
  }
}

extension Step {
  init(page: Int, _ purpose: Purpose = .page) {
    self.init(
      purpose: purpose, ordinal: page, cursor: page == 1 ? .start : .number(page),
      address: WebAddress(origin: Fixture.origin, path: "/list", query: "page=\(page)"))
  }
}

extension Counts {
  /// new, changed, unchanged, repeated, dropped, rejected
  var all: [Int] { [new, changed, unchanged, repeated, dropped, rejected] }
}
