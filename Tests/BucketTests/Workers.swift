import Base
import Glibc
import TestSupport
import Transport

@testable import Bucket

/// A store in memory, and machines around it. All clocks are the test's own; each machine's wall clock is off by as
/// much as the test says.
final class Workers {
  let scratch = ScratchFolder(isInMemory: true)
  let time = VirtualTime()
  let store: MemoryStore
  let folder: BucketFolder
  static let lease = Duration.seconds(60)

  init(_ path: String = "trawl/things", hasClock: Bool = true) {
    let time = time
    store = MemoryStore(clock: { hasClock ? time.now : nil })
    folder = BucketFolder(store, path: path)
  }

  func settings(_ name: String, clockOff: Duration = .zero) -> Claim.Settings {
    let keeper = time.timekeeper
    let skewed = Timekeeper(
      now: { keeper.now() + clockOff }, elapsed: keeper.elapsed, sleep: keeper.sleep,
      random: keeper.random)
    return Claim.Settings(
      cache: "\(scratch.path)/\(name)", name: name, lease: Self.lease, time: skewed)
  }

  /// Claims the folder, and fetches what is newer.
  func claim(_ name: String, clockOff: Duration = .zero) throws -> Claim {
    let claim = try Claim.take(folder, settings(name, clockOff: clockOff))
    if claim.isFirst { try claim.restore() }
    try claim.share()
    return claim
  }

  /// Rows of a folder's database as a reader of another machine finds it.
  func read(_ name: String = "reader") throws -> [String] {
    let cache = ReadCache(folder, cache: "\(scratch.path)/\(name)")
    guard let version = try cache.refresh(wantsFiles: false) else { return [] }
    return try Rows.all(of: "\(version.path)/trawl.db")
  }
}

extension Claim {
  /// Adds rows to its database, and puts that.
  @discardableResult
  func put(rows: [String], filling: Int = 0) throws -> Bool {
    try Rows.add(rows, to: self, filling: filling)
    return try put(["trawl.db"])
  }

  func rows() throws -> [String] { try Rows.all(of: "\(settings.work)/trawl.db") }
}

/// A database as a run writes it: with a log, and rows of some length.
enum Rows {
  static func add(_ rows: [String], to claim: Claim, filling: Int = 0) throws {
    let connection = try Connection("\(claim.settings.work)/trawl.db", .create)
    defer { connection.close() }
    try connection.useLog()
    try connection.transaction {
      try connection.execute("CREATE TABLE IF NOT EXISTS rows (name TEXT PRIMARY KEY, body BLOB)")
      for row in rows {
        try connection.run(
          "INSERT INTO rows VALUES (?, randomblob(?))", [SQLValue(row), SQLValue(filling)])
      }
    }
  }

  static func run(_ sql: String, in claim: Claim) throws {
    let connection = try Connection("\(claim.settings.work)/trawl.db", .readWrite)
    defer { connection.close() }
    try connection.execute(sql)
  }

  static func all(of path: String) throws -> [String] {
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    return try connection.rows("SELECT name FROM rows ORDER BY name") { $0.text(0) ?? "" }
  }
}
