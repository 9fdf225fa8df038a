import Base
import Glibc
import TestSupport
import Testing
import Transport

@testable import Bucket

@Suite("What lies in the cache of a machine")
struct WorkMarkTests {
  private let workers = Workers()

  @Test("is not put where it could not be brought to what the head names")
  func failedRestore() throws {
    for (machine, row) in [("old", "one"), ("new", "two")] {
      let claim = try workers.claim(machine)
      try Rows.add([row], to: claim)
      try claim.put(["ledger.db", "trawl.db"])
      try claim.leave()
    }
    let claim = try Claim.take(workers.folder, workers.settings("old"))
    workers.store.interfere { $0.holds("GET trawl/things/pieces") ? .lost : nil }
    #expect(throws: BucketError.self) { try claim.restore() }
    workers.store.interfere { _ in nil }
    #expect(try claim.put(["ledger.db", "trawl.db"]) == false)
    try claim.leave()
    #expect(try workers.read() == ["one", "two"])
    let again = try workers.claim("old")
    #expect(try again.rows() == ["one", "two"])
  }

  @Test(
    "is fetched again where the disk has damaged it, and nobody gets the damage",
    arguments: [true, false], [0, 8192])
  func damagedFile(wasKilled: Bool, at place: Int) throws {
    let rows = (1...40).map { "row \($0 + 100)" }
    var claim: Claim? = try workers.claim("a")
    try #require(claim).put(rows: rows, filling: 500)
    if !wasKilled { try claim?.leave() }
    claim = nil
    let path = "\(workers.scratch.path)/a/work/trawl.db"
    let file = open(path, O_RDWR | O_CLOEXEC)
    #expect(pwrite(file, [UInt8](repeating: 0, count: 8192), 8192, place) == 8192)
    close(file)
    let again = try workers.claim("a")
    #expect(try Rows.all(of: path) == rows)
    #expect(try again.put(["trawl.db"]) == false)
    #expect(try workers.read() == rows)
  }

  @Test("is dropped where a command has found it damaged")
  func damageSeen() throws {
    let claim = try workers.claim("a")
    try claim.put(rows: ["good"])
    // SQLite sees nothing wrong with it.
    try Rows.add(["bad"], to: claim)
    try claim.leave(isDamaged: true)
    #expect(try Rows.all(of: "\(try workers.claim("a").settings.work)/trawl.db") == ["good"])
  }

  @Test("copied with its machine does not make the copy its owner")
  func twins() throws {
    let claim = try workers.claim("a")
    let (own, twin) = ("\(workers.scratch.path)/a", "\(workers.scratch.path)/twin")
    mkdir(twin, 0o700)
    for name in ["owner", "owner.bond"] {
      let bytes = try #require(FileBytes.first(1000, of: "\(own)/\(name)"))
      try CacheFile.write(bytes, to: "\(twin)/\(name)")
    }
    #expect(throws: BucketError.held(by: claim.head.owner, until: claim.head.until)) {
      try workers.claim("twin")
    }
  }

  @Test("put whole leaves no older piece, and readers find all that is left")
  func wholeAgain() throws {
    let claim = try workers.claim("a")
    try claim.put(rows: (1...40).map { "row \($0)" }, filling: 500)
    try claim.put(rows: ["late"])
    let pieces = { try workers.store.list("trawl/things/pieces/").map(\.key) }
    let before = try pieces()
    #expect(before.count == 2)
    try Rows.run("DELETE FROM rows WHERE name <> 'late'; VACUUM", in: claim)
    #expect(try claim.put(["trawl.db"], isWhole: true))
    try claim.collect(isWhole: true)
    let after = try pieces()
    #expect(after.count == 1 && Set(after).isDisjoint(with: before))
    #expect(try workers.read() == ["late"])
    // The next put goes on from there.
    try claim.put(rows: ["later"])
    #expect(try workers.read() == ["late", "later"])
  }
}
