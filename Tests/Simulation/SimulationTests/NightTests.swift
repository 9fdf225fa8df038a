import Base
@testable import SimulationKit
import TestSupport
import Testing

/// Nights of a timer over a list that changes between them, but never during a walk: so no walk may say that it moved,
/// unless a quota or budget spread it over several nights.
private struct Nights {
  enum Trouble: String, CaseIterable {
    /// Kills, signals, and an API that fails in the middle of a walk.
    case kills
    /// Sometimes the budget of a night is too small, but never twice in a row.
    case budgets
    /// Every night's budget is too small for the list.
    case always
  }

  static let count = 14

  let trouble: Trouble
  let simulation: Simulation
  private var random: SeededRandom
  private var folder: String
  private let scratch = ScratchFolder(isInMemory: true)
  private var oracle: Oracle
  /// Walks that ended, and nights that would wake somebody.
  private(set) var ends = 0
  private(set) var woken: [String] = []
  private var wasStopped = false

  init(_ trouble: Trouble, seed: UInt64) {
    self.trouble = trouble
    simulation = Simulation(.nights(seed: seed))
    random = SeededRandom(seed: seed &+ 4_711)
    folder = "\(scratch.path)/0"
    oracle = Oracle(simulation)
  }

  var pages: Int {
    simulation.server.now.list.longest / simulation.scenario.size + 1
  }

  /// Problems of the runs, and of their claims.
  mutating func run() async throws -> [String] {
    for night in 1...Self.count {
      var kind = stop(night)
      let target = "\(scratch.path)/\(night)"
      repeat {
        let armed = ArmedStop(kind, copyTo: target)
        let left = try await simulation.runOnce(folder, armed)
        if armed.hasCrashed { folder = target }
        ends += try oracle.look(at: folder, after: left) ? 1 : 0
        if !armed.hasCrashed, let facts = left.facts,
          !facts.outcome.kinds.isSubset(of: [.asDeclared, .paused, .interrupted, .unreachable])
        {
          woken.append("night \(night): \(facts.outcome.sentence)")
        }
        // Some services restart a killed process at once.
        guard armed.hasCrashed, random.next() % 4 == 0 else { break }
        simulation.time.advance(by: .seconds(600))
        if random.next() % 2 == 0 { change() }
        kind = .none
      } while true
      change()
      // A timer varies a little.
      simulation.time.advance(by: .seconds(84_600 + Int64(random.next() % 3_600)))
    }
    return simulation.problems.withLock { $0 }
  }

  private mutating func stop(_ night: Int) -> ArmedStop.Kind {
    let number = 1 + Int(random.next() % UInt64(max(1, pages)))
    switch trouble {
    case .always: return .budget(max(2, pages / 3))
    case .budgets:
      wasStopped = night > 1 && !wasStopped && random.next() % 2 == 0
      return wasStopped ? .budget(number) : .none
    case .kills:
      switch random.next() % 4 {
      case 0: return .none
      case 1: return .signal(afterPages: number)
      default:
        return .crash(random.next() % 2 == 0 ? .afterPageCommit : .beforePageCommit, visit: number)
      }
    }
  }

  private mutating func change() {
    let (roll, place) = (random.next() % 4, Int(random.next() % 1_000))
    simulation.server.change { state in
      if roll != 0 { state.list.insert(at: 0) }
      if roll == 3, state.list.entries.count > 3 {
        state.list.remove(at: place % state.list.entries.count)
      }
    }
  }
}

@Suite("A timer's nights over a list that changes from one to the next")
struct NightTests {
  static let seeds: Range<UInt64> = {
    if let seed = Torture.seed { return seed..<(seed + 1) }
    return Torture.seeds(plain: 4, long: 2_000)
  }()

  @Test(
    "wake nobody for what a kill or a budget did, and never stay without an end",
    arguments: Nights.Trouble.allCases)
  fileprivate func wakeNobody(trouble: Nights.Trouble) async throws {
    var ends = 0
    for seed in Self.seeds {
      var nights = Nights(trouble, seed: seed)
      var problems = try await nights.run()
      ends += nights.ends
      switch trouble {
      case .kills, .budgets: problems += nights.woken
      case .always:
        // It cannot be read in a night, which may be reported once.
        if nights.woken.count > 1 { problems += nights.woken }
        if nights.ends < 2 { problems.append("\(nights.ends) walks came to an end") }
      }
      if let failure = nights.simulation.failure(problems, in: "NightTests") {
        Issue.record("\(failure)")
      }
    }
    if Self.seeds.count > 1 { #expect(ends > Self.seeds.count * 3) }
  }
}
