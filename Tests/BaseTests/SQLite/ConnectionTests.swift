@testable import Base
import TestSupport
internal import Testing

@Suite("A connection")
struct ConnectionTests {
  let folder = ScratchFolder()
  var path: String { "\(folder.path)/a.db" }

  @Test("keeps every byte of text, also NUL, emoji and two spellings of one letter")
  func text() throws {
    let connection = try Connection(path, .create)
    try connection.execute("CREATE TABLE t (v TEXT PRIMARY KEY) STRICT")
    let all = ["", "a\0b", "é", "e\u{301}", "한글 🏷", String(repeating: "x", count: 100_000)]
    for text in all { try connection.run("INSERT INTO t VALUES (?)", [.text(text)]) }
    let read = try connection.rows("SELECT v FROM t ORDER BY rowid") { $0.text(0) ?? "NULL" }
    #expect(read.map { Array($0.utf8) } == all.map { Array($0.utf8) })
  }

  @Test("keeps a statement alive whose rows are read while more others are asked than it remembers")
  func manyStatements() throws {
    let connection = try Connection(path, .memory)
    try connection.execute("CREATE TABLE t (v INTEGER) STRICT; INSERT INTO t VALUES (1), (2), (3)")
    var sums: [Int64] = []
    let outer = try connection.statement("SELECT v FROM t ORDER BY v")
    while try outer.step() {
      for other in 0..<300 {
        #expect(try connection.integer("SELECT min(v) + \(other) FROM t") == Int64(1 + other))
      }
      sums.append(outer.integer(0))
    }
    outer.clear()
    #expect(sums == [1, 2, 3])
  }

  @Test("tells that it works while a long statement runs, and not of short ones")
  func work() throws {
    let connection = try Connection(path, .memory)
    var calls = 0
    connection.tell {
      calls += 1
      return true
    }
    try connection.execute("CREATE TABLE t (v INTEGER) STRICT")
    #expect(calls == 0)
    try connection.run(
      "WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT 50000) "
        + "INSERT INTO t SELECT v FROM n")
    #expect(calls > 2)
    let before = calls
    try connection.execute("CREATE INDEX t_by_v ON t (v)")
    #expect(calls > before)
  }

  @Test("waits for another that writes, also where SQLite itself gives up at once")
  func switchToLog() throws {
    let first = try Connection(path, .create)
    let second = try Connection(path, .create)
    try first.execute("BEGIN IMMEDIATE")
    var waits = 0
    second.wait.report = { _ in
      waits += 1
      // This cannot fail; if it did, the switch would fail.
      try? first.execute("COMMIT")
    }
    try second.useLog()
    #expect(waits == 1)
    #expect(try second.text("PRAGMA journal_mode") == "wal")
    try first.useLog()
  }

  @Test("keeps statements apart that two spellings of one letter tell apart")
  func spelledStatements() throws {
    let connection = try Connection(path, .memory)
    for letter in ["\u{212B}", "\u{C5}", "A\u{30A}", "\u{212B}"] {
      let read = try connection.text("SELECT '\(letter)'") ?? ""
      #expect(read.utf8.elementsEqual(letter.utf8))
    }
  }

  @Test("gives back numbers and blobs as they were")
  func values() throws {
    let connection = try Connection(path, .memory)
    let values: [SQLValue] = [
      .integer(.min), .integer(.max), .real(-0.1), .blob([0, 255]), .blob([]), .null,
      SQLValue(bits: .max),
    ]
    for value in values {
      let read = try connection.row("SELECT ?", [value]) { $0.value(0) }
      #expect(read == value)
    }
  }

