@testable import Base
@testable import SimulationKit
import TestSupport
import Testing

@Suite("A backfill of years")
struct ArchiveTests {
  /// The long form fills 40,000 records of two years with 100 calls a day.
  static func size(_ kind: SimulatedArchive.Kind) -> (count: Int, allowance: Int) {
    if Torture.isOn { return (40_000, 100) }
    // A list by tokens starts over each day, which is expensive with few calls.
    switch kind {
    case .counted: return (5000, 20)
    case .token: return (10_000, 80)
    case .link: return (10_000, 40)
    }
  }

  static let now = Instant(seconds: 1_795_269_600)
  static let day = SimulatedArchive.day

  static func range(days: Int64) -> TimeWindow {
    TimeWindow(from: now - .seconds(days * day), to: now)
  }

  @Test(
    "by daily runs ends complete, with every key, near the least calls and near its forecast",
    arguments: SimulatedArchive.Kind.allCases)
  func steady(kind: SimulatedArchive.Kind) async throws {
    var random = SeededRandom(seed: Torture.seedBase &+ 3)
    let days: Int64 = 730
    let (count, allowance) = Self.size(kind)
    let times = SimulatedArchive.steady(
      count, from: Self.range(days: days).from.seconds, days: days, &random)
    let archive = SimulatedArchive(kind, times: times)
    let runs = ArchiveRuns(
      archive, range: Self.range(days: days), now: Self.now, allowance: allowance)
    let all = try await runs.fill(daysMax: 40)
    let last = try #require(all.last)
    #expect(last.outcome.kinds == [.asDeclared], "\(last.outcome.sentence)")
    #expect(all.dropLast().allSatisfy { $0.outcome.kinds == [.paused] } && all.count > 2)
    #expect(try runs.keys() == Array(0..<count))
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
    let calls = runs.asked.count
    // If an API is silent, learning its density costs two lists that run into the cap.
    let probes = kind == .counted ? 0 : 2 * archive.cap / archive.size
    let most = Double(archive.leastRequests) * 1.6 + Double(probes)
    #expect(Double(calls) <= most, "\(calls) calls, \(archive.leastRequests) at least")
    let forecast = try #require(all.first?.units.first?.forecast?.requests)
    #expect(
      abs(forecast - calls) * 4 <= calls, "on day 1 \(forecast) were forecast, \(calls) came")
    // Again: nothing is requested.
    _ = try await runs.run(runs.range)
    #expect(runs.asked.count == calls)
  }

  @Test(
    "with bursts brings everything that can be had, and names the rest exactly",
    arguments: SimulatedArchive.Kind.allCases)
  func bursts(kind: SimulatedArchive.Kind) async throws {
    var random = SeededRandom(seed: Torture.seedBase &+ 9)
    let days: Int64 = 300
    let from = Self.range(days: days).from.seconds
    var times = SimulatedArchive.steady(4000, from: from, days: days, &random)
    times += (0..<900).map { _ in from + 100 * Self.day + Int64(random.next() % 3600) }
    let scale = kind == .counted ? 1 : kind == .token ? 5 : 10
    let second = from + 40 * Self.day + 7
    times += [Int64](repeating: second, count: 150 * scale)
    // The neighbouring seconds have a few of their own.
    times += [Int64](repeating: second - 1, count: 3) + [Int64](repeating: second + 1, count: 4)
    let archive = SimulatedArchive(kind, times: times)
    let runs = ArchiveRuns(archive, range: Self.range(days: days), now: Self.now)
    let all = try await runs.fill(daysMax: 1)
    #expect(all[0].outcome.kinds == [.lessThanDeclared], "\(all[0].outcome.sentence)")
    let keys = Set(try runs.keys())
    #expect(keys == archive.reachable)
    #expect(runs.problems.isEmpty)
    let behind = archive.times.count - keys.count
    #expect(behind >= 50 * scale)
    let capped = try runs.texts(
      "SELECT window_from || ' ' || why FROM trawl_certificates JOIN trawl_windows USING (window) "
        + "WHERE verdict = 'limited'")
    #expect(capped.count == 1, "\(capped)")
    #expect(capped.first?.hasPrefix(Instant(seconds: second).description) == true)
    if kind == .counted {
      let here = times.count { $0 == second }
      #expect(capped[0].contains("\(here - 100) of the \(here) records"), "\(capped)")
    }
    let why = try #require(all[0].units.first?.certificate.why)
    #expect(why.contains(Instant(seconds: second).description), "\(why)")
    // It is named again, but not requested again and not new.
    let calls = runs.asked.count
    let again = try await runs.run(runs.range)
    #expect(again.facts.outcome.kinds == [.asDeclared] && again.isSettled)
    #expect(again.facts.units.first?.certificate.cause == .ceiling)
    #expect(runs.asked.count == calls)
  }

  @Test(
    "of times with fractions leaves nothing out where two windows meet",
    arguments: SimulatedArchive.Kind.allCases)
  func fractions(kind: SimulatedArchive.Kind) async throws {
    let from = Self.range(days: 1).from.seconds
    let archive = SimulatedArchive(
      kind, times: (0..<6000).map { from + 3600 + $0 }, hasFractions: true)
    let runs = ArchiveRuns(archive, range: Self.range(days: 1), now: Self.now)
    let all = try await runs.fill(daysMax: 1)
    #expect(all.last?.outcome.kinds == [.asDeclared], "\(all.last?.outcome.sentence ?? "")")
    #expect(try runs.keys() == Array(0..<6000))
  }

  @Test("killed at any instant and run again, ends the same and asks no covered window again")
  func kills() async throws {
    var random = SeededRandom(seed: Torture.seedBase &+ 21)
    let days: Int64 = 60
    let from = Self.range(days: days).from.seconds
    let kills = Torture.isOn ? 100 : 12
    // Enough records that no kill comes too late: four requests for each kill, which needs three at most.
    var times = SimulatedArchive.steady(
      kills * 250, from: from, days: days, &random)
    times += [Int64](repeating: from + 20 * Self.day, count: 130)
    let archive = SimulatedArchive(.counted, times: times)
    let runs = ArchiveRuns(archive, range: Self.range(days: days), now: Self.now)
    let places: [FaultPoint.Place] = [
      .beforePageCommit, .afterPageCommit, .beforeCertificate, .afterCertificate,
    ]
    var killed = 0
    var isSettled = false
    for _ in 0..<kills where !isSettled {
      let place = places[Int(random.next() % 4)]
      isSettled = try await runs.run(
        runs.range, kill: (place, 1 + Int(random.next() % 3))
      ).isSettled
      killed += isSettled ? 0 : 1
    }
    #expect(killed == kills)
    let end = try await runs.run(runs.range)
    #expect(end.isSettled)
    #expect(Set(try runs.keys()) == archive.reachable)
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
    let clean = ArchiveRuns(archive, range: Self.range(days: days), now: Self.now)
    _ = try await clean.fill(daysMax: 1)
    #expect(try clean.keys() == runs.keys())
    let coverage = "SELECT covered_from || ' ' || covered_to FROM trawl_coverage ORDER BY 1"
    #expect(try clean.texts(coverage) == runs.texts(coverage))
    // A kill costs what was in flight, and perhaps the division of a window.
    #expect(
      runs.asked.count <= clean.asked.count + 2 * killed + 10,
      "\(runs.asked.count) with \(killed) kills, \(clean.asked.count) without")
  }

  @Test(
    "a timer's runs ask from the last certified end on, and heal any downtime, killed or not",
    arguments: SimulatedArchive.Kind.allCases)
  func timer(kind: SimulatedArchive.Kind) async throws {
    var random = SeededRandom(seed: Torture.seedBase &+ 31)
    let start = Self.now.seconds - 20 * Self.day
    let times =
      SimulatedArchive.steady(80, from: start, days: 20, &random)
      + SimulatedArchive.steady(2400, from: Self.now.seconds, days: 60, &random)
    let archive = SimulatedArchive(kind, times: times)
    let runs = ArchiveRuns(archive, range: Self.range(days: 20), now: Self.now)
    // The first run reads the list whole, since there is no end to continue from.
    #expect(try await runs.run(nil).facts.outcome.kinds == [.asDeclared])
    #expect(!runs.asked.isEmpty && runs.asked.allSatisfy { $0.from == .min })
    let waits: [Int64] = [1, 1, 30, 2, 9]
    for (number, days) in waits.enumerated() {
      runs.time.advance(by: .seconds(days * Self.day))
      let last = runs.time.now - .seconds(days * Self.day + 2 * 3600)
      let mark = runs.asked.count
      if number == 2 {
        _ = try await runs.run(nil, kill: (.afterPageCommit, kind == .counted ? 5 : 7))
      }
      let (facts, _) = try await runs.run(nil)
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome.sentence)")
      #expect(runs.asked[mark...].allSatisfy { $0.from >= last.seconds }, "nothing old is asked")
      // A record's key is its index in order of time.
      let due = times.count { $0 < runs.time.now.seconds - 60 }
      #expect(try Set(0..<due).isSubset(of: runs.keys()), "after \(days) days")
    }
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
  }

  @Test("an API that ignores the filter of time is found out, and not asked second by second")
  func ignored() async throws {
    var random = SeededRandom(seed: 2)
    let times = SimulatedArchive.steady(
      900, from: Self.range(days: 90).from.seconds, days: 90, &random)
    let archive = SimulatedArchive(.counted, times: times, ignoresWindow: true)
    let runs = ArchiveRuns(archive, range: Self.range(days: 90), now: Self.now)
    let (facts, isSettled) = try await runs.run(runs.range)
    #expect(facts.outcome.kinds.contains(.failed) && !isSettled)
    #expect(facts.outcome.sentence.contains("ignore the filter"), "\(facts.outcome.sentence)")
    #expect(!facts.outcome.sentence.contains("finest step"), "one reason is enough")
    #expect(runs.asked.count < 100)
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
  }

  @Test(
    "an API that shows nothing of any window is found out before its quota is spent",
    arguments: [1, 30, 90])
  func nothing(days: Int64) async throws {
    let archive = SimulatedArchive(.counted, times: [], showsNothing: true)
    let runs = ArchiveRuns(archive, range: Self.range(days: days), now: Self.now)
    let (facts, isSettled) = try await runs.run(runs.range)
    #expect(facts.outcome.kinds.contains(.failed) && !isSettled)
    #expect(
      facts.outcome.sentence.contains("another one, of the plan"), "\(facts.outcome.sentence)")
    #expect(runs.asked.count < 45, "\(runs.asked.count)")
  }
}
