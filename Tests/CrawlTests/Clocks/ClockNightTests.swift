import Base
import TestSupport
import Testing

@Suite("Nights of a clock that jumps")
struct ClockNightTests {
  typealias Night = ClockNights.Night

  private static let day = Duration.seconds(86_400)
  private static let hour = Duration.seconds(3600)

  /// So many records, spread over the time that passes.
  private static func pass(_ span: Duration, _ nights: ClockNights, records: Int) {
    for _ in 0..<records {
      nights.time.advance(by: span / (records + 1))
      nights.add(at: nights.truth)
    }
    nights.time.advance(by: span / (records + 1))
  }

  @Test(
    "one night with the clock ahead costs no record: its coverage ends where the API's clock stood",
    arguments: [day * 400, day * 30, hour * 2, .seconds(420)])
  func ahead(by off: Duration) async throws {
    let nights = ClockNights()
    Self.pass(Self.day, nights, records: 5)
    try await nights.run()
    Self.pass(Self.day, nights, records: 5)
    let wrong = try await nights.run(Night(off: off))
    #expect(wrong.warnings.contains { $0.contains("this machine's clock is") }, "\(wrong.warnings)")
    #expect(try nights.future() == [])
    #expect(wrong.clockOffset.map { $0 < .zero && $0 > .zero - off - .seconds(2) } == true)
    for _ in 0..<3 {
      Self.pass(Self.day, nights, records: 5)
      let facts = try await nights.run()
      #expect(try nights.unread(at: nights.truth) == [])
      #expect(facts.warnings == [])
      #expect(facts.requests.sent > 0)
    }
    #expect(try nights.lost() == [])
  }

  @Test(
    "what an earlier run wrote into the future is found, said, and read again",
    arguments: [day * 400, day * 30, hour * 9], [ClockNights.Told.truth, .nothing])
  func healed(by off: Duration, told: ClockNights.Told) async throws {
    let nights = ClockNights()
    Self.pass(Self.day, nights, records: 5)
    try await nights.run()
    Self.pass(Self.day, nights, records: 5)
    // The API does not tell the time, as no run asked for it once.
    try await nights.run(Night(off: off, told: .nothing))
    #expect(try nights.future() != [])
    Self.pass(Self.hour * 8, nights, records: 5)
    let facts = try await nights.run(Night(told: told))
    #expect(facts.warnings.contains { $0.contains("have not come yet") }, "\(facts.warnings)")
    #expect(try nights.unread(at: nights.truth) == [])
    #expect(try nights.future() == [])
    Self.pass(Self.day, nights, records: 5)
    let next = try await nights.run(Night(told: told))
    #expect(next.warnings == [])
    #expect(try nights.unread(at: nights.truth) == [] && nights.lost() == [])
  }

  @Test("a gap for good that a clock ahead has told of is read after all")
  func gap() async throws {
    for told in [ClockNights.Told.truth, .nothing] {
      let nights = ClockNights(reach: Self.day * 7)
      Self.pass(Self.day, nights, records: 5)
      try await nights.run()
      Self.pass(Self.day, nights, records: 5)
      try await nights.run(Night(off: Self.day * 30, told: told))
      Self.pass(Self.hour * 5, nights, records: 2)
      try await nights.run()
      #expect(try nights.unread(at: nights.truth) == [])
      #expect(
        try nights.texts("SELECT why FROM trawl_certificates WHERE cause = 'out of reach'") == [])
    }
  }

  @Test("a clock that is behind reads what there is all the same, and claims no more than is sure")
  func behind() async throws {
    let nights = ClockNights()
    Self.pass(Self.day, nights, records: 5)
    try await nights.run()
    for off in [Self.day * -400, Self.hour * -5, Self.day * -2, .zero] {
      Self.pass(Self.day, nights, records: 5)
      try await nights.run(Night(off: off))
      #expect(try nights.unread(at: nights.truth) == [], "\(off)")
      #expect(try nights.lost() == [] && nights.future() == [])
    }
  }

  @Test(
    "an answer out of a cache and a server whose clock cannot be right shift nothing",
    arguments: [ClockNights.Told.cached, .year1970, .year2099])
  func absurd(told: ClockNights.Told) async throws {
    let nights = ClockNights()
    Self.pass(Self.day, nights, records: 5)
    try await nights.run()
    for _ in 0..<3 {
      Self.pass(Self.day, nights, records: 5)
      try await nights.run(Night(told: told))
      #expect(try nights.unread(at: nights.truth) == [])
      #expect(try nights.future() == [] && nights.lost() == [])
    }
  }

  @Test("somebody who sets the clock under a run moves nothing in it")
  func setMeanwhile() async throws {
    let nights = ClockNights()
    Self.pass(Self.day, nights, records: 5)
    for off in [Self.day * 400, Self.day * -400] {
      try await nights.run(Night(setTo: off))
      Self.pass(Self.day, nights, records: 5)
      try await nights.run()
      #expect(try nights.unread(at: nights.truth) == [])
      #expect(try nights.future() == [] && nights.lost() == [])
      Self.pass(Self.day, nights, records: 5)
    }
  }

  @Test("no jump of the clock, forward or back, loses a record", arguments: 0..<10)
  func model(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed &+ Torture.seedBase)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    let jumps: [Duration] = [
      .zero, .zero, .zero, .zero, Self.day * 400, Self.day * 30, Self.day * 2, Self.hour * 9,
      Self.hour * 2, .seconds(420), .seconds(-420), Self.hour * -5, Self.day * -2, Self.day * -400,
    ]
    let tells: [ClockNights.Told] = [.truth, .truth, .truth, .truth, .nothing, .cached, .year1970]
    let nights = ClockNights(allow: 20)
    Self.pass(Self.day, nights, records: 4)
    try await nights.run()
    for number in 0..<20 {
      Self.pass(Self.hour * [6, 20, 24, 24, 31, 72][roll(6)], nights, records: roll(6))
      let before = nights.asked
      let told = tells[roll(tells.count)]
      // A clock that was hours ahead for one run of an API that tells no time leaves no trace a day later.
      let ways =
        told == .truth || told == .cached
        ? jumps : jumps.filter { $0 <= .zero || $0 >= Self.day * 30 }
      var night = Night(off: ways[roll(ways.count)], told: told)
      if roll(8) == 0 { night.setTo = ways[roll(ways.count)] }
      let facts = try await nights.run(night)
      let about = "seed \(seed), night \(number): \(night), \(facts.warnings)"
      #expect(nights.asked - before <= 4, "\(about)")
      // Who is told the time knows all that there is.
      guard night.told == .truth else { continue }
      #expect(try nights.unread(at: nights.truth) == [], "\(about)")
      // Where nobody knows which of two clocks is right, nothing is mended either.
      if !facts.warnings.contains(where: { $0.contains("nothing shows") }) {
        let future = try nights.future()
        #expect(future == [], "\(about), \(nights.truth)")
        #expect(try nights.lost() == [], "\(about)")
      }
    }
  }
}
