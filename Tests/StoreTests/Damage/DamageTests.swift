internal import Glibc
import Base
import Store
import TestSupport
internal import Testing

/// Tables of all four kinds, filled by several walks, and copies of the file to damage.
private struct Damaged {
  let fixture = Fixture()
  static let tables = ["people_users", "people_follows", "trawl_changes", "people_mails"]

  static var job: Job {
    .people { job in
      job.streams[0].children = [
        ChildTable(
          table: "mails", records: path("mails"), key: ["address"], parentKeyNames: ["user_id"],
          columns: [Column("address"), Column("weight", nil, .real)])
      ]
    }
  }

  func fill() async throws {
    let store = try await fixture.open(Self.job)
    try await store.walk([people(1...30), people(31...50)])
    try await store.walk([people(1...30), people([31, 32, 34, 60])])
    for followers in [5, 6] {
      for id in [5, 7] {
        let profile = """
          [{"id": \(id), "login": "u\(id)", "name": "N\(id)", "followers": \(followers),
            "avatar_url": "https://img.example.org/\(id)?v=4", "created_at": "2020-01-01T00:00:00Z",
            "mails": [{"address": "a\(id)@example.org", "weight": 0.5},
              {"address": "b\(id)@example.org", "weight": \(id)}]}]
          """
        try await store.walk([profile], stream: "profile", values: .user(id))
      }
      fixture.time.advance(by: .seconds(60))
    }
    #expect(try await store.prove().holds)
  }

  /// The tables of records, and those of the book that have rows.
  func allTables() throws -> [String] { try fixture.filledTables() + Self.tables }

  /// By table and key, all values of each row.
  static func rows(
    _ connection: Connection, of tables: [String]
  ) throws -> [String: [String: String]] {
    var all: [String: [String: String]] = [:]
    for table in tables {
      let names = try connection.columns(of: table)
      let key = try self.key(of: table, connection)
      let values = names.map { "quote(\(SQLName.quoted($0)))" }.joined(separator: " || ',' || ")
      let rows = try connection.rows("SELECT \(key), \(values) FROM \(table) NOT INDEXED") {
        ($0.text(0) ?? "-", $0.text(1) ?? "-")
      }
      all[table] = Dictionary(rows) { $0 + $1 }
    }
    return all
  }

  static func key(of table: String, _ connection: Connection) throws -> String {
    let names = try connection.rows(
      "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [.text(table)]
    ) { $0.text(0) ?? "" }
    return names.count == 1
      ? "CAST(\(names[0]) AS TEXT)" : "json_array(\(names.joined(separator: ", ")))"
  }
}

@Suite("A flipped bit")
struct DamageTests {
  private let damaged = Damaged()

