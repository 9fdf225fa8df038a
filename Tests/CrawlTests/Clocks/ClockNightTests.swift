import Base
import TestSupport
import Testing

@Suite("Nights of a clock that is wrong")
struct ClockNightTests {
  typealias Night = ClockNights.Night

  private static let hour = Duration.seconds(3600)

  /// Adds records, spread over the time that passes.
  private static func pass(_ span: Duration, _ nights: ClockNights, records: Int) {
    for _ in 0..<records {
      nights.time.advance(by: span / (records + 1))
      nights.add(at: nights.truth)
    }
    nights.time.advance(by: span / (records + 1))
  }

  private static func begun(_ nights: ClockNights = ClockNights()) async throws -> ClockNights {
    pass(.day, nights, records: 5)
    try await nights.run()
    pass(.day, nights, records: 5)
    return nights
  }

  /// Everything is read, and nothing unread counts as covered.
  private static func expectAll(_ nights: ClockNights, _ about: String = "") throws {
    #expect(try nights.unread() == [], "\(about)")
    #expect(try nights.lost() == [], "\(about)")
    #expect(try nights.future() == [], "\(about), \(nights.truth)")
  }

  private static let covered = "SELECT max(covered_to) FROM trawl_coverage"
  private static let stored =
    "SELECT (SELECT count(*) FROM trawl_pages), (SELECT count(*) FROM trawl_certificates), "
    + "(\(covered)), (SELECT count(*) FROM shop_things), "
    + "(SELECT count(*) FROM trawl_windows)"

  @Test(
    "a run whose clock is ahead asks once more, pauses and stores nothing; the next one reads all",
    arguments: [Duration.day * 400, Duration.day * 30, .day, .seconds(6_000), .seconds(700)])
  func ahead(by off: Duration) async throws {
    let nights = try await Self.begun()
    let before = try (nights.texts(Self.stored), nights.asked)
    let wrong = try await nights.run(Night(off: off))
    #expect(wrong.outcome.kinds == [.paused])
    #expect(wrong.outcome.sentence.contains("ahead of that of https://api.example: set the clock"))
    #expect(wrong.nextSteps.contains { $0.needsPerson && $0.sentence.contains("clock") })
    #expect(nights.asked - before.1 == 2)
    #expect(try nights.texts(Self.stored) == before.0)
    #expect(wrong.clockOffset.map { $0 < .zero && $0 > .zero - off - .seconds(5) } == true)
    Self.pass(.day, nights, records: 5)
    let facts = try await nights.run()
    #expect(facts.warnings == [])
    try Self.expectAll(nights)
  }

  @Test("minutes are no reason to pause: what is covered ends where the API's clock stood")
  func minutes() async throws {
    let nights = try await Self.begun()
    let facts = try await nights.run(Night(off: .seconds(420)))
    #expect(facts.warnings == [] && facts.outcome.kinds == [.asDeclared])
    try Self.expectAll(nights)
    Self.pass(.seconds(400), nights, records: 3)
    try await nights.run()
    try Self.expectAll(nights)
  }

  @Test("a run whose clock is behind says so and goes on by its own time; the next one reads all")
  func behind() async throws {
    let nights = try await Self.begun()
    for off in [Duration.day * -400, .seconds(-19_000), Duration.day * -2, .seconds(-700)] {
      let facts = try await nights.run(Night(off: off))
      #expect(facts.warnings.count { $0.contains("behind that of") } == 1, "\(facts.warnings)")
      #expect(!facts.outcome.kinds.contains(.paused))
      #expect(try nights.lost() == [] && nights.future() == [])
      Self.pass(.day, nights, records: 5)
    }
    try await nights.run()
    try Self.expectAll(nights)
  }

  @Test(
    "an answer out of a cache, and a server whose clock cannot be right, stop no run",
    arguments: [ClockNights.Told.cached, .still, .year1970, .year2099])
  func ignored(told: ClockNights.Told) async throws {
    let nights = try await Self.begun()
    for _ in 0..<3 {
      let before = nights.asked
      let facts = try await nights.run(Night(told: told))
      #expect(!facts.outcome.kinds.contains(.paused))
      // A cached answer is requested again past the cache; an undeclared one twice, to see its clock.
      #expect(nights.asked - before == (told == .still ? 3 : told == .cached ? 2 : 1))
      try Self.expectAll(nights)
      Self.pass(.day, nights, records: 5)
    }
  }

  @Test(
    "an API that tells its local time is no clock that is wrong",
    arguments: [ClockNights.Told.west, .east])
  func localTime(told: ClockNights.Told) async throws {
    let nights = ClockNights()
    for _ in 0..<4 {
      Self.pass(.day, nights, records: 5)
      let facts = try await nights.run(Night(told: told))
      #expect(facts.warnings.count { $0.contains("local time") } == 1, "\(facts.warnings)")
      try Self.expectAll(nights)
    }
  }

