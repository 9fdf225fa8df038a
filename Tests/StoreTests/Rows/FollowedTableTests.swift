import Base
@testable import Store
import TestSupport
import Testing

/// Another program that copies a table: by change number what changed, and all of it where the table's
/// generation is another one.
private struct Follower {
  private var generation: String?
  private var last: Int64 = 0
  private(set) var rows: [Int64: String] = [:]

  /// Nothing where the table is not there.
  mutating func follow(_ table: String, _ fixture: Fixture) throws {
    let generation = try fixture.one(
      "SELECT fact FROM trawl_facts WHERE kind = 'generation' AND subject = '\(table)'")
    guard try Self.isThere(table, fixture) else { return rows = [:] }
    if generation != self.generation { (rows, last) = ([:], 0) }
    self.generation = generation
    for read in try Self.read(table, after: last, fixture) {
      rows[read.number] = read.text
      last = max(last, read.change)
    }
  }

  static func isThere(_ table: String, _ fixture: Fixture) throws -> Bool {
    try fixture.one("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != nil
  }

  static func read(
    _ table: String, after change: Int64, _ fixture: Fixture
  ) throws -> [(number: Int64, text: String, change: Int64)] {
    try fixture.read { connection in
      let names = try connection.columns(of: table).filter { !$0.hasPrefix("trawl_") }
      let shown = names.map { "quote(\($0))" }.joined(separator: " || '|' || ")
      return try connection.rows(
        "SELECT rowid, \(shown), trawl_change FROM \(table) WHERE trawl_change > ?",
        [.integer(change)]
      ) { ($0.integer(0), $0.text(1) ?? "", $0.integer(2)) }
    }
  }
}

@Suite("Whoever follows a table by its change numbers")
struct FollowedTableTests {
  private static func job(_ name: String, was: String?, form: Int) -> Job {
    var columns = [
      Column("id", nil, form == 3 ? .text : .integer), Column("login"),
      Column("n", nil, form == 1 ? .text : .integer, volatile: true),
    ]
    if form == 2 { columns.append(Column("more")) }
    var job = Job.things(columns, key: form == 4 ? ["login"] : ["id"], name: name) {
      $0.marksVanished = true
    }
    job.was = was
    return job
  }

  @Test(
    "has it as it is, through resets, new names, other columns and keys, and backups that come back",
    arguments: Torture.seeds(plain: 12, long: 300))
  func follows(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let fixture = Fixture()
    var followers = ["box_things": Follower(), "crate_things": Follower()]
    var (name, was, form) = ("box", String?.none, 0)
    var backups: [(path: String, name: String, form: Int)] = []
    for night in 0..<24 {
      fixture.time.advance(by: .seconds(3_600))
      switch random.next() % 8 {
      case 0:
        was = name
        name = name == "box" ? "crate" : "box"
      case 1: form = Int(random.next() % 5)
      case 2 where night > 0:
        let store = try await RecordStore.open(fixture.folder, fixture.settings)
        _ = try await store.forget(.records, of: name)
        await store.close()
      case 3 where night > 0:
        let path = "\(fixture.scratch.path)/backup-\(night).db"
        let draft = try BackupDraft(of: fixture.folder, at: path, fixture.settings)
        try draft.add(ledger: nil, program: "test")
        try draft.place()
        backups.append((path, name, form))
      case 4:
        guard let backup = backups.randomElement(using: &random) else { break }
        let draft = try RestoreDraft(from: backup.path, into: fixture.folder, fixture.settings)
        _ = try await draft.prove()
        _ = try draft.place()
        (name, was, form) = (backup.name, nil, backup.form)
      default: break
      }
      let store = try await fixture.open(Self.job(name, was: was, form: form))
      let records = (1...8).filter { _ in random.next() % 5 > 0 }.map { id in
        "{\"id\": \(id), \"login\": \"u\(id)-\(random.next() % 2)\", \"n\": \(random.next() % 2), \"more\": \"m\"}"
      }
      try await store.walk(
        ["[\(records.joined(separator: ","))]"], stream: "all", of: name, values: [], accept: true)
      await store.close()
      // One that looks seldom misses what happened in between.
      guard random.next() % 3 > 0 || night == 23 else { continue }
      for table in followers.keys.sorted() {
        try followers[table]?.follow(table, fixture)
        guard try Follower.isThere(table, fixture) else { continue }
        let there = try Follower.read(table, after: 0, fixture)
        let rows = Dictionary(there.map { ($0.number, $0.text) }) { one, _ in one }
        #expect(followers[table]?.rows == rows, "seed \(seed), night \(night): \(table)")
      }
    }
  }

  @Test("and what a record held is never told as what another one held, under another key")
  func anotherKey() async throws {
    let fixture = Fixture()
    for (form, login) in [(0, "5"), (0, "6"), (4, "7")] {
      fixture.time.advance(by: .seconds(3_600))
      let store = try await fixture.open(Self.job("box", was: nil, form: form))
      // By its id the record 7 was another one than by its login.
      let records = #"[{"id": 7, "login": "\#(login)", "n": \#(login)}]"#
      try await store.walk([records], stream: "all", of: "box", values: [])
      await store.close()
    }
    #expect(try fixture.rows("SELECT value FROM box_things_history") == ["7"])
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "1")
  }
}
