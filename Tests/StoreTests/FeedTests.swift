import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("A stream that is asked for each record of another")
struct FeedTests {
  let fixture = Fixture()

  /// `all` fills things; `more` is asked for each of them and fills further columns.
  private func job(_ when: ParentFeed.When, from parent: String = "all") -> Job {
    var job = Job.things([Column.id, Column("name")])
    var more = Stream(
      name: "more", path: Template([.text("/more/"), .hole("id")]), pager: .single,
      records: path("."), table: "things", key: ["id"],
      columns: [Column.id, Column("views", nil, .integer, volatile: true)])
    more.ownsTable = false
    more.parent = ParentFeed(
      stream: parent, column: "id", carries: parent == "all" ? ["name"] : [],
      when: when, batch: 2)
    job.streams.append(more)
    return job
  }

  private func page(_ ids: [Int], name: String = "n") -> String {
    let records = ids.map { "{\"id\": \($0), \"name\": \"\(name)\($0)\"}" }
    return "[\(records.joined(separator: ","))]"
  }

  private func run(_ store: RecordStore) async throws -> RunID { try await store.newRun(of: "box") }

  /// A page of a walk that goes on, or of a new one.
  private func commit(
    _ ids: [Int], name: String = "n", to stream: String, page number: Int = 1, in run: RunID,
    _ store: RecordStore
  ) async throws {
    let opening = try await store.openAnswers(Unit(stream: stream), of: "box", run: run)
    _ = try await store.commit(
      try Page(page(ids, name: name)), step: Step(page: number), of: opening.id)
  }

  private func due(_ store: RecordStore, _ run: RunID) async throws -> [String] {
    try await store.due("more", of: "box", run: run).map(\.value)
  }

  private func parents(_ store: RecordStore, _ ids: [Int], name: String = "n") async throws {
    try await store.walk(things: page(ids, name: name))
  }

