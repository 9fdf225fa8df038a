import Base
import TestSupport
import Walk
import Testing

@Suite("Waiting before the next try")
struct BackoffTests {
  @Test("is anything from nothing to a doubling ceiling")
  func fullJitter() throws {
    for (tries, ceiling) in [(1, 500), (2, 1000), (3, 2000), (8, 64_000), (9, 120_000)] {
      let waits = try (0..<4000).map { seed in
        var random = SeededRandom(seed: UInt64(seed))
        let wait = Backoff.wait(afterTries: tries, of: 10, elapsed: .zero, random: random.next())
        return try #require(wait).milliseconds
      }
      let mean = waits.reduce(0, +) / Int64(waits.count)
      #expect(waits.allSatisfy { (0...Int64(ceiling)).contains($0) })
      #expect(abs(mean * 2 - Int64(ceiling)) < Int64(ceiling / 10), "spread over all of it")
    }
  }

  @Test("ends after the last try and after the time that a request may take")
  func gives() {
    #expect(Backoff.wait(afterTries: 10, of: 10, elapsed: .zero, random: 5) == nil)
    #expect(Backoff.wait(afterTries: 2, of: 10, elapsed: .seconds(900), random: 5) == nil)
    let last = Backoff.wait(afterTries: 9, of: 10, elapsed: .seconds(899), random: .max)
    #expect(last.map { $0 <= .seconds(1) } == true, "not beyond that time")
  }

  @Test("never undercuts what the server asked for, nor adds a second to it")
  func asked() throws {
    var random = SeededRandom(seed: 3)
    for _ in 0..<1000 {
      let asked = Duration.milliseconds(Int64(random.next() % 400_000) + 1)
      let wait = try #require(
        Backoff.wait(
          afterTries: 1, of: 10, elapsed: .zero, asked: asked, random: random.next()))
      #expect(wait >= asked && wait < asked + .seconds(1))
    }
  }

  @Test("is at least half of its ceiling where the wait that the server names is over already")
  func past() throws {
    var random = SeededRandom(seed: 4)
    for (tries, ceiling) in [(1, 500), (2, 1000), (5, 8000), (9, 120_000)] {
      for asked in [Duration.zero, .seconds(-7)] {
        let wait = try #require(
          Backoff.wait(
            afterTries: tries, of: 10, elapsed: .zero, asked: asked, random: random.next()))
        #expect((Int64(ceiling / 2)...Int64(ceiling)).contains(wait.milliseconds), "\(tries)")
      }
    }
  }

  @Test("takes any number of tries without trapping", arguments: [Int.min, -1, 0, 1, 9])
  func anyTries(tries: Int) {
    #expect(Backoff.wait(afterTries: tries, of: 10, elapsed: .zero, random: .max) != nil)
  }
}
