internal import Model
internal import SQLite
internal import TestSupport
internal import Testing

@testable import Ledger

/// The files are described in StoreTests/OldFiles.
@Suite("A ledger that an earlier commit wrote")
struct OldLedgerTests {
  let folder = ScratchFolder()

  private func schema(_ path: String) throws -> [String] {
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    return try connection.rows(
      "SELECT name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1"
    ) { $0.text(0) ?? "" }
  }

  @Test("is upgraded with all that it held, to the schema of a new one", arguments: [1, 2])
  func upgrade(version: Int) async throws {
    let path = "\(folder.path)/ledger.db"
    try await OldFile.unpack("ledger-\(version)", to: path, beside: #filePath)
    let before = try Connection(path, .readOnly)
    let uses = try before.integer("SELECT sum(cost) FROM trawl_uses")
    let origin = try #require(try before.text("SELECT DISTINCT origin FROM trawl_buckets"))
    let seen = try #require(try before.integer("SELECT max(seen_at) FROM trawl_buckets"))
    before.close()
    let time = VirtualTime()
    try await (QuotaLedger.open(file: path, timekeeper: time.timekeeper)).close()
    let after = try Connection(path, .readOnly)
    #expect(try after.integer("SELECT sum(cost) FROM trawl_uses") == uses)
    #expect(try after.integer("SELECT count(*) FROM trawl_quotas") == 5)
    #expect(try after.integer("SELECT max(seen_wall) FROM trawl_quotas") == seen)
    #expect(
      try after.text("SELECT DISTINCT origin FROM trawl_quotas WHERE quota = 'core'") == origin)
    after.close()
    let new = "\(folder.path)/new.db"
    try await (QuotaLedger.open(file: new, timekeeper: time.timekeeper)).close()
    #expect(try schema(path) == schema(new))
  }
}
