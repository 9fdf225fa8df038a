import Model
import Testing
import Walk

/// One walk over a list that something happens to.
struct MatrixWalk {
  /// What happens, by the number of the request before which it does, counted from 1.
  struct Script {
    var changes: [(before: Int, change: MovingList.Change)] = []
    /// Requests that an old copy answers: the list as it was before the changes.
    var oldCopies: Set<Int> = []
    /// The run stops behind so many pages, and another one resumes.
    var pause: (pages: Int, walkBreak: WalkBreak)?
  }

  /// What a walk claimed, and what it lacked.
  struct Outcome {
    var certificate: Certificate
    /// Records that were in the list from the first request to the last.
    var missing: Set<Int>
    var requests: Int
    var memory: WalkMemory

    var isFalse: Bool { certificate.verdict == .complete && !missing.isEmpty }
    /// Who was stored before and does not come is marked as gone.
    var isFalselyGone: Bool { isFalse && certificate.trust != .estimate }
  }

  private let first: MovingList
  private let memory: WalkMemory
  private let script: Script
  private(set) var list: MovingList
  private var requests = 0
  private var always: Set<Int>
  private var lastPage: Cursor?

  static func outcome(
    of list: MovingList, memory: WalkMemory, _ script: Script = Script()
  ) throws -> Outcome {
    var walk = MatrixWalk(list, memory, script)
    return try walk.run()
  }

  private init(_ list: MovingList, _ memory: WalkMemory, _ script: Script) {
    first = list
    self.list = list
    self.memory = memory
    self.script = script
    always = list.keys
    lastPage = memory.lastPage
  }

  private mutating func run() throws -> Outcome {
    let builder = try FakeJob.builder(try list.stream())
    var walker = Walker(builder, memory: memory, limits: list.limits)
    var run = WalkRun()
    run.order = list.order
    run.commitsMax = script.pause?.pages ?? .max
    try run.drive(&walker) { answer($0) }
    if run.certificate == nil, let pause = script.pause {
      walker = Walker(
        builder, resuming: run.stored, after: pause.walkBreak, memory: memory,
        limits: list.limits)
      let before = run
      run = WalkRun(after: before)
      try run.drive(&walker) { answer($0) }
    }
    let certificate = try #require(run.certificate)
    var left = WalkMemory(
      hasSeenMore: walker.signOfMore ?? memory.hasSeenMore, isRangeProven: true)
    left.sizesHold = walker.sizesHold ?? memory.sizesHold
    if certificate.verdict.isWhole {
      (left.pattern, left.lastPage) = (certificate.pattern, lastPage)
    }
    return Outcome(
      certificate: certificate, missing: always.subtracting(run.seen), requests: requests,
      memory: left)
  }

  private mutating func answer(_ step: Step) -> Reply {
    requests += 1
    for one in script.changes where one.before == requests {
      list.make(one.change)
      // Whoever comes or goes meanwhile is promised nothing.
      if requests > 1 { always.formIntersection(list.keys) } else { always = list.keys }
    }
    let reply = (script.oldCopies.contains(requests) ? first : list).answer(step)
    if case .page(let page) = reply, step.purpose == .page, !page.keys.isEmpty {
      lastPage = step.cursor
    }
    return reply
  }
}
