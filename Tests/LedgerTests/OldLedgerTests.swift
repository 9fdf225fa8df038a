internal import Glibc
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

  @Test("shows a reader what is spent before any run has upgraded it", arguments: [1, 2, 4])
  func reading(version: Int) async throws {
    let path = "\(folder.path)/ledger.db"
    try await OldFile.unpack("ledger-\(version)", to: path, beside: #filePath)
    let before = try bytes(path)
    let old = try Connection(path, .readOnly)
    let spent = try #require(
      try old.row(
        """
        SELECT origin, \(version < 3 ? "bucket" : "quota"), account, sum(cost), max(at)
        FROM trawl_uses JOIN \(Self.quotas(version)) GROUP BY 1, 2, 3 ORDER BY 4 DESC
        """
      ) { row in
        (
          key: QuotaKey(
            origin: row.text(0) ?? "", name: row.text(1) ?? "", account: row.text(2) ?? ""),
          cost: row.int(3), at: Instant(milliseconds: row.integer(4))
        )
      })
    old.close()
    let ask = QuotaAsk(
      key: spent.key, cost: 1, allow: 1_000_000, stretch: .rolling(.seconds(30 * 86_400)),
      burst: 1_000_000)
    let left = try await LedgerReading.left(in: [ask], file: path, now: spent.at)
    #expect(spent.cost > 0 && left[0].users.reduce(0) { $0 + $1.cost } == spent.cost)
    // The server's own count may say less.
    #expect(left[0].left <= 1_000_000 - spent.cost)
    // Version 1 did not say how long a quota is, so nothing is shown of it without a job file.
    let shown = try await LedgerReading.quotas(of: spent.key.origin, file: path, now: spent.at)
    #expect(shown.isEmpty == (version == 1))
    #expect(
      version == 1 || shown.contains { $0.key == spent.key && $0.left.left < $0.left.allowed })
    #expect(try bytes(path) == before, "a reader upgrades nothing")
  }

  @Test("of a newer Trawl is refused by a reader, too, and never shown as unspent")
  func newer() async throws {
    let path = "\(folder.path)/ledger.db"
    let time = VirtualTime()
    try await (QuotaLedger.open(file: path, timekeeper: time.timekeeper)).close()
    let connection = try Connection(path, .readWrite)
    try connection.execute("PRAGMA user_version = 99")
    connection.close()
    let ask = QuotaAsk(
      key: QuotaKey(origin: "https://api.example", name: "all", account: ""), cost: 1, allow: 10,
      stretch: .rolling(.seconds(60)), burst: 10)
    await #expect {
      try await LedgerReading.left(in: [ask], file: path, now: time.now)
    } throws: {
      ($0 as? LedgerError)?.kind == .newer
    }
  }

  private static func quotas(_ version: Int) -> String {
    version < 3
      ? "trawl_buckets ON trawl_buckets.id = bucket_id"
      : "trawl_quotas ON trawl_quotas.id = quota_id"
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var facts = stat()
    try #require(fstat(file, &facts) == 0)
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    #expect(read(file, &bytes, bytes.count) == bytes.count)
    return bytes
  }

  @Test("is upgraded with all that it held, to the schema of a new one", arguments: [1, 2, 4])
  func upgrade(version: Int) async throws {
    let path = "\(folder.path)/ledger.db"
    try await OldFile.unpack("ledger-\(version)", to: path, beside: #filePath)
    let before = try Connection(path, .readOnly)
    let uses = try before.integer("SELECT sum(cost) FROM trawl_uses")
    let table = version < 3 ? "trawl_buckets" : "trawl_quotas"
    let origin = try #require(try before.text("SELECT DISTINCT origin FROM \(table)"))
    let seen = try #require(try before.integer("SELECT max(seen_at) FROM \(table)"))
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
