import Base
import TestSupport
import Testing

@testable import Bucket

@Suite("The head of a folder")
struct HeadTests {
  private let now = Instant(seconds: 1_795_000_000)
  private let lease = Duration.seconds(60)

  private func file(_ names: [String], base: Int = 1) -> Head.File {
    Head.File(
      size: 4096, pageBytes: 4096, digest: "d-\(names.last ?? "")",
      pieces: names.map { Head.Piece(name: $0, bytes: 100, digest: "d-\($0)") }, baseCount: base)
  }

  @Test("is claimed where nobody has it, where a lease has ended, and by the cache that had it")
  func claims() throws {
    let first = try #require(Head().claimed(by: "a", at: now, for: lease))
    #expect(first.epoch == 1 && first.owner == "a" && first.until == now + lease)
    #expect(first.claimed(by: "b", at: now + .seconds(59), for: lease) == nil)
    let second = try #require(first.claimed(by: "b", at: now + .seconds(60), for: lease))
    #expect(second.epoch == 2)
    #expect(first.claimed(by: "a", at: now, for: lease)?.epoch == 2)
    #expect(second.givenBack().claimed(by: "a", at: now, for: lease)?.epoch == 3)
  }

  @Test("is the same after it was written as JSON and read")
  func json() throws {
    var head = try #require(Head().claimed(by: "host-1", at: now, for: lease))
    head = head.holding(["trawl.db": file(["1-1-a", "1-1-b"], base: 2)], at: now, for: lease)
    head = head.holding(
      ["trawl.db": file(["1-2-c"]), "ledger.db": file(["1-2-d"])], at: now, for: lease)
    (head.nonce, head.born) = ("n", "b")
    #expect(try Head(json: head.json) == head)
    #expect(head.files["trawl.db"]?.drops.count == 1)
  }

  private static let damaged = BucketError.damaged("the object head is not a head of a folder")

  @Test(
    "of a newer program, and what is no head, are told apart",
    arguments: [
      (#"{"format":2,"anything":1}"#, BucketError.newer(2)), ("{", damaged), ("{}", damaged),
      (#"{"format":1,"epoch":1,"seq":1,"owner":"a","nonce":"","files":{"x":{}}}"#, damaged),
      (#"{"format":1,"epoch":-1,"seq":1,"owner":"a","nonce":"","files":{}}"#, damaged),
      // The first leaves no number for the next claim; with the second, a reader would write outside the cache.
      (
        #"{"format":1,"epoch":9223372036854775807,"seq":1,"owner":"a","nonce":"","files":{}}"#,
        damaged
      ),
      (
        #"{"format":1,"epoch":1,"seq":1,"owner":"a","nonce":"","files":{"../trawl.db":{"size":4096,"page":4096,"digest":"d","#
          + #""base":1,"pieces":[{"name":"1-1-a","bytes":100,"digest":"d"}],"dropped":[]}}}"#,
        damaged
      ),
    ])
  func problems(text: String, problem: BucketError) {
    #expect(throws: problem) { try Head(json: Array(text.utf8)) }
  }

  @Test("names what is missing behind a digest, and all where that is none of its own")
  func missing() {
    let file = file(["1-1-a", "1-2-b", "1-3-c"])
    #expect(Head.missing(of: file, behind: "d-1-2-b")?.map(\.name) == ["1-3-c"])
    #expect(Head.missing(of: file, behind: "d-1-3-c")?.isEmpty == true)
    #expect(Head.missing(of: file, behind: "other") == nil)
    #expect(Head.missing(of: file, behind: nil) == nil)
  }

  @Test("lets go of pieces only once no head of a day has named them")
  func collecting() {
    let day = Duration.seconds(86_400)
    var head = Head().holding(["f": file(["1-1-a"])], at: now, for: lease)
    head = head.holding(["f": file(["1-2-b"])], at: now + .seconds(10), for: lease)
    let all = ["1-1-a", "1-1-orphan", "1-2-b", "1-9-coming", "strange"]
    #expect(head.collectable(all, of: "f", at: now + .seconds(20)) == [])
    #expect(head.collectable(all, of: "f", at: now + day) == [])
    let after = now + .seconds(10) + day
    #expect(head.collectable(all, of: "f", at: after) == ["1-1-a", "1-1-orphan"])
    #expect(head.collectable(all, of: "other", at: after) == [])
    // At once, where something was forgotten: not what a put that is under way will name.
    #expect(head.unnamed(all, of: "f") == ["1-1-a", "1-1-orphan"])
  }

  @Test("keeps few notes of what it no longer names, however often that changes")
  func drops() {
    var head = Head()
    for index in 0..<20_000 {
      head = head.holding(
        ["f": file(["1-\(index)-a"])], at: now + .seconds(10) * index, for: lease)
    }
    let notes = head.files["f"]?.drops ?? []
    #expect(notes.count <= 27)
    let end = now + .seconds(10) * 20_000
    let gone = head.collectable((0..<20_000).map { "1-\($0)-a" }, of: "f", at: end)
    // All but those of a day, and of the hour that one entry covers.
    #expect((20_000 - 8_640 - 361...20_000 - 8_640).contains(gone.count), "\(gone.count)")
  }
}

@Suite("What a worker knows of its lease")
struct LeaseTests {
  private func lease(_ length: Int, delay: Duration = .milliseconds(20)) -> Lease {
    Lease(
      head: Head(), tag: "t", date: Instant(seconds: 1000), heardAt: .seconds(50), delay: delay,
      length: .seconds(length), renewedAt: .seconds(50))
  }

  @Test("ends for it before it can end for another one", arguments: [2, 3, 6, 60, 600])
  func deadline(length: Int) {
    let lease = lease(length)
    // Its date was cut to a second, and came late.
    let untilByStore = Duration.seconds(50) + .seconds(length) - .seconds(1) - lease.delay
    #expect(lease.deadline <= untilByStore)
    #expect(lease.deadline <= .seconds(50) + .seconds(length) * 2 / 3)
  }

  @Test("goes by the store's date and what has passed since")
  func time() {
    #expect(lease(60).storeTime(at: .seconds(65)) == Instant(seconds: 1015))
    #expect(!lease(60).isDue(at: .seconds(69)) && lease(60).isDue(at: .seconds(70)))
  }

  @Test("is the same for another process that reads it")
  func shared() {
    #expect(Lease(json: lease(60).json, length: .seconds(60)) == lease(60))
    #expect(Lease(json: Array("{}".utf8), length: .seconds(60)) == nil)
  }
}
