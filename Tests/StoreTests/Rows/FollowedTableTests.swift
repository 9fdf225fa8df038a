import Base
@testable import Store
import TestSupport
import Testing

/// Another program that copies a table by `trawl sql --changes`.
private struct Follower {
  private var cursor: FollowCursor?
  /// The present rows, by key.
  private(set) var rows: [String: String] = [:]

  /// Empties the copy if the table does not exist.
  mutating func follow(_ table: String, _ fixture: Fixture) throws {
    guard try Self.isThere(table, fixture) else {
      (cursor, rows) = (nil, [:])
      return
    }
    let key = try Self.key(of: table, fixture)
    let query = try ReadingQuery(fixture.folder, fixture.settings) { false }
    var names: [String] = []
    var seen: Set<String> = []
    var isWhole = false
    // By way of the text, as a user keeps it.
    let kept = cursor.flatMap { FollowCursor($0.text) }
    #expect(kept == cursor)
    let following = try query.follow(table, after: kept) {
      names = Array($0.dropFirst(3))
    } take: { row in
      let values = Array(row.dropFirst(3))
      let own = key.map { name in "\(names.firstIndex(of: name).map { values[$0] } ?? .null)" }
        .joined(separator: "|")
      switch row[0].text {
      case "all":
        (rows, isWhole) = ([:], true)
        return true
      case "put":
        rows[own] = zip(names, values).map { "\($0) \($1)" }.joined(separator: "|")
        #expect(row[2] == .null)
      case "gone":
        rows[own] = nil
        #expect(row[2].text?.contains("complete") == true)
      default:
        #expect(row[0] == .text("end"))
        return true
      }
      #expect(seen.insert(own).inserted, "a record comes once")
      return true
    }
    #expect(following.isAnother == (isWhole && cursor != nil))
    cursor = following.next
  }

  static func isThere(_ table: String, _ fixture: Fixture) throws -> Bool {
    try fixture.one("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != nil
  }

  private static func key(of table: String, _ fixture: Fixture) throws -> [String] {
    try fixture.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk")
  }

  /// The table's own content, without positions in a list.
  static func read(_ table: String, _ fixture: Fixture) throws -> [String: String] {
    let key = try key(of: table, fixture)
    return try fixture.read { connection in
      let names = try connection.columns(of: table)
        .filter { !$0.hasPrefix("trawl_") && $0 != "position" }
      let rows = try connection.rows(
        "SELECT \(names.joined(separator: ", ")) FROM \(table) WHERE vanished_at IS NULL"
      ) { row in names.indices.map { row.value($0) } }
      return Dictionary(
        rows.map { values in
          (
            key.map { name in "\(names.firstIndex(of: name).map { values[$0] } ?? .null)" }
              .joined(separator: "|"),
            zip(names, values).map { "\($0) \($1)" }.joined(separator: "|")
          )
        }
      ) { one, _ in one }
    }
  }
}

@Suite("Whoever follows a table by its change numbers")
struct FollowedTableTests {
  private let fixture = Fixture()

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
    "has it as it is, through resets, new names, other columns and keys, backups and power cuts",
    arguments: Torture.seeds(plain: 3, long: 300))
  func follows(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var followers = ["box_things": Follower(), "crate_things": Follower()]
    var (name, was, form) = ("box", String?.none, 0)
    var backups: [(path: String, name: String, form: Int)] = []
    var before = (name, was, form)
    for night in 0..<24 {
      fixture.time.advance(by: .seconds(3_600))
      switch random.next() % 8 {
      case 0:
        was = name
        name = name == "box" ? "crate" : "box"
      case 1: form = Int(random.next() % 5)
      case 2 where night > 0:
        let store = try await fixture.openBare()
        _ = try await store.reset(.records, of: name)
        await store.close()
      case 3 where night > 0:
        try backups.append((fixture.backUp(to: "backup-\(night).db"), name, form))
      case 4:
        guard let backup = backups.randomElement(using: &random) else { break }
        let draft = try RestoreDraft(from: backup.path, into: fixture.folder, fixture.settings)
        _ = try await draft.prove()
        _ = try draft.place()
        (name, was, form) = (backup.name, nil, backup.form)
      case 5 where night > 1:
        // The latest writes are lost, and a reader has seen them.
        try fixture.copyDatabase(
          from: "\(fixture.scratch.path)/cut.db", to: fixture.folder.databasePath)
        (name, was, form) = before
      default: break
      }
      if try fixture.folder.hasDatabase {
        try fixture.copyDatabase(
          from: fixture.folder.databasePath, to: "\(fixture.scratch.path)/cut.db")
      }
      before = (name, was, form)
      let store = try await fixture.open(Self.job(name, was: was, form: form))
      let records = (1...8).filter { _ in random.next() % 5 > 0 }.map { id in
        "{\"id\": \(id), \"login\": \"u\(id)-\(random.next() % 2)\", \"n\": \(random.next() % 2), \"more\": \"m\"}"
      }
      try await store.walk(
        ["[\(records.joined(separator: ","))]"], stream: "all", of: name, values: [], accept: true)
      await store.close()
      // A reader that looks seldom misses what happened in between.
      guard random.next() % 3 > 0 || night == 23 else { continue }
      for table in followers.keys.sorted() {
        try followers[table]?.follow(table, fixture)
        guard try Follower.isThere(table, fixture) else { continue }
        let there = try Follower.read(table, fixture)
        #expect(followers[table]?.rows == there, "seed \(seed), night \(night): \(table)")
      }
    }
  }

