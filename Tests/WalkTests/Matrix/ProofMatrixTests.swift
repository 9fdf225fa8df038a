import Glibc
import Base
import Testing

/// Tries all small lists, page styles, totals and changes: `complete` is claimed only if no record is missing that was
/// there all the time. `make matrix` tries more, and prints it all.
@Suite("A list is complete only with a proof, and the proof holds")
struct ProofMatrixTests {
  /// `TRAWL_MATRIX=n`: lists of up to n records, with old copies and two changes, too.
  static let longest = text(of: "TRAWL_MATRIX").flatMap { Int($0) }
  /// `TRAWL_MATRIX_ONLY=link`: only styles whose name begins so.
  static let only = text(of: "TRAWL_MATRIX_ONLY") ?? ""

  static let lists = MovingList.Style.allCases.flatMap { style in
    MovingList.Count.all(for: style).map { (style, $0) }
  }

  /// Those that do not contradict themselves at rest.
  static let truthful = lists.filter { $0.1.isTrue }

  /// Each proof holds against one change, in one night or in each of two. These also hold against two changes, and
  /// those below if answers are older than the one before without saying so.
  static let holdsForPairs: Set<ProofKind> = [.oneAnswer, .anchored, .orderedOverlap, .twice]
  static let holdsForOldCopies: Set<ProofKind> = [
    .oneAnswer, .anchored, .orderedOverlap, .overlap, .counted, .steady,
  ]
  /// Without the proof of stretches, which the matrix lacks.
  static let all = Set(ProofKind.allCases).subtracting([.joined])

  private static func text(of name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// In the order of a time, a touched record moves to the end: an older copy ends before it.
  static let ordersThatMove: Set<MovingList.Style> = [.timeRising, .timeFalling, .afterTime]

  static func holds(_ kind: MatrixTally.Kind, of style: MovingList.Style) -> Set<ProofKind> {
    switch kind {
    case .one, .paused, .lifted, .aged, .nights: all
    case .old:
      ordersThatMove.contains(style)
        ? holdsForOldCopies.subtracting([.anchored]) : holdsForOldCopies
    case .pair: holdsForPairs
    }
  }

  @Test("whatever happens once to a list, nothing that was in it all the time is called gone")
  func matrix() async throws {
    let lists = Self.lists.filter { $0.0.rawValue.hasPrefix(Self.only) }
    let tallies = try await withThrowingTaskGroup { group in
      for (number, list) in lists.enumerated() {
        group.addTask { (number, try Self.tally(list.0, list.1)) }
      }
      var found: [(Int, MatrixTally)] = []
      for try await one in group { found.append(one) }
      return found.sorted { $0.0 < $1.0 }.map(\.1)
    }
    let kinds = MatrixTally.Kind.allCases.filter { Self.longest != nil || !$0.isBeyond }
    print(MatrixTally.table(tallies, kinds))
    for kind in kinds {
      for proof in Self.all {
        let claims = tallies.compactMap { tally in
          tally.proofs[kind]?[proof].map { (tally, $0) }
        }
        // If a clamp is lifted, an incomplete list stays unproven.
        if Self.only.isEmpty, kind != .lifted {
          #expect(!claims.isEmpty, "\(kind.rawValue): nothing is proven by \(proof.rawValue)")
        }
        for (tally, claims) in claims where Self.holds(kind, of: tally.style).contains(proof) {
          #expect(
            claims.falselyComplete == 0,
            "\(tally.style.rawValue), \(tally.counted.rawValue), \(kind.rawValue): \(proof.rawValue)"
          )
        }
      }
    }
  }

