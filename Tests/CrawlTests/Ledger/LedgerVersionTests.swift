import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("The ledger's file")
struct LedgerVersionTests: LedgerBench {
  let folder = ScratchFolder()
  let time = VirtualTime()
  private var quota: QuotaAsk { ask(cost: 7, allow: 20, burst: 20) }

  /// A connection to a ledger that has counted something.
  private func begun() async throws -> Connection {
    let ledger = try await ledger()
    try await grant(ledger, quota)
    await ledger.close()
    return try Connection(path, .readWrite)
  }

  private func spent(_ connection: Connection) throws -> Int64? {
    try connection.integer("SELECT sum(cost) FROM trawl_uses")
  }

  /// A reader must not show it as unspent.
  private func expectRefusal(_ kind: LedgerError.Kind, _ words: String) async {
    func isRight(_ error: any Error) -> Bool {
      (error as? LedgerError)?.kind == kind && "\(error)".contains(words)
    }
    await #expect {
      try await ledger()
    } throws: {
      isRight($0)
    }
    await #expect {
      try await LedgerReading.left(in: [quota], file: path, now: time.now)
    } throws: {
      isRight($0)
    }
  }

  @Test("without a table, as a full disk leaves it, is none yet to whoever reads it")
  func halfMade() async throws {
    let connection = try Connection(path, .create)
    try connection.useLog()
    connection.close()
    #expect(LedgerReading.isBegun(path), "it has bytes")
    let left = try await LedgerReading.left(in: [quota], file: path, now: time.now)
    #expect(left.map(\.left) == [20])
    #expect(try await LedgerReading.image(of: path) == nil)
    let begun = try await begun()
    #expect(try spent(begun) == 7)
    begun.close()
  }

  @Test("is named where it cannot be made, and busy where another process keeps it locked")
  func outOfReach() async throws {
    let nowhere = "\(folder.path)/none/ledger.db"
    let words = "the ledger \(nowhere) cannot be made: unable to open database file"
    await #expect(throws: LedgerError(.cannotCreate, nowhere, words)) {
      try await ledger("none/ledger.db")
    }
    let busy = LedgerError(SQLiteError(code: 5, message: "database is locked"), path: path)
    #expect(busy.kind == .busy && busy.sentence.contains("run again when it has ended"))
  }

  @Test("keeps what it counts when a step adds to its tables, and is newer from then on")
  func upgrade() async throws {
    let connection = try await begun()
    defer { connection.close() }
    let steps =
      LedgerSchema.steps + ["ALTER TABLE trawl_quotas ADD COLUMN terms TEXT DEFAULT 'none'"]
    try connection.transaction { try LedgerSchema.upgrade(connection, steps) }
    #expect(try LedgerSchema.version(of: connection) == LedgerSchema.version + 1)
    #expect(try connection.text("SELECT terms FROM trawl_quotas") == "none")
    await expectRefusal(.newer, "a newer Trawl")
    #expect(try spent(connection) == 7)
  }

  @Test(
    "of a development version, or with a number that no release gave it, is refused, and nothing in it is forgotten",
    arguments: [
      ("PRAGMA user_version = -1", "is not a ledger of Trawl: move it away"),
      (
        "PRAGMA application_id = \(LedgerSchema.developmentID); PRAGMA user_version = 5",
        "(its schema 5), and no release reads what it counts as spent: begin in a fresh data folder"
      ),
    ])
  func foreign(mark: String, words: String) async throws {
    let connection = try await begun()
    defer { connection.close() }
    try connection.execute(mark)
    await expectRefusal(.foreign, words)
    #expect(try spent(connection) == 7)
  }

  @Test(
    "takes from a backup what it does not count, and still counts what was spent since",
    arguments: [5, 7])
  func backup(since: Int) async throws {
    let quota = ask(allow: 20)
    let lost = try await ledger()
    for _ in 0..<6 { try await grant(lost, quota) }
    await lost.close()
    let backup = try #require(try await LedgerReading.image(of: path))
    time.advance(by: .seconds(3000))
    let begun = try await ledger("begun.db")
    for _ in 0..<since { try await grant(begun, quota) }
    #expect(try await begun.take(from: backup) == 1)
    #expect(try await begun.left(in: quota).left == 14 - since)
    #expect(try await begun.take(from: backup) == 0)
    time.advance(by: .seconds(602))
    #expect(try await begun.left(in: quota).left == 20 - since)
    #expect(try await begun.take(from: backup) == 0)
    await begun.close()
  }

  @Test("takes from two backups what each had spent until then")
  func backups() async throws {
    let quota = ask(allow: 20)
    var backups: [[UInt8]] = []
    for (name, uses) in [("older", 5), ("newer", 6)] {
      let lost = try await ledger("\(name).db")
      for _ in 0..<uses { try await grant(lost, quota) }
      await lost.close()
      backups.append(try #require(try await LedgerReading.image(of: "\(folder.path)/\(name).db")))
      time.advance(by: .seconds(600))
    }
    let begun = try await ledger()
    // Only what another key has spent: nothing.
    let other = (origin: "https://api.example", account: "another")
    #expect(try await begun.take(from: backups[0], of: other) == 0)
    for backup in backups.reversed() { #expect(try await begun.take(from: backup) == 1) }
    #expect(try await begun.left(in: quota).left == 9)
    await begun.close()
  }
}
