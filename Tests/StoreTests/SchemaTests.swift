import Base
@testable import Store
internal import Testing

@Suite("The tables of a job")
struct SchemaTests {
  let fixture = Fixture()

  @Test("explain themselves in .schema")
  func golden() async throws {
    _ = try await fixture.open()
    let schema = try fixture.rows(
      "SELECT sql FROM sqlite_schema WHERE name IN ('people_users', 'people_follows', "
        + "'people_users_history', 'people_follows_by_follower_id') "
        + "ORDER BY name")
    #expect(
      schema.joined(separator: "\n") == """
        CREATE TABLE "people_follows" (
          user_id INTEGER NOT NULL, -- {user}
          follower_id INTEGER NOT NULL, -- id of people_users
          position INTEGER, -- in the list as it was read last, from 1
          first_seen_at TEXT NOT NULL, -- when the list first returned it
          vanished_at TEXT, -- when a whole read of the list no longer had it
          trawl_change INTEGER NOT NULL, -- the number of the last change of this row: see \
        trawl_changes
          trawl_hash BLOB NOT NULL, -- digests of the row's values, for trawl prove
          PRIMARY KEY (user_id, follower_id),
          FOREIGN KEY (follower_id) REFERENCES "people_users" (id)
        ) STRICT, WITHOUT ROWID
        CREATE INDEX people_follows_by_follower_id ON people_follows (follower_id /* Trawl's own */)
        CREATE TABLE "people_users" (
          id INTEGER NOT NULL, -- id
          login TEXT, -- login
          avatar_url TEXT, -- avatar_url (url)
          name TEXT, -- name
          followers INTEGER, -- followers
          created_at TEXT, -- created_at (time)
          first_seen_at TEXT NOT NULL, -- when Trawl stored it first
          changed_at TEXT, -- when a column that is not volatile changed last
          vanished_at TEXT, -- when it was no longer in any list
          trawl_change INTEGER NOT NULL, -- the number of the last change of this row: see \
        trawl_changes
          trawl_hash BLOB NOT NULL, -- digests of the row's values, for trawl prove
          PRIMARY KEY (id)
        ) STRICT
        CREATE VIEW people_users_history (id, column_name, at, value) AS
          SELECT id, trawl_column, ifnull(strftime('%Y-%m-%dT%H:%M:%SZ', trawl_seen, 'unixepoch'), \
        iif(first_seen_at <= ifnull((SELECT strftime('%Y-%m-%dT%H:%M:%SZ', forgotten_at, \
        'unixepoch') FROM trawl_tables WHERE table_number = 1), ''), NULL, first_seen_at)), trawl_value FROM (
          SELECT t.id, e.key AS trawl_column, (SELECT b.at FROM trawl_changes b WHERE b.table_number \
        = 1 AND b.record_key = CAST(t.id AS TEXT) AND b.change < c.change AND instr(b.old, '"' || \
        e.key || '":') > 0 ORDER BY b.change DESC LIMIT 1) AS trawl_seen, t.first_seen_at, e.value AS \
        trawl_value FROM people_users t CROSS JOIN trawl_changes c ON c.table_number = 1 AND c.record_key = \
        CAST(t.id AS TEXT), json_each(c.old) e WHERE e.key IN ('followers')
          UNION ALL SELECT t.id, 'followers', (SELECT b.at FROM trawl_changes b WHERE \
        b.table_number = 1 AND b.record_key = CAST(t.id AS TEXT) AND instr(b.old, '"' || \
        'followers' || '":') > 0 ORDER BY b.change DESC LIMIT 1), t.first_seen_at, t.followers FROM \
        people_users t)
          WHERE trawl_value IS NOT NULL OR trawl_seen IS NOT NULL
        """)
  }

  @Test("find the history of a record by its key, however much of it is read")
  func history() async throws {
    _ = try await fixture.open()
    let plan = try fixture.rows("EXPLAIN QUERY PLAN SELECT count(*) FROM people_users_history")
    #expect(plan.contains { $0.contains("SEARCH c USING INDEX trawl_changes_by_record") })
    #expect(!plan.contains { $0.hasSuffix("trawl_changes_by_record (table_number=?)") }, "\(plan)")
  }

  @Test("offer views over all jobs: items, favorites, media with the file's path")
  func views() async throws {
    let store = try await fixture.open()
    let other = Job.things(
      [Column("id"), Column("title"), Column("link", nil, .url), Column("at", nil, .time)]
    ) { $0.roles = ["title": "title", "link": "link", "published_at": "at"] }
    try await store.adopt(other)
    try await store.walk([people([1])])
    try await store.walk(
      things: #"[{"id": "a'b", "title": "A", "link": "https://a.example/", "at": "2026-01-01"}]"#)
    let due = try await store.imagesDue(of: "people", limit: 10)
    try await store.recordImages(
      [.stored(due[0].identity, "91ab", at: "media/91/91ab.png")], of: "people")
    #expect(
      try fixture.rows("SELECT title, link, image_path, published_at, source FROM items ORDER BY 1")
        == ["A|https://a.example/|-|2026-01-01T00:00:00|box", "u1|-|media/91/91ab.png|-|people"])
    #expect(
      try fixture.rows("SELECT login, avatar_path FROM people_users_media")
        == ["u1|media/91/91ab.png"])
    #expect(try await store.imagesDue(of: "people", limit: 10).isEmpty)
    let keys = ["a'b", "later"]
    #expect(try await store.addFavorites(table: "box_things", keys: keys) == keys)
    #expect(try await store.addFavorites(table: "box_things", keys: ["later"]) == [])
    #expect(
      try fixture.rows("SELECT record_key, title FROM favorites ORDER BY 1")
        == ["a'b|A", "later|-"])
    #expect(
      try await store.removeFavorites(table: "box_things", keys: ["a'b", "never"]) == ["a'b"])
    #expect(try await store.favorites().map(\.key) == ["later"])
  }

  @Test("read for favorites only tables that have one, also where their job comes later")
  func favoritesOfFew() async throws {
    func read() throws -> [String] {
      let view = try #require(
        try fixture.one("SELECT sql FROM sqlite_schema WHERE name = 'favorites'"))
      return ["people_users", "box_things"].filter { view.contains("FROM \($0) ") }
    }
    let store = try await fixture.walked([1])
    #expect(try read() == [])
    _ = try await store.addFavorites(table: "box_things", keys: ["1"])
    #expect(try await store.favorites().map(\.isStored) == [false])
    try await store.adopt(.things([Column.id, Column("login")]))
    try await store.walk(things: people([1]))
    #expect(try read() == ["box_things"])
    #expect(try await store.favorites().map(\.isStored) == [true])
    _ = try await store.addFavorites(table: "people_users", keys: ["1", "2"])
    #expect(try read() == ["people_users", "box_things"])
    #expect(
      try await store.favorites().map { "\($0.table) \($0.isStored)" }
        == ["box_things true", "people_users true", "people_users false"])
    #expect(try await store.prove().holds)
  }

  @Test("in more numbers than one view can join are in the views all the same")
  func manyTables() async throws {
    var job = Job.things([Column.id, Column("name")]) { $0.roles = ["title": "name"] }
    job.streams = (100..<600).map { [stream = job.streams[0]] number in
      var one = stream
      (one.name, one.table) = ("s\(number)", "t\(number)")
      return one
    }
    let store = try await fixture.openBare()
    #expect(try await store.adopt(job) == [])
    #expect(try fixture.one("SELECT count(*) FROM items") == "0")
    try await store.walk([#"[{"id": 1, "name": "last"}]"#], stream: "s599", of: "box", values: [])
    #expect(try fixture.rows("SELECT title, table_name FROM items") == ["last|box_t599"])
    _ = try await store.addFavorites(table: "box_t599", keys: ["1"])
    #expect(
      try await store.favorites().map { "\($0.title ?? "-") \($0.isStored)" } == ["last true"])
    // And once there are fewer again, nothing is left of them.
    try await store.dropViews()
    #expect(
      try fixture.rows("SELECT name FROM sqlite_schema WHERE type = 'view'") == ["trawl_trust"])
  }

  @Test("follow the job file on the next run, and say what changed; nothing is dropped")
  func migration() async throws {
    let old = [Column.id, Column("a"), Column("b"), Column("n")]
    let store = try await fixture.open(.things(old))
    try await store.walk(
      things: #"[{"id": 1, "a": "A", "b": "B", "n": "7"}, {"id": 2, "a": "A", "n": "seven"}]"#)
    try fixture.alter(
      "CREATE VIEW mine AS SELECT a FROM box_things; CREATE VIEW my_media AS SELECT 1 AS one")
    let new = [
      Column.id, Column("a", "renamed.path"), Column("c", nil, .real), Column("n", nil, .integer),
    ]
    let told = try await store.adopt(.things(new))
    #expect(
      told == [
        "box_things.b is no longer in the job; it stays as it is, not written",
        "box_things.n is INTEGER now, was TEXT; 1 value does not fit and stays in n_before_1",
        "box_things.c is new: empty until its records are read again, which each run does",
      ])
    #expect(
      try fixture.rows("SELECT id, a, b, c, n, n_before_1 FROM box_things ORDER BY id")
        == ["1|A|B|-|7|7", "2|A|-|-|-|seven"])
    #expect(try fixture.rows("SELECT a FROM mine") == ["A", "A"])
    #expect(try fixture.rows("SELECT one FROM my_media") == ["1"])
    #expect(
      try fixture.one("SELECT sql FROM sqlite_schema WHERE name = 'box_things'")?
        .contains("a TEXT, -- renamed.path\n") == true)
    #expect(try await store.prove().holds)
    #expect(try await store.adopt(.things(new)) == [])
    let again = try await store.walk(
      things: #"[{"id": 1, "renamed": {"path": "A"}, "c": 1.5, "n": 7}]"#)
    // A new column does not change the record.
    #expect(again.1[0].summary.counts.all == [0, 0, 1, 0, 0, 0])
    let stored = "SELECT a, b, c, n, n_before_1 FROM box_things WHERE id = 1"
    #expect(try fixture.one(stored) == "A|B|1.5|7|7")
    // What does not fit another time stays beside it.
    _ = try await store.adopt(.things([Column.id, Column("n")]))
    try await store.walk(things: #"[{"id": 1, "n": "eight"}]"#)
    _ = try await store.adopt(.things([Column.id, Column("n", nil, .integer)]))
    let both = "SELECT n, n_before_1, n_before_2 FROM box_things WHERE id = 1"
    #expect(try fixture.one(both) == "-|7|eight")
  }

  @Test("keep the values of a found column that gets a type which they fit")
  func foundValues() async throws {
    let store = try await fixture.open(.things([Column.id]) { $0.takesAll = true })
    try await store.walk(
      things: """
        [{"id": 1, "n": 5, "r": 1.5, "t": "7.50"}, {"id": 2, "n": 6.0, "r": 2, "t": "x"}]
        """)
    let declared = [Column("n", nil, .integer), Column("r", nil, .real), Column("t", nil, .real)]
    let told = try await store.adopt(.things([Column.id] + declared))
    #expect(
      told.filter { $0.contains("fit") }
        == ["box_things.t is REAL now, was ANY; 1 value does not fit and stays in t_before_1"])
    #expect(
      try fixture.rows("SELECT n, r, t, t_before_1 FROM box_things ORDER BY id")
        == ["5|1.5|7.5|7.50", "6|2.0|-|x"])
    #expect(try await store.prove().rowsHold)
  }

  @Test("are set aside, not lost, when their key changes")
  func key() async throws {
    let columns = [Column.id, Column("slug")]
    let page = #"[{"id": 1, "slug": "one"}]"#
    let store = try await fixture.walked(.things(columns), page)
    let told = try await store.adopt(.things(columns, key: ["slug"]))
    #expect(
      told == [
        "box_things has another key now; its old rows are in box_things_before_1, which neither retain nor forgetting reaches: drop it when it is not needed",
        "the stream all is read anew",
      ])
    #expect(try fixture.rows("SELECT id FROM box_things_before_1") == ["1"])
    try await store.walk(things: page)
    #expect(try fixture.rows("SELECT slug, id FROM box_things") == ["one|1"])
  }

  @Test("whose key has another type are read anew: nothing is proven by their old keys")
  func keyType() async throws {
    let columns = [Column.id, Column("slug")]
    let page = #"[{"id": 1, "slug": "one"}]"#
    let store = try await fixture.walked(.things(columns), page)
    let told = try await store.adopt(.things([Column("id"), Column("slug")]))
    #expect(told == ["box_things.id is TEXT now, was INTEGER", "the stream all is read anew"])
    #expect(try await store.prove().holds)
    try await store.walk(things: page)
    #expect(try fixture.rows("SELECT id, slug, vanished_at FROM box_things") == ["1|one|-"])
    #expect(try await store.prove().rowsHold)
  }

  @Test("keep favorites readable when a key becomes several columns, and one again")
  func favoritesOfAnotherKey() async throws {
    func things(_ key: [String]) -> Job {
      .things([Column.id, Column("slug")], key: key) { $0.roles = ["title": "slug"] }
    }
    let page = #"[{"id": 1, "slug": "one"}]"#
    let store = try await fixture.walked(things(["slug"]), page)
    _ = try await store.addFavorites(table: "box_things", keys: ["one", "{no", "[1"])
    try await store.adopt(things(["id", "slug"]))
    try await store.walk(things: page)
    let list = try await store.keyText([.integer(1), .text("one")])
    _ = try await store.addFavorites(table: "box_things", keys: [list])
    func shown() throws -> [String] {
      try fixture.read { connection in
        // As sqlite3 does: older versions consider json_array unsafe in a view.
        try connection.trustSchema()
        return try connection.rows("SELECT record_key, source FROM favorites ORDER BY 1") {
          "\($0.text(0) ?? "")|\($0.text(1) ?? "-")"
        }
      }
    }
    #expect(try shown() == [#"[1|-"#, #"[1,"one"]|box"#, "one|-", "{no|-"])
    #expect(try await store.favorites().count == 4)
    try await store.adopt(things(["slug"]))
    try await store.walk(things: page)
    #expect(try shown() == [#"[1|-"#, #"[1,"one"]|-"#, "one|box", "{no|-"])
  }

  @Test("tell that they are worked on while they are made anew and upgraded")
  func signsOfLife() async throws {
    let reports = Reports()
    var settings = fixture.settings
    reports.watch(&settings)
    let columns = [Column.id, Column("login")]
    let store = try await RecordStore.open(fixture.folder, settings)
    try await store.adopt(.things(columns))
    try await store.walk(things: people(1...9000))
    _ = reports.taken()
    try await store.adopt(.things(columns + [Column("avatar_url")]))
    #expect(reports.taken() > 0)
    await store.close()
    let ids = (1...9000).map { "('box_things', '\($0)', '2026-01-01T00:00:00Z')" }
    try fixture.alter(
      "INSERT INTO trawl_favorites (table_name, record_key, added_at) VALUES "
        + ids.joined(separator: ", "))
    _ = reports.taken()
    try DatabaseFile(folder: fixture.folder, steps: ["SELECT 1"]).open(for: .write, settings)
      .close()
    #expect(reports.taken() > 0)
  }

  @Test("keep damage visible through a migration")
  func damage() async throws {
    let columns = [Column.id, Column("a")]
    let store = try await fixture.open(.things(columns))
    try await store.walk(things: #"[{"id": 1, "a": "A"}, {"id": 2, "a": "B"}]"#)
    try fixture.alter("UPDATE box_things SET a = 'X' WHERE id = 2")
    try await store.adopt(.things(columns + [Column("c")]))
    #expect(try await store.prove().findings.map(\.key) == ["2"])
  }

  @Test("of many columns are sound when one of them got another name")
  func renamedColumn() async throws {
    func job(_ name: String) -> Job {
      .things([Column.id] + (0..<40).map { Column($0 == 34 ? name : "c\($0)") })
    }
    let store = try await fixture.open(job("c34"))
    try await store.walk(things: #"[{"id": 1, "c0": "a", "c34": "b"}, {"id": 2, "c34": "c"}]"#)
    let told = try await store.adopt(job("other"))
    #expect(told.first == "box_things.c34 is no longer in the job; it stays as it is, not written")
    #expect(try await store.prove().findings == [])
  }

  @Test("wider than a call of a function follow the job file, and mark what is gone")
  func wide() async throws {
    func job(_ count: Int, finds: Bool = false) -> Job {
      .things([Column.id] + (0..<count).map { Column("c\($0)") }) {
        $0.takesAll = finds
        $0.marksVanished = true
      }
    }
    let members = (0..<150).map { "\"c\($0)\": \"v\"" }.joined(separator: ", ")
    let store = try await fixture.open(job(0, finds: true))
    try await store.walk(things: "[{\"id\": 1, \(members)}, {\"id\": 2, \(members)}]")
    // Columns that no stream writes any more.
    try await store.adopt(job(0))
    #expect(try await store.prove().rowsHold)
    try await store.walk(things: "[{\"id\": 1, \(members)}]")
    #expect(try fixture.gone("box_things") == ["2"])
    #expect(try await store.prove().rowsHold)
    // Columns that one stream writes.
    try await store.adopt(job(150))
    #expect(try await store.prove().rowsHold)
    try fixture.alter("UPDATE box_things SET c149 = 'x' WHERE id = 1")
    try await store.adopt(job(149))
    let findings = try await store.prove().findings.filter { $0.table == "box_things" }
    #expect(findings.map(\.key) == ["1"])
  }

  @Test(
    "are refused for names that SQL or Trawl would take for something else",
    arguments: ["trawl_x", "first_seen_at", "ID", "rowid"])
  func names(name: String) async throws {
    let store = try await fixture.openBare()
    let before = try fixture.rows("SELECT sql FROM sqlite_schema")
    let job = Job.things([Column.id, Column(name, "v")])
    await #expect(throws: StoreError.self) { try await store.adopt(job) }
    #expect(try fixture.rows("SELECT sql FROM sqlite_schema") == before)
  }

  @Test("take words of SQL for what they are here: names")
  func keywords() async throws {
    let names = ["select", "from", "order", "group", "index", "table", "value", "position"]
    let columns = [Column.id] + names.map { Column($0, "v") }
    let page = #"[{"id": 1, "v": "x"}]"#
    let store = try await fixture.walked(.things(columns), page)
    let again = try await store.walk(things: page)
    #expect(again.1[0].summary.counts.all == [0, 0, 1, 0, 0, 0])
    #expect(try await store.prove().holds)
  }
}

extension RecordStore {
  fileprivate func dropViews() throws { try write { try ViewDesign.dropAll(connection) } }
}
