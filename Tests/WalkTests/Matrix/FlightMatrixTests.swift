import Base
import Testing

/// All small lists with several pages in flight, and everything that may happen to them meanwhile: pages that are used
/// after a change may have been answered before it.
@Suite("Pages in flight may be answered in any order, and what they prove holds")
struct FlightMatrixTests {
  typealias Kind = MatrixTally.Kind

  /// A plain run takes one of this many walks and first nights.
  private static func sampling(of kind: Kind) -> Int {
    guard ProofMatrixTests.longest == nil else { return 1 }
    return switch kind {
    case .one: 13
    case .paused: 127
    case .nights: 67
    case .lifted, .old, .aged, .pair: 1
    }
  }

  /// As without pages in flight: a total that is the same again shows nothing.
  private static func holds(_ proof: ProofKind, _ kind: Kind) -> Bool {
    ProofMatrixTests.holds(kind, of: .number).contains(proof)
  }

  /// Only a counted total makes it certain that pages exist.
  static let counts: [MovingList.Count] = [.counted, .duplicates, .wrong]

  static let most = 2...3

  @Test("whatever happens under them, in one night or in two", arguments: counts)
  func matrix(counted: MovingList.Count) throws {
    for kind in [Kind.one, .paused, .nights, .pair]
    where ProofMatrixTests.longest != nil || kind != .pair {
      var tally = MatrixTally(style: .number, counted: counted)
      for atOnce in Self.most {
        for list in Self.lists(counted, kind) {
          for memory in try Self.memories(of: list) {
            try Self.walk(kind, list, memory, atOnce, &tally)
          }
        }
      }
      let claims = tally.proofs[kind] ?? [:]
      let proofs = claims.map { "\($0.rawValue) \($1.falselyComplete) of \($1.complete)" }.sorted()
      let walks = tally.claims[kind]?.walks ?? 0
      print(
        "\(counted.rawValue), \(kind.rawValue): \(walks) walks, \(tally.crossed) crossed, false: "
          + proofs.joined(separator: ", "))
      // A wrong total proves no night that another one could rest on.
      if counted.isTrue { #expect(tally.crossed > 0) }
      for (proof, claim) in claims where Self.holds(proof, kind) {
        #expect(
          claim.falselyComplete == 0, "\(counted.rawValue), \(kind.rawValue): \(proof.rawValue)")
      }
    }
  }

