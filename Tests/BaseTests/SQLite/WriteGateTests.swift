import Base
internal import Testing

@Suite("What is made before a write")
struct WriteGateTests {
  let connection: Connection

  init() throws {
    connection = try Connection("", .memory)
    try connection.execute(
      """
      CREATE TABLE log (what TEXT);
      CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT, free TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a ON DELETE CASCADE ON UPDATE CASCADE);
      CREATE VIEW v AS SELECT * FROM a;
      CREATE TRIGGER v_insert INSTEAD OF INSERT ON v BEGIN INSERT INTO a VALUES (NEW.id, NEW.v, NULL); END;
      CREATE TABLE plain (id INTEGER PRIMARY KEY);
      CREATE TRIGGER plain_insert AFTER INSERT ON plain BEGIN UPDATE a SET v = NEW.id; END;
      INSERT INTO a VALUES (1, 'x', NULL); INSERT INTO b VALUES (1, 1), (2, NULL);
      """)
    let writes = ["a", "b"].flatMap { table in
      TableWrite.Kind.allCases.map { TableWrite($0, table) }
    }
    try connection.guardWrites(Set(writes), free: "free") {
      (connection, write) throws(SQLiteError) in
      try connection.execute(
        "CREATE TEMP TRIGGER IF NOT EXISTS \(write.table)_\(write.kind) AFTER \(write.kind) "
          + "ON main.\(write.table) BEGIN INSERT INTO log VALUES ('\(write.kind) \(write.table)'); END"
      )
    }
  }

  private func seen() throws -> [String] {
    try connection.rows("SELECT what FROM log ORDER BY rowid") { $0.text(0) ?? "" }
  }

  private func made() throws -> [String] {
    try connection.rows("SELECT name FROM sqlite_temp_schema ORDER BY name") { $0.text(0) ?? "" }
  }

  @Test(
    "is there for a statement's own rows, a trigger's, a view's and a foreign key's",
    arguments: [
      ("INSERT INTO a (id) VALUES (2)", ["insert a"]),
      ("INSERT INTO a (id) VALUES (1) ON CONFLICT DO UPDATE SET v = 'y'", ["update a"]),
      ("WITH n(x) AS (VALUES (5)) INSERT INTO A (id) SELECT x FROM n", ["insert a"]),
      ("UPDATE a SET v = 'y', free = 'z'", ["update a"]),
      ("UPDATE a SET free = 'y'", []),
      ("DELETE FROM b", ["delete b", "delete b"]),
      ("DELETE FROM a", ["delete b", "delete a"]),
      ("UPDATE a SET id = 9", ["update b", "update a"]),
      ("INSERT INTO v (id, v) VALUES (7, 'q')", ["insert a"]),
      ("INSERT INTO plain VALUES (4)", ["update a"]),
      ("SELECT * FROM a JOIN b", []),
    ])
  func everyWay(sql: String, expected: [String]) throws {
    try connection.execute("; \(sql);\n-- that was it\n")
    #expect(try seen() == expected)
  }

  @Test("is made once, of what is written alone")
  func once() throws {
    #expect(try made() == [])
    for id in 2...4 {
      try connection.run("INSERT INTO a (id) VALUES (?)", [.integer(Int64(id))])
    }
    #expect(try made() == ["a_insert"])
    #expect(try seen().count == 3)
  }

  @Test("is made again where a rollback took it, also for statements that were compiled before")
  func rolledBack() throws {
    let kept = try connection.prepare("SELECT 1")
    let insert = "INSERT INTO a (id) VALUES (?)"
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.run(insert, [.integer(2)])
        throw Stop()
      }
    }
    #expect(try made() == [])
    // The statement is compiled again within its step.
    try connection.run(insert, [.integer(3)])
    #expect(try seen() == ["insert a"])
    #expect(try kept.step())
    kept.reset()
    #expect(throws: Stop.self) {
      try connection.transaction { throw Stop() }
    }
    try connection.run(insert, [.integer(4)])
    #expect(try seen() == ["insert a", "insert a"])
  }

  @Test("is not needed where a write goes without it, and is back behind that")
  func without() throws {
    try connection.execute("UPDATE a SET v = 1")
    try connection.unguarded(TableWrite(.update, "a")) {
      try connection.execute("DROP TRIGGER temp.a_update; UPDATE a SET v = 2")
    }
    try connection.execute("UPDATE a SET v = 3")
    #expect(try seen() == ["update a", "update a"])
  }

  @Test(
    "cannot be taken away unseen",
    arguments: [
      "SAVEPOINT s", "DROP TABLE a", "ALTER TABLE a RENAME TO c", "ALTER TABLE b ADD COLUMN n",
    ])
  func refused(sql: String) throws {
    do {
      try connection.execute(sql)
      Issue.record("it was done")
    } catch { #expect(error.kind == .denied) }
    try connection.execute("DROP TABLE plain")
  }

  @Test("several statements in one text: each is run once")
  func text() throws {
    try connection.execute(
      "INSERT INTO plain VALUES (1); INSERT INTO a (id) VALUES (2); ; INSERT INTO b VALUES (3, 2);")
    #expect(try seen() == ["update a", "insert a", "insert b"])
    #expect(try connection.integer("SELECT count(*) FROM a") == 2)
  }
}
