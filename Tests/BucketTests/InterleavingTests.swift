import Base
import TestSupport
import Testing
import Transport

@testable import Bucket

/// Machines that claim, write, put, sleep, die and lose answers in an order that a seed draws; others act between the
/// requests of one.
@Suite("Machines around one folder, in any order")
struct InterleavingTests {
  private final class World: @unchecked Sendable {
    // Sendable: a single thread uses it.
    let workers = Workers()
    var random: SeededRandom
    var claims: [String: Claim] = [:]
    var busy: Set<String> = []
    /// Rows that a put has acknowledged; that none has; and that one may have, since its answer was lost.
    var kept: Set<String> = []
    var open: Set<String> = []
    var count = 0
    var depth = 0
    var problems: [String] = []

    init(seed: UInt64) {
      random = SeededRandom(seed: seed)
      workers.store.interfere { [unowned self] request in interfere(request) }
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func interfere(_ request: String) -> MemoryStore.Fault? {
      if depth < 2, chance(15) {
        depth += 1
        step()
        depth -= 1
      }
      guard chance(6) else { return nil }
      return chance(50) ? .lost : .answerLost
    }

    func step() {
      let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
      guard busy.insert(name).inserted else { return }
      defer { busy.remove(name) }
      check()
      switch Int.random(in: 0..<11, using: &random) {
      case 0...1: take(name)
      case 2...5: put(name)
      case 6: do { try claims[name]?.tick() } catch {}
      case 7: workers.time.advance(by: .seconds(Int.random(in: 1...25, using: &random)))
      case 8:
        // Past any lease, as a stopped process finds it; or dead.
        if chance(50) { workers.time.advance(by: .seconds(70)) } else { claims[name] = nil }
      case 9: remove(name)
      default:
        do { try claims[name]?.leave() } catch {}
        claims[name] = nil
      }
      check()
    }

    func take(_ name: String) {
      guard claims[name] == nil else { return }
      let off = Duration.seconds(Int.random(in: -3600...3600, using: &random))
      do { claims[name] = try workers.claim(name, clockOff: off) } catch {}
    }

    func put(_ name: String) {
      guard let claim = claims[name] else { return }
      count += 1
      let row = "\(name) \(count)"
      do {
        try Rows.add([row], to: claim)
        open.insert(row)
        if try claim.put(["trawl.db"]) {
          // All that the same machine wrote before, and still has, is there.
          for row in try claim.rows() { kept.insert(row) }
        }
      } catch BucketError.fenced {
        claims[name] = nil
      } catch {}
    }

    /// Puts all anew, and removes all older pieces at once.
    func remove(_ name: String) {
      do {
        try claims[name]?.put(["trawl.db"], isWhole: true)
        try claims[name]?.collect(isWhole: true)
      } catch BucketError.fenced {
        claims[name] = nil
      } catch {}
    }

    /// At most one claim may send requests.
    func check() {
      let live = claims.values.filter(\.isLive).map(\.epoch)
      if Set(live).count > 1 { problems.append("two claims live at once: \(live)") }
    }
  }

  @Test(
    "lose nothing that was acknowledged, keep nothing twice, and never send requests side by side",
    arguments: 0..<40)
  func anyOrder(seed: UInt64) throws {
    let world = World(seed: seed)
    for _ in 0..<120 { world.step() }
    world.workers.store.interfere { _ in nil }
    world.claims = [:]
    world.workers.time.advance(by: .seconds(7200))
    let rows = try world.workers.read()
    #expect(world.problems == [] && !world.kept.isEmpty)
    #expect(Set(rows).count == rows.count)
    #expect(world.kept.subtracting(rows) == [], "acknowledged, and not there")
    #expect(Set(rows).subtracting(world.open) == [], "there, and never written")
    let last = try world.workers.claim("d")
    #expect(try last.rows() == rows)
  }
}
