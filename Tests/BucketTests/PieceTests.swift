import Base
import Glibc
import TestSupport
import Testing
import Transport

@testable import Bucket

@Suite("Pieces of a database")
struct PieceTests {
  private let workers = Workers()

  private func pieceBytes(_ workers: Workers) -> [Int] {
    workers.store.state.withLock { state in
      state.content.objects.filter { $0.key.hasPrefix("trawl/things/pieces/trawl.db/") }
        .sorted { $0.key < $1.key }.map(\.value.bytes.count)
    }
  }

  @Test("are only the pages that differ, and nothing where none does")
  func deltas() throws {
    let a = try workers.claim("a")
    try a.put(rows: (0..<500).map { "row \($0)" }, filling: 2000)
    let requests = workers.store.requests("").count
    #expect(try a.put(["trawl.db"]) == false)
    #expect(workers.store.requests("").count == requests)
    try a.put(rows: ["one more"])
    let bytes = pieceBytes(workers)
    #expect(bytes.count == 2 && bytes[1] * 20 < bytes[0], "\(bytes)")
    #expect(try workers.read().count == 501)
  }

  @Test("become a new base where the deltas come to half of one, and one delta where they are many")
  func rebasing() throws {
    let a = try workers.claim("a")
    try a.put(rows: (0..<400).map { "row \($0)" }, filling: 3000)
    for index in 0...Head.deltasMax {
      try a.put(rows: ["small \(index)"])
    }
    let merged = try #require(a.head.files["trawl.db"])
    #expect(merged.pieces.count == 2 && merged.baseCount == 1)
    #expect(try workers.read().count == 400 + Head.deltasMax + 1)
    try a.put(rows: (0..<400).map { "more \($0)" }, filling: 3000)
    let rebased = try #require(a.head.files["trawl.db"])
    #expect(rebased.pieces.count == rebased.baseCount)
    #expect(try workers.read().count == 800 + Head.deltasMax + 1)
  }

  @Test(
    "that the bucket has lost are put anew by the machine that has them all, also with no change")
  func torn() throws {
    let a = try workers.claim("a")
    try a.put(rows: (0..<300).map { "row \($0)" }, filling: 2000)
    try a.leave()
    let b = try workers.claim("b")
    try b.put(rows: ["one more"])
    try b.leave()
    let base = try #require(b.head.files["trawl.db"]?.pieces.first).name
    try workers.folder.delete(workers.folder.key("pieces/trawl.db/\(base)"))
    #expect(throws: BucketError.self) { try workers.read() }
    let again = try workers.claim("a")
    #expect(again.torn == ["trawl.db"])
    #expect(try again.put(["trawl.db"]) && again.torn.isEmpty)
    #expect(try workers.read().count == 301)
    try again.leave()
    #expect(try workers.claim("a").torn.isEmpty)
  }

  @Test(
    "that a cache has are not fetched again: by a reader, and by a machine that writes once more")
  func refresh() throws {
    let fetched = { workers.store.requests("GET trawl/things/pieces/trawl.db/").count }
    let a = try workers.claim("a")
    try a.put(rows: (0..<300).map { "row \($0)" }, filling: 2000)
    try a.leave()
    #expect(try workers.read().count == 300)
    #expect(fetched() == 1)
    #expect(try workers.read().count == 300)
    #expect(fetched() == 1)
    let b = try workers.claim("b")
    #expect(fetched() == 2)
    try b.put(rows: ["of b"])
    try b.leave()
    #expect(try workers.read().count == 301)
    #expect(fetched() == 3)
    let again = try workers.claim("a")
    #expect(fetched() == 4)
    #expect(try again.rows().count == 301)
    try again.put(rows: ["of a"])
    #expect(again.head.files["trawl.db"]?.pieces.count == 3)
    try again.leave()
    // No other worker came: nothing is fetched.
    _ = try workers.claim("a")
    #expect(fetched() == 4)
  }

