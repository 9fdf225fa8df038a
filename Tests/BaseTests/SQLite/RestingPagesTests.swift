import Glibc
import Base
import TestSupport
import Testing

@Suite("A database file that nobody writes to")
struct RestingPagesTests {
  private let scratch = ScratchFolder()
  private var path: String { "\(scratch.path)/t.db" }

  private func writer() throws -> Connection {
    let connection = try Connection(path, .create)
    try connection.useLog()
    try connection.execute("CREATE TABLE IF NOT EXISTS t (v TEXT)")
    return connection
  }

  @Test("is read as it lies, with all that was in its log, and stays so while others go on writing")
  func rests() throws {
    let writer = try writer()
    defer { writer.close() }
    try writer.run("INSERT INTO t VALUES ('in the log, and then in the file')")
    let pages = try #require(try RestingPages(path))
    let bytes = try pages.read(pages.size, at: 0)
    #expect(String(decoding: bytes, as: UTF8.self).contains("in the log, and then in the file"))
    try writer.run("INSERT INTO t VALUES ('later')")
    _ = try writer.checkpoint(.passive)
    #expect(try pages.read(pages.size, at: 0) == bytes)
    #expect(try pages.read(8, at: bytes.count - 4).suffix(4) == [0, 0, 0, 0])
  }

  @Test(
    "is none while somebody reads an older state of it; whoever is about to write changes nothing of it"
  )
  func busy() throws {
    let writer = try writer()
    defer { writer.close() }
    let reader = try Connection(path, .readOnly)
    try reader.execute("BEGIN; SELECT * FROM t")
    try writer.run("INSERT INTO t VALUES ('behind the reader')")
    #expect(try RestingPages(path) == nil)
    reader.close()
    #expect(try RestingPages(path) != nil)
    try writer.run("BEGIN IMMEDIATE")
    let pages = try #require(try RestingPages(path))
    let bytes = try pages.read(pages.size, at: 0)
    try writer.run("INSERT INTO t VALUES ('not in it')")
    try writer.run("COMMIT")
    #expect(try pages.read(pages.size, at: 0) == bytes)
  }

  @Test("takes no lock of this process along when it is let go")
  func locks() throws {
    let writer = try writer()
    defer { writer.close() }
    do { _ = try RestingPages(path) }
    try writer.run("BEGIN IMMEDIATE")
    let other = try Connection(path, .readWrite, waiting: .zero)
    defer { other.close() }
    #expect(throws: SQLiteError.self) { try other.run("BEGIN IMMEDIATE") }
    try writer.run("COMMIT")
  }

  @Test("is of the same version until somebody commits, or another file lies there")
  func version() throws {
    let writer = try writer()
    let version = try DatabaseVersion(path)
    #expect(version.isCurrent && version.isCurrent)
    try writer.run("BEGIN IMMEDIATE")
    try writer.run("INSERT INTO t VALUES ('not yet')")
    #expect(version.isCurrent)
    try writer.run("COMMIT")
    #expect(!version.isCurrent)
    let pages = try #require(try RestingPages(path))
    let third = pages.version
    let second = try DatabaseVersion(path)
    withExtendedLifetime(pages) {}
    // An empty log is not emptied again, as if somebody had written.
    for _ in 1...2 { _ = try writer.checkpoint(.truncate) }
    writer.close()
    #expect(third.isCurrent)
    #expect(second.isCurrent)
    try Connection.copy(path, to: "\(path).new")
    rename("\(path).new", path)
    #expect(!second.isCurrent)
  }
}