  @Test(
    "also of records that come, move between lists, leave and come back, walks that are stopped, and power cuts",
    arguments: Torture.seeds(plain: 6, long: 2_000))
  func members(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let cut = "\(fixture.scratch.path)/cut.db"
    let tables = ["people_users", "people_follows"]
    var followers = Dictionary(uniqueKeysWithValues: tables.map { ($0, Follower()) })
    for night in 0..<30 {
      fixture.time.advance(by: .seconds(43_200))
      if night > 1, random.next() % 10 == 0 {
        try fixture.copyDatabase(from: cut, to: fixture.folder.databasePath)
      }
      if try fixture.folder.hasDatabase {
        try fixture.copyDatabase(from: fixture.folder.databasePath, to: cut)
      }
      let store = try await fixture.open()
      for list in 1...2 {
        let ids = (1...6).filter { _ in random.next() % 4 > 0 }
        let page = people(ids) { "u\($0)-\(random.next() % 3 / 2)" }
        let values = [ParameterValue("user", "\(list)")]
        if random.next() % 5 == 0 {
          try await store.store([page], values: values)
        } else {
          try await store.walk([page], values: values, accept: true)
        }
      }
      if random.next() % 3 == 0 {
        let page = profile(2, followers: Int(random.next() % 5))
        try await store.walk([page], stream: "profile")
      }
      let run = try await store.newRun()
      _ = try await store.markLeavers(of: "people", run: run)
      if random.next() % 12 == 0 { _ = try await store.reset(.records, of: "people") }
      await store.close()
      for table in tables where random.next() % 3 > 0 || night == 29 {
        try followers[table]?.follow(table, fixture)
        guard try Follower.isThere(table, fixture) else { continue }
        #expect(
          try followers[table]?.rows == Follower.read(table, fixture),
          "seed \(seed), night \(night): \(table)")
      }
    }
  }

  @Test("reads no more of the tables than what changed, where the job says feed")
  func indexed() async throws {
    let tables = ["people_users", "people_follows"]
    for isFollowed in [true, false, true] {
      try await fixture.open(.people { $0.streams[1].isFollowed = isFollowed }).close()
      for table in tables {
        let plan = try fixture.rows(
          "EXPLAIN QUERY PLAN SELECT * FROM \(table) WHERE trawl_change > 7 ORDER BY trawl_change"
        ).joined()
        #expect((plan.split(separator: "SEARCH").count == 2) == isFollowed, "\(plan)")
      }
      // Its copy for readers has neither the column nor the index.
      try fixture.readersCopy([.people()])
      let copy = try Database(fixture.readersPath).rows("SELECT name, sql FROM sqlite_schema")
      #expect(copy.contains { $0.hasPrefix("people_users|") })
      #expect(!copy.contains { $0.contains("trawl_change") })
    }
  }

  @Test("goes on behind a run that is not kept any more, and begins anew where all runs are lost")
  func forgottenRuns() async throws {
    let store = try await fixture.walked(1...3)
    let first = try fixture.follow("people_users").following
    try await store.walk([people(1...4)])
    try fixture.alter("DELETE FROM trawl_runs WHERE run = (SELECT min(run) FROM trawl_runs)")
    let (rows, second) = try fixture.follow("people_users", after: first.next)
    #expect(!second.isAnother && rows.filter { $0[0] == .text("put") }.map { $0[3] } == [4])
    try fixture.alter("DELETE FROM trawl_runs")
    #expect(try fixture.follow("people_users", after: first.next).following.isAnother)
  }

  @Test("is told to read by itself where more records changed at once than an answer may hold")
  func crowded() async throws {
    _ = try await fixture.walked(1...2_001)
    let query = try ReadingQuery(fixture.folder, fixture.settings) { false }
    let error = #expect(throws: QueryProblem.self) {
      try query.changes(
        of: "people_users", after: nil, QueryBounds(rows: 5, bytes: 1_000, valueBytes: 100))
    }
    #expect(error?.sentence.contains("trawl sql --changes gives them all") == true)
  }

  @Test("and what a record held is never told as what another one held, under another key")
  func anotherKey() async throws {
    for (form, login) in [(0, "5"), (0, "6"), (4, "7")] {
      fixture.time.advance(by: .seconds(3_600))
      let store = try await fixture.open(Self.job("box", was: nil, form: form))
      // Record 7 by its id is not record 7 by its login.
      try await store.walk(things: #"[{"id": 7, "login": "\#(login)", "n": \#(login)}]"#)
      await store.close()
    }
    #expect(try fixture.rows("SELECT value FROM box_things_history") == ["7"])
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "1")
  }
}
