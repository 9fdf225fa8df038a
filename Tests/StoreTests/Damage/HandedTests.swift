import Base
@testable import Store
import TestSupport
@testable import Walk
internal import Testing

/// What a walker with a bug would have stored: walks that are right except for one thing that they were handed, or say
/// of themselves.
@Suite("A walk that was handed what nothing bears out")
struct HandedTests {
  let fixture = Fixture()

  /// Three pages, of which only another walk shows that they are all.
  private static let chain = [people(1...3), people(4...6), people(7...8)]
  private static let byToken = rules { ($0.paging, $0.hasOnePage) = (.chain, false) }

  /// The rules of a list of one page, but for this.
  private static func rules(_ change: (inout WalkRules) -> Void = { _ in }) -> WalkRules {
    var rules = WalkRules(Job.people().streams[1])
    (rules.paging, rules.hasOnePage) = (.single, true)
    change(&rules)
    return rules
  }

  /// Walks the list as an engine does, after a change of what its walk is handed.
  /// - Parameters:
  ///   - signed: other rules, which the certificate names.
  ///   - left: what the certificate says of its end.
  private func walk(
    _ store: RecordStore, _ pages: [String], by rules: WalkRules = HandedTests.rules(),
    window: TimeWindow? = nil, signed: WalkRules? = nil, left: String? = nil,
    _ change: (inout Handed) -> Void = { _ in }
  ) async throws {
    let unit = Unit(stream: "followers", values: .user(1), window: window)
    let opening = try await store.openUnit(
      unit, of: "people", prints: Fixture.prints, run: store.newRun())
    var handed = Handed(rules: rules.digest, whole: opening.lastWhole.map { Int($0.number) })
    handed.memory = opening.memory
    change(&handed)
    var walker = Walker(rules, StoredSteps(), handed)
    try await store.begin(rules, handed, of: opening.id)
    var move = walker.begin()
    while case .ask(let step) = move {
      let place = step.ordinal - 1
      let isLast = place + 1 >= pages.count || rules.paging != .chain
      let page = try Page(
        place < pages.count ? pages[place] : "[]", next: isLast ? nil : .token("p\(place + 2)"))
      let summary: PageSummary
      if step.purpose.isLook {
        summary = try await store.note(look: page, step: step, facts: PageFacts(), of: opening.id)
      } else {
        summary = try await store.commit(page, step: step, of: opening.id).summary
      }
      move = walker.received(summary)
    }
    guard case .conclude(let certificate) = move else { return }
    if let signed { try await store.begin(signed, Handed(rules: signed.digest), of: opening.id) }
    _ = try await store.certify(opening.id, certificate, handed: left)
  }

  private func problems(_ store: RecordStore) async throws -> [String] {
    try await store.prove().certificates.flatMap(\.problems)
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    var says: String
    var pages = [people(1...3)]
    var rules = HandedTests.rules()
    var change: @Sendable (inout Handed) -> Void

    var testDescription: String { says }
  }