  @Test(
    "an API whose clock was right before tells no local time: its clock goes on, and the run pauses"
  )
  func rightBefore() async throws {
    let nights = try await Self.begun()
    let facts = try await nights.run(Night(told: .west))
    #expect(facts.outcome.kinds == [.paused])
    #expect(facts.outcome.sentence.contains("ahead of that of"), "\(facts.outcome.sentence)")
    try await nights.run()
    try Self.expectAll(nights)
  }

  @Test("clock: \"ours\" goes on where the API's clock is wrong, and covers what it has read")
  func ours() async throws {
    let nights = try await Self.begun(ClockNights(trustsOurClock: true))
    let facts = try await nights.run(Night(told: .monthBehind))
    #expect(facts.warnings == [] && facts.clockOffset == nil)
    try Self.expectAll(nights)
    #expect(try nights.texts(Self.covered)[0] > (nights.truth - Self.hour).description)
    let other = try await Self.begun()
    #expect(try await other.run(Night(told: .monthBehind)).outcome.kinds == [.paused])
  }

  @Test(
    "of an API that tells no time: what was read while the clock was ahead is read again",
    arguments: [Duration.day * 400, Duration.day * 30, hour * 9])
  func never(by off: Duration) async throws {
    let nights = try await Self.begun()
    try await nights.run(Night(off: off, told: .nothing))
    #expect(try nights.future() != [])
    Self.pass(Self.hour * 8, nights, records: 5)
    for _ in 0..<3 {
      try await nights.run(Night(told: .nothing))
      try Self.expectAll(nights)
      Self.pass(.day, nights, records: 5)
    }
  }

  @Test("a gap for good that was found while the clock was ahead is read after all")
  func gap() async throws {
    let nights = try await Self.begun(ClockNights(reach: Duration.day * 7))
    try await nights.run(Night(off: Duration.day * 30, told: .nothing))
    Self.pass(Self.hour * 5, nights, records: 2)
    try await nights.run()
    #expect(try nights.unread() == [])
  }

  @Test("somebody who sets the clock under a run changes nothing in it")
  func setMeanwhile() async throws {
    let nights = try await Self.begun()
    for off in [Duration.day * 400, Duration.day * -400] {
      let facts = try await nights.run(Night(setTo: off))
      #expect(facts.warnings == [])
      try Self.expectAll(nights)
      Self.pass(.day, nights, records: 5)
    }
    try await nights.run()
    try Self.expectAll(nights)
  }

  @Test("a clock that falls back leaves a list as good as it was, and the next night goes on")
  func fallenBack() async throws {
    let nights = try await Self.begun()
    for off in [Duration.zero, .zero, .zero, Duration.day * -1000, Duration.day * -1000, .zero] {
      let facts = try await nights.run(Night(off: off))
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome.sentence)")
      Self.pass(.day, nights, records: 3)
    }
    let course = try #require(
      try nights.texts("SELECT fact FROM trawl_facts WHERE kind = 'course'").first)
    #expect(try #require(ListCourse(course)).goodAt > nights.truth - Duration.day * 2)
  }

  @Test("a clock that falls back in the second run takes nothing of what the first has covered")
  func second() async throws {
    let nights = try await Self.begun()
    let before = try nights.texts(Self.covered)
    try await nights.run(Night(off: Duration.day * -400))
    #expect(try nights.texts(Self.covered) == before)
  }

  @Test("no jump of the clock, forward or back, loses a record", arguments: 0..<10)
  func model(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed &+ Torture.seedBase)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    let jumps: [Duration] = [
      .zero, .zero, .zero, .zero, Duration.day * 400, Duration.day * 30, Duration.day * 2,
      Self.hour * 9, Self.hour * 2, .seconds(420), .seconds(-420), Self.hour * -5,
      Duration.day * -2, Duration.day * -400,
    ]
    let tells: [ClockNights.Told] = [.truth, .truth, .truth, .nothing, .cached, .still, .year1970]
    let nights = ClockNights(allow: 20)
    Self.pass(.day, nights, records: 4)
    try await nights.run()
    for number in 0..<20 {
      Self.pass(Self.hour * [6, 20, 24, 24, 31, 72][roll(6)], nights, records: roll(6))
      let before = nights.asked
      let told = tells[roll(tells.count)]
      // If the API gives no time, a clock that was hours ahead leaves no trace a day later.
      let ways = told == .truth ? jumps : jumps.filter { $0 <= .zero || $0 >= Duration.day * 30 }
      var night = Night(off: ways[roll(ways.count)], told: told)
      if roll(8) == 0 { night.setTo = ways[roll(ways.count)] }
      let facts = try await nights.run(night)
      let about = "seed \(seed), night \(number): \(night), \(facts.warnings)"
      #expect(nights.asked - before <= 4, "\(about)")
      guard night.off == .zero, told == .truth else { continue }
      try Self.expectAll(nights, about)
    }
  }
}
