import Glibc
import TestSupport
import Testing

@testable import SQLite

@Suite("The log is moved beside the connection that writes")
struct LogMoverTests {
  private let scratch = ScratchFolder()
  private var path: String { "\(scratch.path)/t.db" }

  private func size(_ path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  private func writer(isInPlace: Bool = true) throws -> Connection {
    let connection = try Connection(path, .create)
    try connection.useLog()
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB)")
    _ = try connection.checkpoint(.truncate)
    connection.log.moveWhenLong(
      framesMax: 80, ceiling: .max, mover: LogMover(path) { isInPlace })
    return connection
  }

  private func write(_ rows: Int, _ connection: Connection) throws {
    for _ in 0..<rows { try connection.run("INSERT INTO t (v) VALUES (zeroblob(4000))") }
  }

  @Test("as soon as it is long enough, and not before")
  func moves() throws {
    let connection = try writer()
    defer { connection.close() }
    let before = size(path)
    try write(10, connection)
    #expect(connection.log.frames < 50 && size(path) == before)
    while connection.log.frames < 60 { try write(1, connection) }
    connection.log.end()
    #expect(size(path) > before + 10 * 4_096)
    // The writer itself moves the rest and begins the log anew.
    while connection.log.frames >= 60 { try write(1, connection) }
    #expect(connection.log.frames < 20)
  }

  @Test("never where another file lies in the place of the database")
  func elsewhere() throws {
    let connection = try writer(isInPlace: false)
    defer { connection.close() }
    let before = size(path)
    while connection.log.frames < 70 { try write(1, connection) }
    connection.log.end()
    #expect(size(path) == before)
  }

  @Test(
    "and every row is there, however the two meet", arguments: Torture.seeds(plain: 12, long: 300))
  func whole(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let connection = try writer()
    var rows = 0
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      let count = Int.random(in: 1...30, using: &random)
      try connection.transaction { try write(count, connection) }
      rows += count
      if random.next() % 4 == 0 {
        try connection.run("UPDATE t SET v = zeroblob(3000) WHERE id % 7 = ?", [.integer(3)])
      }
    }
    connection.log.end()
    connection.close()
    let reader = try Connection(path, .readWrite)
    defer { reader.close() }
    #expect(try reader.integer("SELECT count(*) FROM t") == Int64(rows))
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }
}