  @Test("in any column of any kind of table is found, and the row named")
  func values() async throws {
    try await damaged.fill()
    let path = try damaged.fixture.folder.databasePath
    let connection = try Connection(path, .readWrite)
    defer { connection.close() }
    try connection.keepLogFiles()
    try connection.enforceForeignKeys(false)
    // Damage on a disk respects no constraint.
    try connection.execute("PRAGMA ignore_check_constraints = ON")
    var random = SeededRandom(seed: 5 &+ Torture.seedBase)
    for table in try damaged.allTables() {
      let key = try Damaged.key(of: table, connection)
      for column in try connection.columns(of: table) {
        var tried = 0
        // A few in `make test`; about 2,000 in all in the long form.
        for _ in 0..<(Torture.isOn ? 10 : Damaged.tables.contains(table) ? 4 : 2) {
          let known = try Self.keys(table, key, connection)
          let place = Int(random.next() % UInt64(known.count))
          let old = try #require(
            try connection.row(
              "SELECT \(column), \(key) FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET \(place)"
            ) { (Self.value($0), $0.text(1) ?? "") })
          let flipped = Self.flipped(old.0, &random)
          // Another row's key, or no value where one must be: SQLite itself refuses those.
          let isDone =
            (try? connection.run(
              "UPDATE \(table) SET \(column) = ? WHERE \(key) = ?", [flipped, .text(old.1)]))
            != nil && connection.changedRows == 1
          guard isDone else { continue }
          // If the key was changed, the new one is named.
          let named = try Self.keys(table, key, connection).subtracting(known).first ?? old.1
          let proof = try await damaged.fixture.prove()
          let isNamed = proof.findings.contains { $0.table == table && $0.key == named }
          #expect(isNamed, "\(table).\(column) of \(old.1): \(old.0) became \(flipped)")
          tried += 1
          try connection.run(
            "UPDATE \(table) SET \(column) = ? WHERE \(key) = ?", [old.0, .text(named)])
          #expect(connection.changedRows == 1)
        }
        #expect(tried > 0, "\(table).\(column) was never damaged")
      }
    }
    #expect(try await damaged.fixture.prove().holds)
  }

  @Test("in the header of a backup is reported of the backup, and not of the database")
  func header() async throws {
    let fixture = Fixture()
    try await fixture.open().close()
    let backup = try fixture.backUp()
    var bytes = try Fixture.bytes(of: backup)
    // The version of the file's form, for writers and for readers.
    bytes.replaceSubrange(18...19, with: [9, 9])
    Golden.write(bytes, to: backup)
    let error = #expect(throws: StoreError.self) {
      try RestoreDraft(from: backup, into: fixture.folder, fixture.settings)
    }
    #expect(error?.description == "\(backup): it is damaged; use another backup")
  }

  private static func keys(
    _ table: String, _ key: String, _ connection: Connection
  ) throws -> Set<String> {
    Set(try connection.rows("SELECT \(key) FROM \(table)") { $0.text(0) ?? "" })
  }

  private static func value(_ row: Statement) -> SQLValue {
    switch row.kind(0) {
    case .null: .null
    case .integer: .integer(row.integer(0))
    case .real: .real(row.real(0))
    case .text: .text(row.text(0) ?? "")
    case .blob: .blob(row.withBytes(0) { $0.map { Array($0) } ?? [] })
    }
  }

  private static func flipped(_ value: SQLValue, _ random: inout SeededRandom) -> SQLValue {
    switch value {
    case .null: return .integer(1)
    case .integer(let number): return .integer(number ^ (1 << Int64(random.next() % 63)))
    case .real(let number):
      return .real(Double(bitPattern: number.bitPattern ^ (1 << (random.next() % 52))))
    case .text(let text):
      var bytes = Array(text.utf8)
      if bytes.isEmpty { return .text("x") }
      // Only bits that leave readable text: this test is about values; the other one flips the file.
      bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 5)
      return .text(String(decoding: bytes, as: UTF8.self))
    case .blob(var bytes):
      if bytes.isEmpty { return .blob([1]) }
      bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      return .blob(bytes)
    }
  }

  @Test("anywhere in the file that shows in a row is found, and the row named")
  func file() async throws {
    try await damaged.fill()
    let path = try damaged.fixture.folder.databasePath
    let sound = try Fixture.bytes(of: path)
    let tables = try damaged.allTables()
    let before = try damaged.fixture.read { try Damaged.rows($0, of: tables) }
    var random = SeededRandom(seed: 11 &+ Torture.seedBase)
    var shown = 0
    var named = 0
    for _ in 0..<(Torture.isOn ? 20_000 : 500) {
      let bit = Int(random.next() % UInt64(sound.count * 8))
      var bytes = sound
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      Self.write(bytes, path)
      // What cannot be read at all is found on reading at the latest.
      let after = try? damaged.fixture.read { try Damaged.rows($0, of: tables) }
      if let after, after == before { continue }
      shown += 1
      let proof: Proof
      do {
        proof = try await damaged.fixture.prove()
      } catch let error as StoreError {
        #expect(error.kind == .damaged || error.kind == .foreign || error.kind == .newer)
        continue
      }
      #expect(!proof.holds, "bit \(bit) was flipped, and the proof holds")
      guard let after else { continue }
      let changed = before.flatMap { table, rows in
        rows.filter { key, row in after[table]?[key].map { $0 != row } ?? false }
          .map { (table: table, key: $0.key) }
      }
      // More than one row at once, or SQLite cannot read a page: the bit was in the structure of a page
      // or in the schema, and no row can be named for it.
      guard changed.count == 1, let (table, key) = changed.first,
        !proof.findings.contains(where: { $0.table == "the file" })
      else { continue }
      named += 1
      let isNamed = proof.findings.contains { $0.table == table && $0.key == key }
      #expect(isNamed, "bit \(bit): \(table) \(key) is not named: \(proof.findings.prefix(3))")
    }
    Self.write(sound, path)
    #expect(shown > 20 && named > 4, "\(shown) flips showed, \(named) rows")
    #expect(try await damaged.fixture.prove().holds)
  }

  @Test("of a definition, which takes the seals away, is found, and no run seals the rows anew")
  func definition() async throws {
    try await damaged.fill()
    try damaged.fixture.alter("ALTER TABLE trawl_lists DROP COLUMN seal")
    let proof = try await damaged.fixture.prove()
    #expect(!proof.holds)
    #expect(proof.findings.contains { $0.table == "trawl_lists" && $0.key == nil })
    await #expect {
      _ = try await damaged.fixture.open(Damaged.job)
    } throws: {
      ($0 as? StoreError)?.kind == .damaged
    }
  }

  private static func write(_ bytes: [UInt8], _ path: String) {
    // A log beside the file would be read in its place.
    for rest in ["-wal", "-shm"] { unlink(path + rest) }
    Golden.write(bytes, to: path)
  }
}
