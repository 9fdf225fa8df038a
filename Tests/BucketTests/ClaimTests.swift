import Base
import Glibc
import TestSupport
import Testing
import Transport

@testable import Bucket

@Suite("A claim on a folder in a bucket")
struct ClaimTests {
  private let workers = Workers()

  @Test(
    "of a dead process is taken over at once by the next one of its cache, with all that it wrote")
  func sameCache() throws {
    var a: Claim? = try workers.claim("a")
    try #require(a).put(rows: ["put"])
    try Rows.add(["written"], to: #require(a))
    a = nil
    let again = try workers.claim("a")
    #expect(again.epoch == 2)
    try again.put(["trawl.db"])
    #expect(try workers.read() == ["put", "written"])
  }

  @Test(
    "that slept past its lease sends nothing more, and its put is refused where another one has the folder"
  )
  func fence() throws {
    let a = try workers.claim("a")
    try a.put(rows: ["a"])
    #expect(a.isLive)
    workers.time.advance(by: .seconds(61))
    #expect(!a.isLive)
    let b = try workers.claim("b")
    try Rows.add(["late"], to: a)
    #expect(throws: BucketError.fenced(by: b.head.owner)) { try a.put(["trawl.db"]) }
    try b.put(rows: ["b"])
    // Leaving changes nothing of another worker's.
    try a.leave()
    #expect(b.isLive)
    #expect(try workers.read() == ["a", "b"])
  }

  @Test("that slept past its lease is never live again, and keeps what it has where nobody came")
  func deadForGood() throws {
    let a = try workers.claim("a")
    workers.time.advance(by: .seconds(41))
    #expect(!a.isLive)
    try a.tick()
    #expect(!a.isLive)
    #expect(try a.put(rows: ["late"]))
    #expect(!a.isLive)
    try a.leave()
    #expect(try workers.read() == ["late"])
    _ = try workers.claim("b")
  }

  @Test("lives as long as it is renewed")
  func renewal() throws {
    let a = try workers.claim("a")
    for _ in 0..<30 {
      workers.time.advance(by: .seconds(10))
      try a.tick()
      #expect(a.isLive)
    }
    // Every 20 s, and not at each tick.
    #expect(workers.store.requests("PUT trawl/things/head").count == 2 + 15)
    #expect(throws: BucketError.self) { try workers.claim("b") }
  }

  @Test("outlives one renewal that fails, and not two")
  func missedRenewals() throws {
    let a = try workers.claim("a")
    workers.store.interfere { _ in .lost }
    workers.time.advance(by: .seconds(20))
    #expect(throws: BucketError.self) { try a.tick() }
    #expect(a.isLive)
    workers.time.advance(by: .seconds(20))
    #expect(!a.isLive)
  }

  @Test("knows its own change of the head where the answer was lost")
  func lostAnswer() throws {
    let a = try workers.claim("a")
    try Rows.add(["one"], to: a)
    let lost = Locked(false)
    workers.store.interfere { request in
      guard request == "PUT trawl/things/head" else { return nil }
      return lost.withLock { wasLost in
        defer { wasLost = true }
        return wasLost ? nil : .answerLost
      }
    }
    #expect(try a.put(["trawl.db"]))
    #expect(try a.put(["trawl.db"]) == false)
    try a.tick()
    try a.leave()
    #expect(try workers.read() == ["one"])
  }

  @Test("knows its own change of the head where the store was away until that put had failed")
  func lostAnswerForLong() throws {
    let a = try workers.claim("a")
    let beside = try workers.claim("a")
    try Rows.add(["one"], to: a)
    let isAway = Locked(false)
    workers.store.interfere { request in
      isAway.withLock { isAway in
        if isAway { return .lost }
        guard request == "PUT trawl/things/head" else { return nil }
        isAway = true
        return .answerLost
      }
    }
    #expect(throws: BucketError.self) { try a.put(["trawl.db"]) }
    workers.store.interfere { _ in nil }
    workers.time.advance(by: .seconds(25))
    try beside.tick()
    #expect(a.isLive && beside.isLive)
    #expect(try a.put(rows: ["two"]))
    try beside.leave()
    try a.leave()
    #expect(try workers.folder.holder() == nil)
    #expect(try workers.read() == ["one", "two"])
  }

  @Test("is shared by processes of one cache, and given back by the last of them")
  func sharing() throws {
    let first = try Claim.take(workers.folder, workers.settings("a"))
    // While the first one fetches the files, no other may use them.
    #expect(throws: BucketError.self) { try workers.claim("a") }
    try first.restore()
    try first.share()
    let second = try workers.claim("a")
    #expect(!second.isFirst && second.epoch == first.epoch)
    try first.put(rows: ["first"])
    try second.put(rows: ["second"])
    workers.time.advance(by: .seconds(25))
    try second.tick()
    try first.tick()
    #expect(workers.store.requests("PUT trawl/things/head").count == 2 + 2 + 1)
    try first.leave()
    #expect(try workers.folder.holder() != nil)
    workers.time.advance(by: .seconds(25))
    try second.tick()
    #expect(second.isLive)
    try second.leave()
    #expect(try workers.folder.holder() == nil)
    #expect(try workers.read() == ["first", "second"])
  }

  @Test("is refused by a store that takes what it must refuse, and by one without a clock")
  func unsoundStores() throws {
    let unsound = Workers()
    unsound.store.state.withLock { $0.content.ignoresConditions = true }
    #expect(throws: BucketError.unsound) { try unsound.claim("a") }
    #expect(unsound.store.state.withLock { $0.content.objects.isEmpty })
    #expect(throws: BucketError.noClock) { try Workers(hasClock: false).claim("a") }
  }

  @Test("leaves what a newer program wrote as it is")
  func newer() throws {
    let text = Array(#"{"format":2}"#.utf8)
    _ = try workers.store.put("trawl/things/head", text, type: "")
    #expect(throws: BucketError.newer(2)) { try workers.claim("a") }
    #expect(throws: BucketError.newer(2)) { try workers.read() }
    #expect(workers.store.state.withLock { $0.content.objects["trawl/things/head"]?.bytes } == text)
  }

  @Test(
    "is refused where the head is gone and something of the folder is left, which nobody touches")
  func headless() throws {
    let a = try workers.claim("a")
    try a.put(rows: ["one"])
    try workers.store.delete("trawl/things/head")
    // In the midst: what is under way ends, and does not come back.
    try Rows.add(["two"], to: a)
    #expect(throws: BucketError.headless) { try a.put(["trawl.db"]) }
    #expect(!a.isLive && a.lost == .headless)
    try a.leave()
    let left = try workers.store.list("")
    // The machine that has a database of it, one that has nothing, and a reader.
    for name in ["a", "b"] {
      #expect(throws: BucketError.headless) { try workers.claim(name) }
      #expect(throws: BucketError.headless) { try workers.read(name) }
    }
    #expect(try workers.store.list("") == left)
    #expect(try a.rows() == ["one", "two"])
    for piece in left { try workers.store.delete(piece.key) }
    #expect(throws: BucketError.headless) { try workers.claim("a") }
    let anew = try workers.claim("b")
    #expect(anew.epoch == 1)
    try anew.put(rows: ["of b"])
    try anew.leave()
    // The first machine has the last copy of what was there before.
    let back = try workers.claim("a")
    let aside = try #require(back.setAside)
    #expect(try Rows.all(of: "\(aside)/trawl.db") == ["one", "two"])
    #expect(try back.rows() == ["of b"])
    try back.leave()
    #expect(try workers.claim("a").setAside == nil)
  }

  @Test("tells when what its cache had not put gave way to what another machine put")
  func discarded() throws {
    var a: Claim? = try workers.claim("a")
    try #require(a).put(rows: ["one"])
    try Rows.add(["not put"], to: #require(a))
    // Killed, and nobody else came: all goes on.
    a = nil
    a = try workers.claim("a")
    #expect(a?.hasDiscarded == false)
    try a?.put(["trawl.db"])
    try a?.leave()
    let b = try workers.claim("b")
    #expect(!b.hasDiscarded)
    try b.put(rows: ["of b"])
    try b.leave()
    // All that it had was put.
    a = try workers.claim("a")
    #expect(a?.hasDiscarded == false)
    try Rows.add(["lost"], to: #require(a))
    try a?.leave()
    let again = try workers.claim("b")
    try Rows.add((0..<200).map { "more \($0)" }, to: again, filling: 2000)
    try again.put(["trawl.db"], isWhole: true)
    try again.leave()
    a = try workers.claim("a")
    #expect(a?.hasDiscarded == true)
    #expect(try workers.read("a").count == 203)
  }

  @Test(
    "and what it reads is requested again where it came cut short, and is damaged if it stays so",
    arguments: ["GET one/head", "GET keys/", "GET one/pieces/"])
  func cutShort(request: String) throws {
    let workers = Workers("one")
    let a = try workers.claim("a")
    _ = try a.take(key: "https://api.example", "account")
    try a.put(rows: ["one"])
    try a.leave()
    let shorts = Locked(1)
    workers.store.interfere { name in
      guard name.hasPrefix(request) else { return nil }
      return shorts.withLock { left in
        left -= 1
        return left < 0 ? nil : .short
      }
    }
    let b = try workers.claim("b")
    _ = try b.take(key: "https://api.example", "account")
    #expect(shorts.withLock { $0 } < 0)
    #expect(try b.rows() == ["one"])
    try b.leave()
    shorts.withLock { $0 = 99 }
    do {
      _ = try workers.claim("c").take(key: "https://api.example", "account")
      Issue.record("half of it sufficed")
    } catch BucketError.damaged {}
  }

  @Test("on a folder claims a key for it, which no other folder gets while that claim holds")
  func keys() throws {
    let workers = Workers("one")
    let other = BucketFolder(workers.store, path: "two")
    let a = try workers.claim("a")
    #expect(try a.take(key: "https://api.example", "account") == nil)
    #expect(try a.take(key: "https://api.example", "account") == nil)
    let b = try Claim.take(other, workers.settings("b"))
    #expect(try b.take(key: "https://api.example", "another account") == nil)
    #expect(throws: BucketError.self) { try b.take(key: "https://api.example", "account") }
    try a.leave()
    // The first folder's uses are reported until they are counted.
    #expect(try b.take(key: "https://api.example", "account") == "one")
    #expect(try b.take(key: "https://api.example", "account") == "one")
    try b.noteCounted(key: "https://api.example", "account")
    #expect(try b.take(key: "https://api.example", "account") == nil)
    // A new claim of the first folder is refused now.
    let again = try workers.claim("a")
    #expect(throws: BucketError.self) { try again.take(key: "https://api.example", "account") }
    workers.time.advance(by: .seconds(61))
    let late = try workers.claim("c")
    #expect(try late.take(key: "https://api.example", "account") == "two")
  }
}