  @Test("is due once for each new record, survives a restart, and carries the parent's values")
  func new() async throws {
    let first = try await fixture.open(job(.new))
    try await parents(first, [1, 2, 3])
    let asked = try await run(first)
    #expect(
      try await first.due("more", of: "box", run: asked).map(\.carried)
        == [1, 2, 3].map { [[ParameterValue("name", "n\($0)")]] })
    try await first.markAsked(["1", "2"], "more", of: "box", run: asked)
    await first.close()
    let store = try await fixture.open(job(.new))
    #expect(try await due(store, run(store)) == ["3"])
    try await parents(store, [1, 2, 3, 4], name: "changed")
    #expect(try await due(store, run(store)) == ["3", "4"])
    #expect(try await store.due("more", of: "box", run: run(store), portion: 1).count == 1)
  }

  @Test("is due again when the record changed")
  func changed() async throws {
    let store = try await fixture.open(job(.changed))
    try await parents(store, [1, 2])
    try await store.markAsked(["1", "2"], "more", of: "box", run: run(store))
    #expect(try await due(store, run(store)) == [])
    try await parents(store, [2], name: "other")
    #expect(try await due(store, run(store)) == ["2"])
    try await store.markAsked(["2"], "more", of: "box", run: run(store))
    #expect(try await due(store, run(store)) == [])
  }

  @Test(
    "is due again for a change that came while its list was read over several runs",
    arguments: [true, false])
  func changedMeanwhile(isChanged: Bool) async throws {
    let store = try await fixture.open(job(.changed))
    try await parents(store, [1, 2])
    let unit = Unit(stream: "more", values: [ParameterValue("id", "1")])
    let first = try await store.openAnswers(unit, of: "box", run: run(store))
    _ = try await store.commit(
      try Page(page([1]), next: .number(2)), step: Step(page: 1), of: first.id)
    if isChanged { try await parents(store, [1], name: "other") }
    let second = try await store.openAnswers(unit, of: "box", run: run(store))
    let receipt = try await store.commit(try Page(page([2])), step: Step(page: 2), of: second.id)
    _ = try await store.certifyAnswers(second.id, Certificate([receipt]), asked: ["1"])
    #expect(try await due(store, run(store)) == (isChanged ? ["2", "1"] : ["2"]))
  }

  @Test("is due for a change that another stream of the parents' table writes")
  func changedByOthers() async throws {
    var job = job(.changed)
    var other = job.streams[0]
    other.name = "others"
    job.streams.append(other)
    let store = try await fixture.open(job)
    try await parents(store, [1, 2])
    try await store.markAsked(["1", "2"], "more", of: "box", run: run(store))
    try await commit([2], name: "other", to: "others", in: run(store), store)
    #expect(try await due(store, run(store)) == ["2"])
  }

  @Test(
    "is not due for a record without a value that the request needs, and is for all others",
    arguments: [true, false])
  func withoutCarried(isNeeded: Bool) async throws {
    var job = job(.all)
    if isNeeded { job.streams[1].path = Template([.text("/more/"), .hole("name"), .hole("id")]) }
    let store = try await fixture.open(job)
    let page = #"[{"id": 1, "name": null}, {"id": 2, "name": "n"}]"#
    try await store.walk(things: page)
    #expect(try await due(store, run(store)) == (isNeeded ? ["2"] : ["1", "2"]))
  }

  @Test("is due again when the last answer is older than the job says")
  func stale() async throws {
    let store = try await fixture.open(job(.stale(.seconds(7 * 86_400))))
    try await parents(store, [1, 2])
    try await store.markAsked(["1"], "more", of: "box", run: run(store))
    fixture.time.advance(by: .seconds(6 * 86_400))
    try await store.markAsked(["2"], "more", of: "box", run: run(store))
    #expect(try await due(store, run(store)) == [])
    fixture.time.advance(by: .seconds(2 * 86_400))
    #expect(try await due(store, run(store)) == ["1"])
  }

  @Test(
    "is due for all in every run, and its first round, if broken off, goes on with the rest",
    arguments: [false, true])
  func all(nextNight: Bool) async throws {
    let store = try await fixture.open(job(.all))
    try await parents(store, [1, 2, 3])
    let first = try await run(store)
    #expect(try await due(store, first) == ["1", "2", "3"])
    try await store.markAsked(["1"], "more", of: "box", run: first)
    #expect(try await due(store, first) == ["2", "3"])
    if nextNight {
      try await store.endRun(first, outcome: "", exitCode: 0)
      fixture.time.advance(by: .seconds(86_400))
    }
    let second = try await run(store)
    #expect(try await due(store, second) == ["2", "3"])
    try await store.markAsked(["2", "3"], "more", of: "box", run: second)
    #expect(try await due(store, second) == [])
    let third = try await run(store)
    #expect(try await due(store, third) == ["1", "2", "3"])
  }

  @Test(
    "begins a round again that was broken off the night before, unless its rounds take several runs"
  )
  func brokenOffLastNight() async throws {
    let store = try await fixture.open(job(.all))
    try await parents(store, [1, 2, 3])
    let all = ["1", "2", "3"]
    func night(_ asked: [String], isKilled: Bool = false) async throws -> [String] {
      fixture.time.advance(by: .seconds(86_400))
      let run = try await run(store)
      let due = try await due(store, run)
      try await store.markAsked(asked, "more", of: "box", run: run)
      if !isKilled { try await store.endRun(run, outcome: "", exitCode: 0) }
      return due
    }
    // If no round has ended yet, it is continued, except after a kill.
    #expect(try await night(["1"], isKilled: true) == all)
    #expect(try await night(all) == all)
    for isKilled in [true, false] {
      #expect(try await night(["1"], isKilled: isKilled) == all)
      #expect(try await night(all) == all, "what was read last night is read again")
    }
    // Two interrupted in a row: one run is too short.
    #expect(try await night(["1"]) == all)
    #expect(try await night(["2"]) == all)
    #expect(try await night(["1"]) == ["1", "3"])
    #expect(try await night(["3"]) == ["3"])
    // The next round may take as many.
    #expect(try await night(["2"]) == all)
    #expect(try await night(["1", "3"]) == ["1", "3"])
  }

  @Test("is due for what the parent stream brought in this run, unchanged or not")
  func ofTheRun() async throws {
    let store = try await fixture.open(job(.run))
    try await parents(store, [1, 2, 3])
    // Values that were never requested are due, whichever run stored their records.
    let first = try await run(store)
    #expect(try await due(store, first) == ["1", "2", "3"])
    try await store.markAsked(["1", "2", "3"], "more", of: "box", run: first)
    let run = try await run(store)
    #expect(try await due(store, run) == [])
    try await commit([2], to: "all", in: run, store)
    #expect(try await due(store, run) == ["2"])
    try await store.markAsked(["2"], "more", of: "box", run: run)
    #expect(try await due(store, run) == [])
  }

  @Test("is foretold for a refill as the refill requests it, whichever run brought the parents")
  func foretold() async throws {
    let store = try await fixture.open(job(.run))
    try await parents(store, [1, 2, 3])
    try await store.markAsked(["1", "2", "3"], "more", of: "box", run: run(store))
    func told(again: Bool) async throws -> [String] {
      try await store.previewDue("more", of: "box", request: 0, again: again, isOfAll: false)
        .map(\.value)
    }
    #expect(try await told(again: false) == [])
    #expect(try await told(again: true) == ["1", "2", "3"])
    try await store.askAgain("more", of: "box")
    #expect(try await due(store, run(store)) == ["1", "2", "3"])
  }

  @Test("is foretold for another request in the order in which the run makes it")
  func foretoldOfAnother() async throws {
    let store = try await fixture.open(job(.new))
    try await parents(store, [1, 2, 3])
    try await store.noteRequest("more", of: "box", 1, run: run(store))
    for value in ["3", "1", "2"] {
      try await store.markAsked([value], "more", of: "box", run: run(store))
    }
    let foretold = try await store.previewDue(
      "more", of: "box", request: 2, again: false, isOfAll: false)
    #expect(foretold.map(\.value) == ["3", "1", "2"])
    let last = try await run(store)
    try await store.noteRequest("more", of: "box", 2, run: last)
    #expect(try await due(store, last) == ["3", "1", "2"])
  }

  @Test("is due for what a killed run had read, when this one brings the walk to its end")
  func ofTheResumedWalk() async throws {
    let store = try await fixture.open(job(.run))
    try await commit([1, 2], to: "all", in: run(store), store)
    await store.close()

    // Its pages are all stored: the next run requests none, and certifies.
    let again = try await fixture.open(job(.run))
    let second = try await run(again)
    let opening = try await again.openAnswers(Unit(stream: "all"), of: "box", run: second)
    let pages = try #require(opening.resumed)
    #expect(pages.count == 1)
    let receipts = pages.map { PageReceipt(summary: $0) }
    _ = try await again.certifyAnswers(opening.id, Certificate(receipts))
    #expect(try await due(again, second) == ["1", "2"])
    try await again.markAsked(["1"], "more", of: "box", run: second)

    // Also if it continued after them.
    try await commit([3], to: "all", in: run(again), again)
    let last = try await run(again)
    try await commit([4], to: "all", page: 2, in: last, again)
    #expect(try await due(again, last) == ["2", "3", "4"])
  }

  @Test("is due for favorites, stored or not")
  func favorites() async throws {
    let store = try await fixture.open(job(.new, from: ParentFeed.favorites))
    _ = try await store.addFavorites(table: "box_things", keys: ["77"])
    _ = try await store.addFavorites(table: "other_things", keys: ["1"])
    #expect(try await due(store, run(store)) == ["77"])
  }

  @Test("fills rows that are there; a record without a row is held back and comes in later")
  func orphans() async throws {
    let store = try await fixture.open(job(.new))
    try await parents(store, [1])
    let answer = #"[{"id": 1, "views": 10}, {"id": 2, "views": 20}]"#
    let run = try await run(store)
    let opening = try await store.openAnswers(Unit(stream: "more"), of: "box", run: run)
    let receipt = try await store.commit(
      try Page(answer), step: Step(page: 1), facts: PageFacts(asked: ["1", "2"]), of: opening.id)
    #expect(receipt.summary.counts.all == [0, 0, 1, 0, 0, 1])
    let rejects = try await store.rejects(of: "more", in: "box", limit: 9)
    #expect(rejects.first?.reason.contains("orphan") == true)
    #expect(try fixture.rows("SELECT id, name, views FROM box_things") == ["1|n1|10"])
    try await parents(store, [1, 2])
    let retried = try await store.retryRejects(job: "box", run: run)
    #expect([retried.fitted, retried.left] == [1, 0])
    #expect(try fixture.rows("SELECT id, name, views FROM box_things") == ["1|n1|10", "2|n2|20"])
    #expect(try await store.prove().holds)
  }

  @Test("has its answer by the bytes of its value, though the answer leaves out another spelling")
  func spellings() async throws {
    var job = job(.new)
    for index in job.streams.indices { job.streams[index].columns[0] = Column("id") }
    let store = try await fixture.open(job)
    let ids = ["caf\u{e9}", "cafe\u{301}"]
    try await store.walk(things: #"[{"id": "\#(ids[0])"}, {"id": "\#(ids[1])"}]"#)
    let opening = try await store.openAnswers(Unit(stream: "more"), of: "box", run: run(store))
    let receipt = try await store.commit(
      try Page(#"[{"id": "\#(ids[0])", "views": 1}]"#), step: Step(page: 1),
      facts: PageFacts(asked: ids), of: opening.id)
    #expect(receipt.leftOut.count == 1)
    #expect(
      try fixture.rows("SELECT length(value) FROM trawl_due WHERE asked_run IS NOT NULL") == ["4"])
  }

  @Test("a stored list gives its values to a parameter, each once, however many there are")
  func storedValues() async throws {
    let store = try await fixture.open(job(.new))
    func values(_ column: String?) async throws -> [String] {
      try await store.storedValues(of: "all", column: column, in: "box")
    }
    try await store.walk(
      things: #"[{"id": 3, "name": "b"}, {"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#)
    #expect(try await values("name") == ["a", "b"])
    try await parents(store, Array(1...10_050))
    #expect(try await values(nil) == (1...10_050).map(String.init))
  }
}