  @Test(
    "of a list at rest none is asked for in vain, and each is asked for once", arguments: counts)
  func quiet(counted: MovingList.Count) throws {
    for count in 0...9 {
      for size in 1...4 {
        let list = MovingList(.number, counted, count: count, size: size)
        let memory = WalkMemory(hasSeenMore: true)
        let alone = try MatrixWalk.outcome(of: list, memory: memory)
        for atOnce in [2, 5] {
          let outcome = try MatrixWalk.outcome(
            of: list, memory: memory, MatrixWalk.Script(atOnce: atOnce))
          #expect(outcome.certificate == alone.certificate && outcome.requests == alone.requests)
          if counted.isTrue { #expect(outcome.dropped == 0, "\(count) by \(size), \(atOnce)") }
        }
      }
    }
  }

  // MARK: what is gone through

  /// Two pages can only be in flight if there are at least three.
  private static func lists(_ counted: MovingList.Count, _ kind: Kind) -> [MovingList] {
    let most = min(ProofMatrixTests.longest ?? 5, kind == .one || kind == .paused ? 8 : 5)
    return (1...2).flatMap { size in
      (2 * size + 1...max(2 * size + 1, most)).map {
        MovingList(.number, counted, count: $0, size: size)
      }
    }
  }

  private static func memories(of list: MovingList) throws -> [WalkMemory] {
    let first = try MatrixWalk.outcome(of: list, memory: WalkMemory(hasSeenMore: true))
    return [WalkMemory(hasSeenMore: true), first.memory]
  }

  private static func walk(
    _ kind: Kind, _ list: MovingList, _ memory: WalkMemory, _ atOnce: Int,
    _ tally: inout MatrixTally
  ) throws {
    for script in try scripts(list, memory, atOnce) {
      switch kind {
      case .one: try add(kind, list, memory, script, &tally)
      case .paused:
        let before = script.changes[0].before
        let night = WalkBreak(pausedFor: .seconds(86_400), isPlanned: true, plannedStops: 2)
        // In the flight during which the change came, or after it.
        for pages in max(1, before - 1)...before + atOnce {
          for pause in [WalkBreak(pausedFor: .seconds(60)), night] {
            var script = script
            script.pause = (pages, pause)
            try add(kind, list, memory, script, &tally)
          }
        }
      case .nights:
        tally.scripts += 1
        guard tally.scripts % sampling(of: kind) == 0 else { continue }
        let night = try MatrixWalk.outcome(of: list, memory: memory, script)
        guard night.memory.pattern != nil else { continue }
        for next in try scripts(night.list, night.memory, atOnce).enumerated()
        where next.offset % sampling(of: kind) == 0 {
          note(kind, list, next.element, try MatrixWalk.outcome(after: night, next.element), &tally)
        }
      case .pair:
        for other in list.changes { try addPair(with: other, list, memory, script, &tally) }
      case .lifted, .old, .aged: break
      }
    }
  }

  private static func add(
    _ kind: Kind, _ list: MovingList, _ memory: WalkMemory, _ script: MatrixWalk.Script,
    _ tally: inout MatrixTally
  ) throws {
    tally.scripts += 1
    guard tally.scripts % sampling(of: kind) == 0 else { return }
    let outcome = try MatrixWalk.outcome(of: list, memory: memory, script)
    note(kind, list, script, outcome, &tally)
  }

  /// Answers from before the first change, or from between the two.
  private static func addPair(
    with other: MovingList.Change, _ list: MovingList, _ memory: WalkMemory,
    _ script: MatrixWalk.Script, _ tally: inout MatrixTally
  ) throws {
    let first = script.changes[0].before
    for then in first...first + script.atOnce {
      var script = script
      script.changes.append((then, other))
      for request in script.early.keys where request >= then { script.early[request] = 2 }
      try add(.pair, list, memory, script, &tally)
      for request in then + 1..<then + script.atOnce where script.early[request] == nil {
        script.early[request] = 1
      }
      try add(.pair, list, memory, script, &tally)
    }
  }

  /// Each change before each request, and each choice of requests in flight that were answered before it.
  private static func scripts(
    _ list: MovingList, _ memory: WalkMemory, _ atOnce: Int
  ) throws -> [MatrixWalk.Script] {
    let calm = try MatrixWalk.outcome(of: list, memory: memory, MatrixWalk.Script(atOnce: atOnce))
    var scripts: [MatrixWalk.Script] = []
    for change in list.changes {
      for before in 1...calm.requests + 1 {
        for early in 0..<(1 << (atOnce - 1)) {
          var script = MatrixWalk.Script(changes: [(before, change)], atOnce: atOnce)
          for place in 0..<atOnce - 1 where early >> place & 1 == 1 {
            script.early[before + 1 + place] = 1
          }
          scripts.append(script)
        }
      }
    }
    return scripts
  }

  private static func note(
    _ kind: Kind, _ list: MovingList, _ script: MatrixWalk.Script, _ outcome: MatrixWalk.Outcome,
    _ tally: inout MatrixTally
  ) {
    tally.add(outcome, kind)
    if outcome.crossed > 0 { tally.crossed += 1 }
    for proof in outcome.certificate.proofs where outcome.breaks(proof) && holds(proof, kind) {
      guard tally.shown < 3 else { return }
      tally.shown += 1
      Issue.record(
        """
        \(list.counted), \(list.entries.map(\.key)) by \(list.size), \(script.atOnce) in flight, \
        \(kind.rawValue): \(script.changes), early \(script.early): \(outcome.certificate.proofs) \
        without \(outcome.missing)
        """)
    }
  }
}
