import Base
import Store
import TestSupport
internal import Testing

@Suite("What a whole list no longer brings")
struct VanishingTests {
  let fixture = Fixture()

  /// Who has left the list of user 1.
  func gone() throws -> [String] { try fixture.gone("people_follows", "follower_id") }

  @Test("vanishes from that list; the record when all were read twice since; and both come back")
  func memberships() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...4)])
    try await store.walk([people([3, 9])], values: .user(2))
    let result = try await store.walk([people([1, 4])])
    #expect(result.0.vanished == 2)
    #expect(try gone() == ["2", "3"])
    // The other list may have got the record since it was read.
    for round in 0...2 {
      let run = try await store.newRun()
      let waiting = try await store.markLeavers(of: "people", run: run).waiting
      #expect(waiting == (round < 2 ? ["people_users": 1] : [:]))
      #expect(try fixture.gone() == (round < 2 ? [] : ["2"]))
      fixture.time.advance(by: .seconds(86_400))
      try await store.walk([people([1, 4])])
      try await store.walk([people([3, 9])], values: .user(2))
    }
    let back = try await store.walk([people([1, 2, 4])])
    #expect(back.1[0].summary.counts.all == [0, 0, 3, 0, 0, 0])
    #expect(try gone() == ["3"])
    #expect(try fixture.gone() == [])
  }

  @Test("is gone when the only list that is there no longer has it: an absent one holds nobody")
  func absentList() async throws {
    let store = try await fixture.walked(1...4)
    try await store.walk([], values: .user(2), verdict: .absent, rule: .gone)
    try await store.walk([people([1, 3, 4])])
    _ = try await store.markLeavers(of: "people", run: store.newRun())
    #expect(try fixture.gone() == ["2"])
  }

  @Test("vanishes from a list whose value is in the key, in another form, and is found by an index")
  func ownRows() async throws {
    let owner = Column(name: "owner", source: .parameter("owner"), kind: .integer)
    let store = try await fixture.open(
      .things([owner, Column.id], key: ["id", "owner"]) {
        $0.path = Template([.text("/things/"), .hole("owner")])
        $0.marksVanished = true
      })
    var gone: [Int] = []
    for (owner, ids) in [("7.0", 1...3), ("8", 1...3), ("7.0", 1...2), ("8", 1...3)] {
      let values = [ParameterValue("owner", owner)]
      gone.append(
        try await store.walk([people(ids)], stream: "all", of: "box", values: values).0.vanished)
    }
    #expect(gone == [0, 0, 1, 0])
    #expect(try fixture.gone("box_things", "owner, id") == ["7|3"])
    let plan = "EXPLAIN QUERY PLAN SELECT 1 FROM box_things WHERE vanished_at IS NULL AND owner = 7"
    #expect(try fixture.one(plan)?.contains("INDEX box_things_by_owner") == true)
  }

  @Test("does not vanish as a record that was asked for by itself")
  func profiles() async throws {
    let store = try await fixture.walked([1, 2])
    try await store.walk([#"[{"id": 2, "login": "u2", "name": "Two"}]"#], stream: "profile")
    try await store.walk([people([1])])
    #expect(try gone() == ["2"])
    #expect(try fixture.gone() == [])
  }

  @Test(
    "is marked only by a walk that is proven to have seen the whole list",
    arguments: [
      (Verdict.complete, StopRule.lastCompleteRange), (.complete, .errorMeansEnd),
      (.incomplete, .noNextPage), (.limited, .capReached), (.incomplete, .emptyPage),
      (.failed, .failure), (.paused, .limit), (.absent, .gone), (.unproven, .noNextPage),
    ])
  func parts(verdict: Verdict, rule: StopRule) async throws {
    let store = try await fixture.walked(1...4)
    try await store.walk([people([1])], verdict: verdict, rule: rule)
    #expect(try gone() == [])
  }

  @Test(
    "is withheld when it is more than 20 rows and more than 30 in a hundred, unless accepted; whoever came says nothing of that",
    arguments: [(100, 69, 0, 31), (100, 70, 30, 0), (60, 40, 20, 0), (60, 39, 0, 21)],
    // Also in the second in which the list was first read.
    [(0, 60), (900, 60), (0, 0), (900, 0)])
  func bound(
    _ size: (present: Int, left: Int, marked: Int, withheld: Int), _ then: (came: Int, seconds: Int)
  ) async throws {
    let store = try await fixture.walked(1...size.present)
    fixture.time.advance(by: .seconds(then.seconds))
    let page = people(Array(1...size.left) + Array(1000..<1000 + then.came))
    let result = try await store.walk([page]).0
    #expect(result.vanished == size.marked && result.withheld == size.withheld)
    #expect(try await store.walk([page], accept: true).0.vanished == size.withheld)
    #expect(try gone().count == size.present - size.left)
  }

  @Test("that is withheld makes the list incomplete, once, and is cited by nobody")
  func withheldIsIncomplete() async throws {
    let store = try await fixture.walked(1...201)
    for isNew in [true, false] {
      let done = try await store.walk([people(1...110)]).0
      #expect(done.certificate.claim == "incomplete (count)" && done.certificate.proofs.isEmpty)
      #expect(done.isNewShortfall == isNew && done.withheld == 91)
      #expect(done.certificate.why.contains("if they are gone: a run with --accept-vanish 91"))
      #expect(try await store.citations().first { $0.withheld > 0 }?.withheld == 91)
    }
    // A walk without a proof says nothing more about them.
    let unproven = try await store.walk([people(1...110)], verdict: .unproven).0
    #expect(unproven.certificate.claim == "incomplete (count)" && !unproven.isNewShortfall)
    let accepted = try await store.walk([people(1...110)], accept: true).0
    #expect(accepted.certificate.claim == "complete" && accepted.vanished == 91)
    #expect(try await store.citations().allSatisfy { $0.withheld == 0 })
    #expect(try await store.prove().holds)
  }

  @Test("is withheld when the list was empty, however short it was, unless as many are accepted")
  func empty() async throws {
    let store = try await fixture.walked(1...3)
    let empty = try await store.walk(["[]"])
    #expect([empty.0.vanished, empty.0.withheld] == [0, 3])
    #expect(try gone() == [])
    let (unit, receipts) = try await store.store(["[]"])
    let less = try await store.certifyAnswers(unit, Certificate(receipts), acceptVanishing: 2)
    #expect([less.vanished, less.withheld] == [0, 3])
    let all = try await store.walk(["[]"], accept: true)
    #expect([all.0.vanished, all.0.withheld] == [3, 0])
    #expect(try gone() == ["1", "2", "3"])
    #expect(try await store.prove().holds)
  }

  @Test("is all that there was, where the list was empty in three walks over 40 hours")
  func emptyForLong() async throws {
    let store = try await fixture.walked(1...3)
    for (hours, marked) in [(0, 0), (39, 0), (2, 3)] {
      fixture.time.advance(by: .seconds(hours * 3600))
      #expect(try await store.walk(["[]"]).0.vanished == marked)
    }
    #expect(try gone() == ["1", "2", "3"])
  }

  @Test("looks gone where a proof holds against one change alone, and is gone in the next walk")
  func undecided() async throws {
    let store = try await fixture.walked(1...9)
    let first = try await store.walk([people([1, 2, 3, 5, 6, 7, 8, 9])], proofs: [.ends]).0
    #expect(first.vanished == 0 && first.certificate.claim == "complete")
    #expect(first.certificate.why.contains("1 looks gone; the next walk decides"))
    // A record that is missing for the first time waits; only one that the walk before lacked too is marked.
    let second = try await store.walk([people([1, 2, 3, 5, 6, 7, 8])], proofs: [.ends]).0
    #expect(second.vanished == 1 && second.certificate.why.contains("1 looks gone"))
    #expect(try gone() == ["4"])
    // A record that is back is not gone, and a walk without a proof decides, too.
    let third = try await store.walk([people([1, 2, 3, 5, 6, 7, 9])], verdict: .unproven).0
    #expect(third.vanished == 0)
    try await store.walk([people([1, 2, 3, 5, 6, 7, 9])], proofs: [.twice])
    let last = try await store.walk([people([1, 2, 3, 5, 6, 7, 9])], verdict: .unproven).0
    #expect(last.vanished == 1)
    #expect(try gone() == ["4", "8"])
    #expect(try await store.prove().rowsHold)
  }

  @Test(
    "stood together: it is believed when three walks over 40 hours lack the same, also of a list that nothing has proven since",
    arguments: [[Verdict.complete], [.unproven], [.complete, .unproven]])
  func block(earlier: [Verdict]) async throws {
    let store = try await fixture.open()
    let pages = [people(1...4), people(5...8), people(9...10)]
    for verdict in earlier {
      let isLast = verdict == earlier.last
      try await store.walk(isLast ? pages : [pages[0], pages[2]], verdict: verdict)
    }
    for (hours, isBelieved) in [(0, false), (30, false), (11, true)] {
      fixture.time.advance(by: .seconds(hours * 3600))
      let done = try await store.walk([people(1...4), people(9...10)]).0
      #expect(done.withheld == (isBelieved ? 0 : 4) && done.vanished == (isBelieved ? 4 : 0))
      #expect(done.certificate.claim == (isBelieved ? "complete" : "incomplete (count)"))
      if !isBelieved { #expect(done.certificate.why.contains("4 records that were together")) }
    }
    #expect(try gone() == ["5", "6", "7", "8"])
    #expect(try await store.prove().holds)
  }

  @Test("stood behind an end that shows: it is believed in the second walk, elsewhere not")
  func tail() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...4), people(5...8)])
    let first = try await store.walk([people(1...4)]).0
    #expect(first.withheld == 4 && first.vanished == 0)
    #expect(try await store.walk([people(1...4)]).0.vanished == 4)
    // Too little time has passed.
    try await store.walk([people(1...3), people([4])])
    #expect(try await store.walk([people([4])]).0.withheld == 3)
    #expect(try await store.walk([people([4])]).0.withheld == 3)
  }

  @Test("is not marked where the API only estimates how long the list is")
  func estimated() async throws {
    let store = try await fixture.walked(1...4)
    let (unit, receipts) = try await store.store([people([1])])
    var certificate = Certificate(receipts)
    certificate.trust = .estimate
    #expect(try await store.certifyAnswers(unit, certificate).vanished == 0)
    #expect(try gone() == [])
  }
}