  @Test("a list at rest is proven on its third night at the latest", arguments: truthful)
  func quiet(style: MovingList.Style, counted: MovingList.Count) throws {
    for count in 1...7 {
      for size in 2...3 {
        let list = MovingList(style, counted, count: count, size: size)
        let first = try MatrixWalk.outcome(of: list, memory: WalkMemory(hasSeenMore: true))
        let second = try MatrixWalk.outcome(of: list, memory: first.memory)
        #expect(first.certificate.verdict.isWhole, "\(first.certificate)")
        let third = try MatrixWalk.outcome(of: list, memory: second.memory)
        #expect(
          third.certificate.verdict == .complete,
          "\(style) \(counted), \(count) by \(size): \(third.certificate.why)")
        // If its last page is not full.
        if !count.isMultiple(of: size), style != .numberVaried, style != .numberFixed {
          #expect(
            second.certificate.verdict == .complete,
            "\(style) \(counted), \(count) by \(size): \(second.certificate.why)")
        }
        #expect(second.requests <= first.requests + 1, "a proof costs one request at most")
      }
    }
  }

  @Test("a list at rest loses no proof by a kill between two pages", arguments: lists)
  func killed(style: MovingList.Style, counted: MovingList.Count) throws {
    let kill = WalkBreak(pausedFor: .seconds(60))
    for (count, size) in [(3, 2), (6, 2), (7, 3)] {
      let list = MovingList(style, counted, count: count, size: size)
      var memory = WalkMemory(hasSeenMore: true)
      for night in 1...2 {
        let calm = try MatrixWalk.outcome(of: list, memory: memory)
        for pages in 1..<max(2, calm.requests) {
          let resumed = try MatrixWalk.outcome(
            of: list, memory: memory, MatrixWalk.Script(pause: (pages, kill)))
          #expect(
            resumed.certificate.verdict == calm.certificate.verdict,
            "\(style) \(counted), \(count) by \(size), night \(night), after page \(pages): \(resumed.certificate.why)"
          )
        }
        memory = calm.memory
      }
    }
  }

  // MARK: all lists of one style

  static func tally(_ style: MovingList.Style, _ counted: MovingList.Count) throws -> MatrixTally {
    var tally = MatrixTally(style: style, counted: counted)
    let sizes = MovingList.sizes(of: style, isWhole: longest != nil)
    let pairSize = MovingList.pairSize(of: style)
    // At least two pages of each.
    for count in 0...(longest ?? 4) + sizes.upperBound - 3 {
      for size in sizes {
        let list = MovingList(style, counted, count: count, size: size)
        // Two nights at rest: their cost, and the memory that they leave.
        let nights = try rest(list, &tally)
        let isShort = size == pairSize && count <= pairSize + 2
        for memory in [WalkMemory(hasSeenMore: true), nights.memory] {
          let changes = list.changes
          let requests = try MatrixWalk.outcome(of: list, memory: memory).requests
          try once(list, memory, changes, requests, &tally)
          if longest != nil { try older(list, memory, changes, requests, isShort, &tally) }
          // What rests on an order alone is tried in each run.
          guard isShort, longest != nil || counted == .none && list.order != nil else { continue }
          try pairs(list, memory, changes, requests, &tally)
        }
        if longest != nil, isShort, count <= 4 { try eachNight(list, &tally) }
      }
    }
    return tally
  }

  private static func rest(
    _ list: MovingList, _ tally: inout MatrixTally
  ) throws -> MatrixWalk.Outcome {
    let pages = max(1, (list.entries.count + list.size - 1) / list.size)
    let first = try MatrixWalk.outcome(of: list, memory: WalkMemory())
    let second = try MatrixWalk.outcome(of: list, memory: first.memory)
    // A list of a single record cannot show whether the API says that more follow.
    if list.counted.isTrue, list.entries.count > 1 {
      tally.add(quiet: first, night: 0, pages: pages)
      tally.add(quiet: second, night: 1, pages: pages)
    }
    return first
  }

  /// One change before each request, or in a pause; a clamp that is lifted.
  private static func once(
    _ list: MovingList, _ memory: WalkMemory, _ changes: [MovingList.Change], _ requests: Int,
    _ tally: inout MatrixTally
  ) throws {
    for change in changes {
      for before in 1...requests + 1 {
        try add(.one, list, memory, .init(changes: [(before, change)]), &tally)
      }
      for pages in 1..<max(2, requests) {
        // A kill, and a night that a walk waits for a quota.
        let night = WalkBreak(pausedFor: .seconds(86_400), isPlanned: true, plannedStops: 2)
        for walkBreak in [WalkBreak(pausedFor: .seconds(60)), night] {
          let script = MatrixWalk.Script(
            changes: [(pages + 1, change)], pause: (pages, walkBreak))
          try add(.paused, list, memory, script, &tally)
        }
      }
    }
    for most in 1..<list.size {
      var clamped = list
      clamped.make(.clamp(most))
      let requests = try MatrixWalk.outcome(of: clamped, memory: memory).requests
      for before in 1...requests + 1 {
        try add(.lifted, clamped, memory, .init(changes: [(before, .unclamp)]), &tally)
      }
    }
  }

  /// One change, with later answers from a copy that does not have it: any of them in short lists, else one. Copies
  /// return pages of one size, or state their age.
  private static func older(
    _ list: MovingList, _ memory: WalkMemory, _ changes: [MovingList.Change], _ requests: Int,
    _ isShort: Bool, _ tally: inout MatrixTally
  ) throws {
    for change in changes {
      for before in 1...requests + 1 {
        for old in copies(before...requests + 1, isShort) {
          for (tellsAge, kind) in [(false, MatrixTally.Kind.old), (true, .aged)]
          where tellsAge || !change.isClamp {
            let script = MatrixWalk.Script(
              changes: [(before, change)], oldCopies: old, tellsAge: tellsAge)
            try add(kind, list, memory, script, &tally)
          }
        }
      }
    }
  }

  private static func copies(_ requests: ClosedRange<Int>, _ isShort: Bool) -> [Set<Int>] {
    guard isShort, requests.count < 7 else { return requests.map { [$0] } }
    return (1..<(1 << requests.count)).map { mask in
      Set(requests.filter { mask >> ($0 - requests.lowerBound) & 1 == 1 })
    }
  }

  private static func pairs(
    _ list: MovingList, _ memory: WalkMemory, _ changes: [MovingList.Change], _ requests: Int,
    _ tally: inout MatrixTally
  ) throws {
    for one in changes {
      for other in changes {
        for before in 1...requests + 1 {
          for then in before...requests + 1 {
            let script = MatrixWalk.Script(changes: [(before, one), (then, other)])
            try add(.pair, list, memory, script, &tally)
          }
        }
      }
    }
  }

  /// One change during a walk, and one during the next, or between them.
  private static func eachNight(
    _ list: MovingList, _ tally: inout MatrixTally
  ) throws {
    let memory = WalkMemory(hasSeenMore: true)
    let requests = try MatrixWalk.outcome(of: list, memory: memory).requests
    for one in list.changes {
      for before in 2...requests + 1 {
        let script = MatrixWalk.Script(changes: [(before, one)])
        let night = try MatrixWalk.outcome(of: list, memory: memory, script)
        let requests = try MatrixWalk.outcome(after: night).requests
        for other in night.list.changes {
          for before in 1...requests + 1 {
            let next = MatrixWalk.Script(changes: [(before, other)])
            let outcome = try MatrixWalk.outcome(after: night, next)
            tally.add(outcome, .nights)
            note(outcome, .nights, list, script.changes + next.changes, &tally)
          }
        }
      }
    }
  }

  private static func add(
    _ kind: MatrixTally.Kind, _ list: MovingList, _ memory: WalkMemory,
    _ script: MatrixWalk.Script, _ tally: inout MatrixTally
  ) throws {
    tally.scripts += 1
    // Most are longer lists: a plain run takes a quarter of their walks.
    guard longest != nil || list.entries.count < 3 || tally.scripts % 4 == 0 else { return }
    let outcome = try MatrixWalk.outcome(of: list, memory: memory, script)
    tally.add(outcome, kind)
    note(outcome, kind, list, script.changes, old: script.oldCopies, &tally)
  }

  private static func note(
    _ outcome: MatrixWalk.Outcome, _ kind: MatrixTally.Kind, _ list: MovingList,
    _ changes: [(before: Int, change: MovingList.Change)], old: Set<Int> = [],
    _ tally: inout MatrixTally
  ) {
    let isFalse =
      kind.isBeyond
      ? holds(kind, of: list.style).contains(where: outcome.breaks) : outcome.isFalse
    // A mistake of the walker breaks many, and a few examples suffice.
    guard isFalse, tally.shown < 5 else { return }
    tally.shown += 1
    Issue.record(
      """
      \(list.style) \(list.counted), \(list.entries.map(\.key)) by \(list.size), \(kind.rawValue): \
      \(changes), old \(old.sorted()): \(outcome.certificate.proofs) without \(outcome.missing)
      """)
  }
}
