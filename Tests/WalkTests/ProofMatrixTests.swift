import Model
import Testing
import Walk

/// Goes through all small lists, page styles, totals and changes: `complete` is said only where no
/// record that was there all the time is missing.
@Suite("A list is complete only with a proof, and the proof holds")
struct ProofMatrixTests {
  /// What a walk claimed, and what it lacked.
  struct Outcome {
    var certificate: Certificate
    var missing: Set<Int>
    var requests: Int
    var memory: WalkMemory

    var isFalse: Bool { certificate.verdict == .complete && !missing.isEmpty }
  }

  /// A change comes before the request with its number, counted from 1.
  static func walk(
    _ list: inout MovingList, memory: WalkMemory = WalkMemory(),
    changes: [(before: Int, MovingList.Change)] = []
  ) throws -> Outcome {
    var requests = 0
    var always = list.keys
    var (lastPage, moving) = (memory.lastPage, list)
    var walker = Walker(try FakeJob.builder(try list.stream()), memory: memory)
    var run = WalkRun()
    try run.drive(&walker) { step in
      requests += 1
      for change in changes where change.before == requests {
        moving.make(change.1)
        // Whoever comes or goes meanwhile is promised nothing.
        if requests > 1 { always.formIntersection(moving.keys) } else { always = moving.keys }
      }
      let page = moving.answer(step)
      if step.purpose == .page, !page.keys.isEmpty { lastPage = step.cursor }
      return .page(page)
    }
    list = moving
    let certificate = try #require(run.certificate)
    var left = WalkMemory(
      hasSeenMore: walker.signOfMore ?? memory.hasSeenMore, isRangeProven: true)
    if certificate.verdict.isWhole {
      (left.pattern, left.lastPage) = (certificate.pattern, lastPage)
    }
    return Outcome(
      certificate: certificate, missing: always.subtracting(run.seen), requests: requests,
      memory: left)
  }

  static let lists = MovingList.Style.allCases.flatMap { style in
    MovingList.Count.allCases.map { (style, $0) }
  }

  @Test("no single change between two requests makes it lie", arguments: lists)
  func single(style: MovingList.Style, counted: MovingList.Count) throws {
    for count in 0...5 {
      for size in 1...3 {
        // The list at rest, twice: how many requests there are, and what is remembered of it.
        let list = MovingList(style, counted, count: count, size: size)
        var calm = list
        let first = try Self.walk(&calm)
        for memory in [WalkMemory(hasSeenMore: true), first.memory] {
          calm = list
          let requests = try Self.walk(&calm, memory: memory).requests
          for change in MovingList.Change.all(count: count, size: size) {
            // Declared: no record of such a list moves from place to place.
            if style == .keyset, counted == .steady, change.isMove { continue }
            for before in 1...requests + 1 {
              var moving = list
              let outcome = try Self.walk(&moving, memory: memory, changes: [(before, change)])
              #expect(
                !outcome.isFalse,
                """
                \(style) \(counted), \(count) by \(size), \(change) before request \(before): \
                \(outcome.certificate.proofs) without \(outcome.missing)
                """)
            }
          }
        }
      }
    }
  }

  @Test("a list at rest is proven on its second night at the latest", arguments: lists)
  func quiet(style: MovingList.Style, counted: MovingList.Count) throws {
    for count in 1...7 {
      for size in 2...3 {
        var list = MovingList(style, counted, count: count, size: size)
        let first = try Self.walk(&list, memory: WalkMemory(hasSeenMore: true))
        let second = try Self.walk(&list, memory: first.memory)
        #expect(first.certificate.verdict.isWhole, "\(first.certificate)")
        #expect(
          second.certificate.verdict == .complete,
          "\(style) \(counted), \(count) by \(size): \(second.certificate.why)")
        #expect(second.requests <= first.requests + 1, "a proof costs one request at most")
      }
    }
  }
}
