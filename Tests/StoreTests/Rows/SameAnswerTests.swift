import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("An answer that came before, byte for byte")
struct SameAnswerTests {
  private let fixture = Fixture()

  /// Two streams that fill one table, with lists; or one stream whose table is its list.
  private static func job(isShared: Bool) -> Job {
    let columns = [
      Column.id, Column("name", nil, required: true),
      Column("size", nil, .integer, volatile: true),
    ]
    var job = Job.things(columns) {
      $0.keep = "name <> 'drop'"
      $0.marksVanished = true
      guard isShared else { return }
      $0.membership = Membership(
        table: "found", columns: [Column(name: "q", source: .parameter("q"))],
        keyNames: ["thing_id"])
    }
    guard isShared else { return job }
    var other = job.streams[0]
    other.name = "others"
    other.columns = [Column.id, Column("note")]
    other.keep = nil
    other.membership = Membership(
      table: "noted", columns: [Column(name: "q", source: .parameter("q"))],
      keyNames: ["thing_id"])
    job.streams.append(other)
    return job
  }

  private static func page(_ text: String) throws -> Page {
    var page = try Page(text)
    page.bodyDigest = Digest64.of(text.utf8)
    return page
  }

  private static func record(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...9, using: &random)
    let key = random.next() % 12 == 0 ? "\"0\(id)\"" : "\(id)"
    let name = ["\"a\"", "\"b\"", "\"a\"", "\"b\"", "\"drop\"", "null"][Int(random.next() % 6)]
    return "{\"id\": \(key), \"name\": \(name), \"size\": \(random.next() % 2), "
      + "\"note\": \"\(random.next() % 2)\"}"
  }

  /// What a night requests, and how it ends.
  private struct Night {
    var list: String
    var stream: String
    var pages: [String]
    var ending: Ending
    /// After it, changes are forgotten except for the last hours.
    var forgets = false
    enum Ending: CaseIterable { case whole, unproven, paused, killed, again }
  }

  private static func nights(_ random: inout SeededRandom, isShared: Bool) -> [Night] {
    // Few answers, so that they come again after others that altered their records.
    let answers = (0..<7).map { _ in
      let length = Int.random(in: 0...3, using: &random)
      return "[" + (0..<length).map { _ in record(&random) }.joined(separator: ",") + "]"
    }
    return (0..<14).map { _ in
      Night(
        list: isShared && random.next() % 2 == 0 ? "y" : "x",
        stream: isShared && random.next() % 3 == 0 ? "others" : "all",
        pages: (0..<Int.random(in: 1...3, using: &random)).map { _ in
          answers[Int(random.next() % 7)]
        },
        ending: Night.Ending.allCases.randomElement(using: &random) ?? .whole,
        forgets: random.next() % 4 == 0)
    }
  }

  private struct Stored: Equatable {
    var rows: [String] = []
    var told: [String] = []
    /// Pages that were not read.
    var same = 0
  }

  private static func stored(
    _ nights: [Night], isShared: Bool, readsAll: Bool
  ) async throws -> Stored {
    let fixture = Fixture()
    var stored = Stored()
    var store = try await fixture.open(job(isShared: isShared))
    for (number, night) in nights.enumerated() {
      fixture.time.advance(by: .seconds(3_600))
      if number % 4 == 3 {
        await store.close()
        store = try await fixture.open(job(isShared: isShared))
      }
      let run = try await store.newRun(of: "box")
      let values = isShared ? [ParameterValue("q", night.list)] : []
      let opening = try await store.openAnswers(
        Unit(stream: night.stream, values: values), of: "box", run: run, readsAll: readsAll)
      let pages = opening.resumed ?? []
      var (first, received) = (pages.count, pages.reduce(0) { $0 + $1.counts.received })
      var receipts: [PageReceipt] = []
      func walk() async throws {
        receipts = []
        for (index, text) in night.pages.enumerated() {
          let step = Step(page: first + index + 1)
          let page = try page(text)
          let early = index % 2 == 1 ? opening.reader.read(page) : nil
          let before = receipts.reduce(received) { $0 + $1.summary.counts.received }
          stored.same += try await store.isKnown(page, step, before, of: opening.id) ? 1 : 0
          let receipt = try await store.commit(page, early: early, step: step, of: opening.id)
          receipts.append(receipt)
          stored.told.append("\(number): \(receipt.summary)")
        }
      }
      try await walk()
      if night.ending == .again {
        try await store.startAgain(opening.id)
        (first, received) = (0, 0)
        // One page more than before, since numbers of deleted pages are reused.
        _ = try await store.note(
          look: page(night.pages[0]), step: Step(page: 1, .lastPage), facts: PageFacts(),
          of: opening.id)
        try await walk()
      }
      if night.forgets {
        try await store.forgetChanges(of: "box", before: fixture.time.now - .seconds(7_200))
      }
      let (verdict, rule): (Verdict, StopRule)
      switch night.ending {
      case .killed: continue
      case .paused: (verdict, rule) = (.paused, .limit)
      case .unproven: (verdict, rule) = (.unproven, .noNextPage)
      default: (verdict, rule) = (.complete, .noNextPage)
      }
      let done = try await store.certifyAnswers(
        opening.id, Certificate(receipts, verdict: verdict, rule: rule), acceptVanishing: .max)
      stored.told.append("\(number): \(done)")
      try await store.endRun(run, outcome: "as the test says", exitCode: 0)
    }
    // The test's own certificates are not always sound; both have the same faults.
    stored.told += try await store.prove().findings.map { "\($0)" }
    await store.close()
    let tables =
      ["box_things", "box_things_history", "trawl_rejects", "trawl_lists"]
      + (isShared ? ["box_found", "box_noted"] : [])
    stored.rows = try fixture.sorted(tables)
    return stored
  }

  /// A walk of one page. Returns whether its answer was known.
  @discardableResult
  private func walk(_ text: String, of unit: Unit, _ store: RecordStore) async throws -> Bool {
    let opening = try await store.openAnswers(unit, of: "box")
    let page = try Self.page(text)
    let isKnown = try await store.isKnown(page, Step(page: 1), 0, of: opening.id)
    let receipt = try await store.commit(page, step: Step(page: 1), of: opening.id)
    _ = try await store.certifyAnswers(opening.id, Certificate([receipt]), acceptVanishing: .max)
    return isKnown
  }

  @Test(
    "is read again where more records changed since than are tracked one by one, in an earlier run too",
    arguments: [false, true])
  func manyAltered(isReopened: Bool) async throws {
    var store = try await fixture.open(Self.job(isShared: true))
    func unit(_ list: String) -> Unit { Unit(stream: "all", values: [ParameterValue("q", list)]) }
    let first = #"[{"id": 1, "name": "a"}]"#
    for isKnown in [false, true] {
      #expect(try await walk(first, of: unit("x"), store) == isKnown)
    }
    for name in ["a", "b"] {
      let all = (1...AlteredRecords.most + 1).map { #"{"id": \#($0), "name": "\#(name)"}"# }
      try await walk("[\(all.joined(separator: ","))]", of: unit("y"), store)
    }
    if isReopened {
      await store.close()
      store = try await fixture.open(Self.job(isShared: true))
    }
    try await walk(first, of: unit("x"), store)
    #expect(try fixture.one("SELECT name FROM box_things WHERE id = 1") == "a")
  }

  @Test("is read again where a walk of another stretch has marked a record as gone")
  func goneElsewhere() async throws {
    let store = try await fixture.open(Self.job(isShared: false))
    let window = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 10))
    let part = Unit(stream: "all", window: window)
    let gone = "SELECT group_concat(id) FROM box_things WHERE vanished_at IS NOT NULL"
    try await walk(Self.texts[1], of: part, store)
    try await walk(Self.texts[0], of: Unit(stream: "all"), store)
    #expect(try fixture.one(gone) == "3")
    try await walk(Self.texts[1], of: part, store)
    #expect(try fixture.one(gone) == "-")
  }

  @Test("is not read again where a record has left another list, but where it left this one")
  func leftElsewhere() async throws {
    let store = try await fixture.open(Self.job(isShared: true))
    let x = Unit(stream: "all", values: [ParameterValue("q", "x")])
    let y = Unit(stream: "all", values: [ParameterValue("q", "y")])
    let both = #"[{"id": 2, "name": "a", "size": 1}, {"id": 3, "name": "b", "size": 2}]"#
    let gone = "SELECT group_concat(q || thing_id) FROM box_found WHERE vanished_at IS NOT NULL"
    for list in [x, y] { try await walk(both, of: list, store) }
    try await walk(Self.texts[0], of: x, store)
    #expect(try fixture.one(gone) == "x3")
    #expect(try await walk(both, of: y, store))
    #expect(try await !walk(both, of: x, store))
    #expect(try fixture.one(gone) == "-")
  }

  @Test("is read again where a record has left it from the other end of a table of both ends")
  func leftAtTheOtherEnd() async throws {
    let ends = [("followers", "user_id", "follower_id"), ("following", "follower_id", "user_id")]
    var job = Self.job(isShared: false)
    let things = job.streams[0]
    job.streams = ends.map { name, own, other in
      var stream = things
      stream.name = name
      stream.membership = Membership(
        table: "follows",
        columns: [Column(name: own, source: .parameter("q"), kind: .integer)], keyNames: [other])
      return stream
    }
    let store = try await fixture.open(job)
    func walk(_ stream: String, of user: Int, _ ids: [Int]) async throws -> Bool {
      let records = ids.map { #"{"id": \#($0), "name": "a", "size": 1}"# }
      let unit = Unit(stream: stream, values: [ParameterValue("q", "\(user)")])
      return try await self.walk("[\(records.joined(separator: ", "))]", of: unit, store)
    }
    let gone = "SELECT count(*) FROM box_follows WHERE vanished_at IS NOT NULL"
    _ = try await walk("followers", of: 1, [2, 3])
    _ = try await walk("following", of: 2, [1])
    _ = try await walk("followers", of: 1, [3])
    #expect(try fixture.one(gone) == "1")
    #expect(try await !walk("following", of: 2, [1]))
    #expect(try fixture.one(gone) == "0")
  }

  private static let texts = [
    #"[{"id": 2, "name": "a", "size": 1}, {"id": 1, "name": "drop"}]"#,
    #"[{"id": 3, "name": "b", "size": 2}]"#,
  ]

  /// A walk over the two answers, as if the records of the second could not be read.
  private func counts(_ store: RecordStore, readsAll: Bool = false) async throws -> [[Int]] {
    let opening = try await store.openAnswers(Unit(stream: "all"), of: "box", readsAll: readsAll)
    var receipts: [PageReceipt] = []
    for (index, text) in Self.texts.enumerated() {
      var page = try Self.page(text)
      if try await store.isKnown(page, Step(page: index + 1), 0, of: opening.id) {
        page.records = []
      }
      receipts.append(try await store.commit(page, step: Step(page: index + 1), of: opening.id))
    }
    _ = try await store.certifyAnswers(opening.id, Certificate(receipts))
    return receipts.map(\.summary.counts.all)
  }

  @Test("is not read again: its page stands for its records")
  func taken() async throws {
    let store = try await fixture.open(Self.job(isShared: false))
    #expect(try await counts(store) == [[1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0]])
    for _ in 0..<2 {
      #expect(try await counts(store) == [[0, 0, 1, 0, 1, 0], [0, 0, 1, 0, 0, 0]])
    }
    #expect(try fixture.rows("SELECT id FROM box_things WHERE vanished_at IS NULL") == ["2", "3"])
    #expect(try await store.prove().findings == [])
  }

  @Test("is read again where another hand has changed its page")
  func damaged() async throws {
    let store = try await fixture.open(Self.job(isShared: false))
    _ = try await counts(store)
    try fixture.alter("UPDATE trawl_pages SET keys = zeroblob(length(keys)) WHERE ordinal = 1")
    let opening = try await store.openAnswers(Unit(stream: "all"), of: "box")
    for (index, text) in Self.texts.enumerated() {
      let isKnown = try await store.isKnown(
        try Self.page(text), Step(page: index + 1), 0, of: opening.id)
      #expect(isKnown == (index == 1))
    }
  }

  @Test("is read again by another program, for other columns, and where everything is to be read")
  func readAgain() async throws {
    let job = Self.job(isShared: false)
    let store = try await fixture.open(job)
    _ = try await counts(store)
    #expect(try await counts(store, readsAll: true) == [[0, 0, 1, 0, 1, 0], [0, 0, 1, 0, 0, 0]])
    await store.close()

    let other = try await fixture.open(job) { $0.program = "another" }
    let step = Step(page: 1)
    let page = try Self.page(Self.texts[0])
    let run = try await other.newRun(of: "box")
    let unit = Unit(stream: "all")
    func isKnown(_ store: RecordStore) async throws -> Bool {
      let opening = try await store.openAnswers(unit, of: "box", run: run)
      return try await store.isKnown(page, step, 0, of: opening.id)
    }
    #expect(try await !isKnown(other))
    await other.close()

    // Pages that this program stored are not reused either: they are read once more.
    let again = try await fixture.open(job)
    #expect(try await !isKnown(again))
    _ = try await counts(again)
    #expect(try await isKnown(again))
    await again.close()
    let changes: [(inout Stream) -> Void] = [
      { $0.columns[1].matches = "q" }, { $0.newestFirst = "name" },
      { $0.columns[2].isVolatile = false },
    ]
    for change in changes {
      var other = job
      change(&other.streams[0])
      let changed = try await fixture.open(other)
      #expect(try await !isKnown(changed))
      await changed.close()
    }
  }

  @Test(
    "leaves the tables, what is told and the verdicts as if it had been read, after any nights",
    arguments: Torture.seeds(plain: 25, long: 4_000))
  func nights(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let isShared = seed % 2 == 0
    let nights = Self.nights(&random, isShared: isShared)
    let read = try await Self.stored(nights, isShared: isShared, readsAll: true)
    var taken = try await Self.stored(nights, isShared: isShared, readsAll: false)
    #expect(read.same == 0)
    taken.same = 0
    #expect(read.rows == taken.rows && read.told.count == taken.told.count, "seed \(seed)")
    for (one, other) in zip(read.told, taken.told) { #expect(one == other, "seed \(seed)") }
  }

  @Test("does not show what another program wrote into a row: why says it, and a refill mends it")
  func overwritten() async throws {
    let store = try await fixture.walked(.things([Column.id, Column("login")]), people(1...3))
    try fixture.alter("UPDATE box_things SET login = 'mine' WHERE id = 2")
    func isAltered() async throws -> Bool {
      try await store.provenance(
        of: store.keyedTable("box_things"), key: [.integer(2)], column: nil
      ).isAltered
    }
    #expect(try await isAltered())
    let id = try await store.openAnswers(Unit(stream: "all"), of: "box", readsAll: true).id
    let receipt = try await store.commit(try Page(people(1...3)), step: Step(page: 1), of: id)
    _ = try await store.certifyAnswers(id, Certificate([receipt]))
    #expect(receipt.summary.counts.unchanged == 3)
    #expect(try fixture.one("SELECT login FROM box_things WHERE id = 2") == "u2")
    #expect(try fixture.rows("SELECT old ->> 'login' FROM trawl_changes") == ["mine"])
    #expect(try await !isAltered())
    #expect(try await store.prove().rowsHold)
  }
}

extension RecordStore {
  /// Whether a stored page was made of an identical answer.
  fileprivate func isKnown(
    _ page: Page, _ step: Step, _ before: Int, of id: UnitID
  ) throws -> Bool {
    let unit = try opened(id)
    return try guarded {
      var row = NewPage(
        summary: PageSummary(page, step, signs: []), step: step, unit: unit, stamp: "")
      row.answerPrint = unit.known?.print(of: page, at: step, before: before)
      return try knownPage(row) != nil
    }
  }
}
