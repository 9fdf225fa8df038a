import Glibc
import Base
import TestSupport
import Testing

@Suite("The log is moved beside the connection that writes")
struct LogMoverTests {
  private let scratch = ScratchFolder()
  private var path: String { "\(scratch.path)/t.db" }

  private func size(_ path: String) -> Int64 { FilePlace(path: path)?.size ?? 0 }

  private func writer(
    isInPlace: @escaping @Sendable () -> Bool = { true }
  ) throws -> Connection {
    let connection = try Connection(path, .create)
    try connection.useLog()
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB)")
    _ = try connection.checkpoint(.truncate)
    connection.log.moveWhenLong(
      framesMax: 80, ceiling: .max, moverFrames: 50, mover: LogMover(path, isInPlace: isInPlace))
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
    // The writer moves the rest itself and restarts the log.
    while connection.log.frames >= 60 { try write(1, connection) }
    #expect(connection.log.frames < 20)
  }

  @Test("never where another file lies in the place of the database")
  func elsewhere() throws {
    let connection = try writer(isInPlace: { false })
    defer { connection.close() }
    let before = size(path)
    while connection.log.frames < 70 { try write(1, connection) }
    connection.log.end()
    #expect(size(path) == before)
  }

  /// Another file is at the path while the mover opens it, and afterwards still is or no longer.
  enum Exchange: CaseIterable { case lasts, isUndone }

  @Test(
    "never into a file that lay in the place of the database as it was opened",
    arguments: Exchange.allCases)
  func exchanged(exchange: Exchange) throws {
    let (path, aside, other) = (path, path + ".aside", path + ".other")
    let stranger = try Connection(other, .create)
    try stranger.useLog()
    try stranger.execute("CREATE TABLE theirs (v)")
    stranger.close()
    @Sendable func swap(back: Bool) {
      let moves = back ? [(path, other), (aside, path)] : [(path, aside), (other, path)]
      for (from, to) in moves { #expect(rename(from, to) == 0) }
    }
    // It checks before it opens the file, and again afterwards.
    let questions = Locked(0)
    let connection = try writer {
      let number = questions.withLock {
        $0 += 1
        return $0
      }
      if number == 1 { swap(back: false) }
      if number == 2, exchange == .isUndone { swap(back: true) }
      return number != 2 || exchange == .isUndone
    }
    while connection.log.frames < 60 { try write(1, connection) }
    connection.log.end()
    #expect(questions.withLock { $0 } == 2)
    if exchange == .lasts { swap(back: true) }
    let rows = try #require(try connection.integer("SELECT count(*) FROM t"))
    connection.close()
    let theirs = try Connection(other, .readWrite)
    defer { theirs.close() }
    #expect(try theirs.text("SELECT group_concat(name) FROM sqlite_schema") == "theirs")
    #expect(try theirs.text("PRAGMA integrity_check") == "ok")
    let ours = try Connection(path, .readWrite)
    defer { ours.close() }
    #expect(try ours.integer("SELECT count(*) FROM t") == rows)
    #expect(try ours.text("PRAGMA integrity_check") == "ok")
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