  @Test("keeps all of a transaction or none of it")
  func rollback() throws {
    let connection = try Connection(path, .create)
    try connection.execute("CREATE TABLE t (v INTEGER PRIMARY KEY) STRICT")
    #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (1)")
        try connection.run("INSERT INTO t VALUES (1)")
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("an error names code, message and statement, never a value")
  func error() throws {
    let connection = try Connection(path, .create)
    try connection.execute("CREATE TABLE t (v TEXT PRIMARY KEY) STRICT")
    try connection.run("INSERT INTO t VALUES (?)", ["canary-value"])
    do {
      try connection.run("INSERT INTO t VALUES (?)", ["canary-value"])
      Issue.record("the second insert must fail")
    } catch {
      #expect(error.kind == .constraint)
      #expect(error.extendedCode == 1555)
      #expect(error.sql == "INSERT INTO t VALUES (?)")
      #expect(!error.description.contains("canary"))
    }
  }

  @Test(
    "refuses a string in double quotes, a child without its parent, a new schema, and two statements",
    arguments: [
      (.none, #"SELECT "no such column, and no string""#),
      (
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER REFERENCES p)",
        "INSERT INTO c VALUES (7)"
      ),
      (
        "CREATE TABLE t (v); PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (w)'"
      ),
      (.none, "SELECT 1; SELECT 2"),
    ] as [(String?, String)])
  func refuses(before: String?, sql: String) throws {
    let connection = try Connection(path, .create)
    if let before { try connection.execute(before) }
    #expect(throws: SQLiteError.self) { try connection.run(sql) }
    #expect(try connection.integer("SELECT 1; ") == 1)
  }

  @Test("an application function sees its arguments and gives its result")
  func functions() throws {
    let connection = try Connection(path, .memory)
    try connection.define("weigh", arguments: -1) { call in
      var sum: Int64 = 0
      for index in 0..<call.count {
        switch call.kind(index) {
        case .integer: sum += call.integer(index)
        case .real: sum += Int64(call.real(index) * 10)
        case .text, .blob: sum += call.withBytes(index) { Int64($0.count) * 100 }
        case .null: sum += 1000
        }
      }
      call.result(sum)
    }
    #expect(try connection.integer("SELECT weigh(1, 2.5, 'ab', NULL, x'00')") == 1326)
  }

  @Test("an expression may call the functions that are allowed, and the refused one is named")
  func authorizer() throws {
    let connection = try Connection(path, .memory)
    try connection.restrict(to: ["upper"])
    #expect(throws: Never.self) { _ = try connection.prepare("SELECT UPPER('a')") }
    #expect(connection.refusedAction == nil)
    #expect(throws: SQLiteError.self) { _ = try connection.prepare("SELECT upper(hex('a'))") }
    #expect(connection.refusedAction == "hex()")
  }

  @Test("a log that a reader pins is reported by the checkpoint, not thrown")
  func checkpoint() throws {
    let writer = try Connection(path, .create, waiting: .milliseconds(5))
    try writer.execute("PRAGMA journal_mode = WAL")
    try writer.execute("CREATE TABLE t (v)")
    let reader = try Connection(path, .readOnly)
    let isWhole = try reader.snapshot { () -> Bool in
      _ = try reader.integer("SELECT count(*) FROM t")
      try writer.run("INSERT INTO t VALUES (1)")
      return try writer.checkpoint(.truncate)
    }
    #expect(!isWhole)
    #expect(try writer.checkpoint(.truncate))
    #expect(writer.isLogEmpty)
  }

  @Test(
    "a library before 3.38 is refused with a cure",
    arguments: [(3_037_002, false), (3_038_000, true), (3_040_001, true), (4_000_000, true)])
  func version(number: Int, isEnough: Bool) {
    let isAccepted = (try? SQLiteVersion.check(number)) != nil  // the outcome is what is tested
    #expect(isAccepted == isEnough)
  }

  @Test("an actor on a queue of its own runs there")
  func executor() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await counter.count() } }
    }
    #expect(await counter.total == 100)
  }
}

private actor Counter {
  private let executor = QueueExecutor(label: "counter")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  var total = 0

  func count() {
    executor.checkIsolated()
    total += 1
  }
}