  @Test("leave out free pages, whatever those hold")
  func freePages() throws {
    let a = try workers.claim("a")
    try a.put(rows: (0..<1000).map { "row \($0)" }, filling: 3000)
    try Rows.run("DELETE FROM rows WHERE name > 'row 2'", in: a)
    try a.put(["trawl.db"])
    let bytes = pieceBytes(workers)
    #expect(bytes[1] * 10 < bytes[0], "\(bytes)")
    let left = try workers.read()
    #expect(left == (0..<1000).map { "row \($0)" }.filter { $0 <= "row 2" }.sorted())
    try Rows.run("VACUUM", in: a)
    try a.put(["trawl.db"])
    #expect(try workers.read() == left)
    try a.leave()
    let copy = "\(try workers.claim("b").settings.work)/trawl.db"
    #expect(try Database(copy).rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test("that are damaged or gone are told, and the cache stays as it was")
  func damage() throws {
    let a = try workers.claim("a")
    func last() throws -> (key: String, bytes: [UInt8]) {
      let name = try #require(a.head.files["trawl.db"]?.pieces.last?.name)
      let key = "trawl/things/pieces/trawl.db/\(name)"
      return (key, try #require(try workers.store.get(key)).bytes)
    }
    try a.put(rows: ["one"])
    #expect(try workers.read() == ["one"])
    // Whole, but of another state of the file.
    let former = try last().bytes
    try a.put(rows: ["two"])
    let (key, good) = try last()
    var bad = good
    bad[bad.count / 2] ^= 1
    for bytes in [bad, former, Array(good.prefix(20)), Array("nothing".utf8)] {
      _ = try workers.store.put(key, bytes, type: "")
      #expect(throws: BucketError.self) { try workers.read() }
      #expect(throws: BucketError.self) { try workers.read("new") }
    }
    try workers.store.delete(key)
    #expect(throws: BucketError.self) { try workers.read("newer") }
    _ = try workers.store.put(key, good, type: "")
    #expect(try workers.read() == ["one", "two"])
  }

  @Test("are removed a day after no head names them any more")
  func collecting() throws {
    let a = try workers.claim("a")
    for index in 0..<4 {
      try a.put(rows: (0..<50).map { "\(index) \($0)" }, filling: 4000)
      workers.time.advance(by: .seconds(15))
    }
    let count = pieceBytes(workers).count
    try a.collect()
    #expect(pieceBytes(workers).count == count)
    try a.leave()
    workers.time.advance(by: .seconds(90_000))
    let b = try workers.claim("b")
    try b.collect()
    let left = pieceBytes(workers).count
    #expect(left < count && left == b.head.files["trawl.db"]?.pieces.count)
    #expect(try workers.read().count == 200)
  }

  @Test("of a put under way stay where another process of the machine removes older ones")
  func putBesideRemoval() throws {
    let (first, second) = try (workers.claim("a"), workers.claim("a"))
    try first.put(rows: ["one"])
    let work = first.settings.work
    try Claim.copy("\(work)/trawl.db", to: "\(work)/ledger.db")
    try Rows.add(["two"], to: second)
    let step = Locked(0)
    workers.store.interfere { request in
      do {
        let now = step.withLock { $0 }
        if now == 0, request.hasPrefix("PUT trawl/things/pieces/trawl.db/") {
          step.withLock { $0 = 1 }
          // The head's number rises, too.
          try first.put(["ledger.db"])
          step.withLock { $0 = 2 }
        } else if now == 2, request == "PUT trawl/things/head" {
          step.withLock { $0 = 3 }
          try first.collect(isWhole: true)
        }
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(try second.put(["trawl.db"]))
    #expect(step.withLock { $0 } == 3)
    #expect(try workers.read() == ["one", "two"])
  }

  @Test("of the next holder stay where a machine that slept removes older ones")
  func lateRemoval() throws {
    let a = try workers.claim("a")
    try Rows.add(["one"], to: a)
    try a.put(["trawl.db"], isWhole: true)
    workers.time.advance(by: .seconds(61))
    let b = try workers.claim("b")
    try b.put(rows: ["two"])
    try a.collect(isWhole: true)
    #expect(try workers.read() == ["one", "two"])
  }

  @Test("of two processes of one machine never have the same number, and go on from each other's")
  func numbers() throws {
    let (first, second) = try (workers.claim("a"), workers.claim("a"))
    try first.put(rows: (0..<300).map { "row \($0)" }, filling: 2000)
    try second.put(rows: ["one more"])
    let pieces = try #require(second.head.files["trawl.db"]?.pieces)
    #expect(pieces.map { Head.Piece.seq(of: $0.name) } == [1, 2])
  }

  @Test(
    "that are removed while they are read make a reader begin again with what is there then",
    arguments: [1, 2])
  func readDuringRemoval(times: Int) throws {
    let a = try workers.claim("a")
    try a.put(rows: ["one"])
    let removals = Locked(0)
    workers.store.interfere { request in
      guard request.hasPrefix("GET trawl/things/pieces/"), removals.withLock({ $0 }) < times else {
        return nil
      }
      removals.withLock { $0 += 1 }
      do {
        try a.put(["trawl.db"], isWhole: true)
        try a.collect(isWhole: true)
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(try workers.read() == ["one"])
    #expect(removals.withLock { $0 } == times)
  }

  @Test("of a full disk make a put fail, and the next one succeed")
  func fullDisk() throws {
    let a = try workers.claim("a")
    try Rows.add(["one"], to: a)
    // A folder in the place of the copy: nothing can be written there.
    let copy = "\(a.settings.cache)/trawl.db.copy"
    mkdir(copy, 0o755)
    #expect(throws: BucketError.self) { try a.put(["trawl.db"], isWritten: true) }
    #expect(try workers.read() == [])
    rmdir(copy)
    try a.put(["trawl.db"])
    #expect(try workers.read() == ["one"])
  }
}

@Suite("What was put of a database")
struct PutVersionTests {
  private let workers = Workers()

  @Test("is not looked at again before somebody writes to it, also from another process")
  func unchanged() throws {
    let a = try workers.claim("a")
    #expect(try a.put(rows: ["one"]))
    #expect(a.isPut("trawl.db"))
    #expect(try a.put(["trawl.db"]) == false)
    try Rows.add(["two"], to: a)
    #expect(!a.isPut("trawl.db"))
    #expect(try a.put(["trawl.db"]))
    #expect(try workers.read() == ["one", "two"])
    // Another file in its place is another database.
    let path = "\(a.settings.work)/trawl.db"
    try Claim.copy(path, to: "\(path).new")
    rename("\(path).new", path)
    #expect(!a.isPut("trawl.db"))
  }

  @Test(
    "is the same, page for page, from the file itself as from a copy, while others read and write")
  func sameEitherWay() throws {
    let a = try workers.claim("a")
    for round in 0..<4 {
      try Rows.add((0..<20).map { "\(round) \($0)" }, to: a, filling: 3_000)
      let path = "\(a.settings.work)/trawl.db"
      // An open run holds the log: then the file alone is not the database.
      let run = try Connection(path, .readWrite)
      try run.execute("BEGIN; SELECT count(*) FROM rows")
      try Rows.add(["\(round) on"], to: a)
      #expect(try a.put(["trawl.db"]) && a.isPut("trawl.db"))
      let digest = a.head.files["trawl.db"]?.digest
      run.close()
      try Claim.copy(path, to: "\(path).copy")
      #expect(try PageDigests(of: PageFile(reading: "\(path).copy")).digest == digest)
      let resting = try #require(RestingFile(path))
      #expect(try PageDigests(of: resting).digest == digest)
      // Later writes are not in what is being read, but in what is put next.
      try Rows.add(["\(round) meanwhile"], to: a)
      #expect(try PageDigests(of: resting).digest == digest)
    }
    try a.put(["trawl.db"])
    #expect(try workers.read().count == 4 * 22)
  }
}