  static let wrong: [Wrong] = [
    Wrong(says: "nothing records that its sign of more pages works") {
      $0.memory.hasSeenMore = true
    },
    Wrong(says: "nothing records that pages come in the size that was requested") {
      $0.memory.sizesHold = true
    },
    Wrong(
      says: "nothing records that no page precedes its first one",
      rules: rules { ($0.paging, $0.hasOnePage) = (.number, false) }
    ) { $0.memory.isFirstKnown = true },
    Wrong(says: "it was found empty 1 time, and believed", pages: ["[]"]) {
      $0.memory.isEmptyForLong = true
    },
    // The walk before is kept beside one that proves nothing.
    Wrong(
      says: "the walk before read something else than it says", pages: chain, rules: byToken
    ) { $0.memory.pattern = 42 },
    Wrong(
      says: "whether the stretch behind it is proven is another thing than it says", pages: chain,
      rules: byToken
    ) { $0.memory.isRangeProven = false },
    Wrong(
      says: "the stretch at which it may stop is newer than what was read of it", pages: chain,
      rules: rules { ($0.paging, $0.hasOnePage, $0.isNewestFirst) = (.chain, false, true) }
    ) { $0.range = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 86_400)) },
    Wrong(
      says: "its list held 3 records, and it says fewer", pages: chain, rules: byToken
    ) { $0.memory.rowsBefore = 1 },
  ]

  @Test("is not believed, and the proof says why", arguments: wrong)
  func inputs(wrong: Wrong) async throws {
    let store = try await fixture.open()
    try await walk(store, [people(1...3)])
    #expect(try await problems(store) == [])
    try await walk(store, wrong.pages, by: wrong.rules, wrong.change)
    #expect(try await problems(store) == [wrong.says])
  }

  @Test("is not believed where its certificate names other rules, or says what cannot be read")
  func certificates() async throws {
    let store = try await fixture.open()
    let pages = [people(1...3)]
    try await walk(store, pages, signed: Self.rules { $0.limits.passesMax = 7 })
    #expect(try await problems(store) == ["it names other rules than its walk went by"])
    try await walk(store, pages, left: "so and so")
    #expect(try await problems(store) == ["what its walk was handed at its end cannot be read"])
    try await walk(store, pages, left: Handed(rules: 99).text)
    #expect(try await problems(store) == ["the rules of its walk are not there"])
    let (batch, receipts) = try await store.store(pages)
    _ = try await store.certify(batch, Certificate(receipts), handed: "so and so")
    #expect(try await problems(store) == ["what its answers left out cannot be read"])
  }

  @Test("covers no time behind its first answer")
  func covered() async throws {
    let store = try await fixture.open()
    let now = fixture.time.now
    let window = TimeWindow(from: now - .seconds(7_200), to: now - .seconds(3_600))
    var left = Handed(rules: 0)
    left.listedUntil = window.to - .seconds(60)
    try await walk(store, [people(1...3)], window: window, left: left.text)
    let said = "it covers times up to \(window.to), and its first answer was made at "
    #expect(try await problems(store) == ["\(said)\(window.to - .seconds(60))"])
  }

  @Test("rests on two walks only while the pages of both are there")
  func twice() async throws {
    let store = try await fixture.open()
    for _ in 1...2 { try await walk(store, Self.chain, by: Self.byToken) }
    #expect(
      try fixture.rows("SELECT proofs FROM trawl_certificates ORDER BY certificate") == [
        "-", "twice",
      ])
    #expect(try await problems(store) == [])
    try fixture.alter("DELETE FROM trawl_pages WHERE traversal = 1")
    let last = try #require(try await store.prove().certificates.last)
    #expect(last.problems == ["the pages of the walk that it rests on are not there"])
  }

  @Test("of what later answers showed otherwise stays as it was: the facts of its time are kept")
  func outdated() async throws {
    let store = try await fixture.open()
    let unit = Unit(stream: "followers", values: .user(1))
    let first = try await store.openAnswers(unit, of: "people", asWalk: true)
    try await store.note(sizesHold: true, of: first.id)
    try await store.note(firstShown: true, of: first.id)
    try await walk(
      store, [people(1...3)], by: Self.rules { ($0.paging, $0.hasOnePage) = (.number, false) }
    ) { ($0.memory.sizesHold, $0.memory.isFirstKnown) = (true, true) }
    #expect(try await problems(store) == [])
    // The API has got a length of its own since, and refuses what precedes page 1.
    let again = try await store.openAnswers(unit, of: "people", asWalk: true)
    try await store.note(sizesHold: false, of: again.id)
    try await store.note(firstShown: false, of: again.id)
    #expect(try await problems(store) == [])
    let next = try await store.openAnswers(unit, of: "people", asWalk: true)
    #expect(next.memory.sizesHold == false && next.memory.isFirstKnown)
  }
}
