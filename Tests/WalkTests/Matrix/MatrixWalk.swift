import Base
import TestSupport
import Walk
import Testing

/// One walk over a list to which something happens.
struct MatrixWalk {
  /// What happens, by the number (from 1) of the request that it precedes.
  struct Script {
    var changes: [(before: Int, change: MovingList.Change)] = []
    /// Requests that are answered from an old copy: the list before the changes.
    var oldCopies: Set<Int> = []
    /// The copy states its age, as caches do.
    var tellsAge = false
    /// Pages that may be in flight at once.
    var atOnce = 1
    /// Requests that were answered before one or two changes but used after them, if they were in flight by then.
    var early: [Int: Int] = [:]
    /// How an answer is changed, by its request's number from 1.
    var falsify: (Int, Step, ScriptPage) -> ScriptPage = { _, _, page in page }
    /// The run stops after this many pages, and another one resumes.
    var pause: (pages: Int, walkBreak: WalkBreak)?
  }

  /// A walk's claim, and what it missed.
  struct Outcome {
    var certificate: Certificate
    /// Records that were in the list from the first request to the last, or in each copy that answered without stating
    /// its age.
    var lasting: Set<Int>
    /// Those of them that are missing.
    var missing: Set<Int>
    /// Those that were also there since the first request of the walk before: what two equal walks promise.
    var missingSince: Set<Int>
    var requests: Int
    /// Pages in flight that were requested in vain, and answers from before a change that were used after it.
    var dropped = 0
    var crossed = 0
    var memory: WalkMemory
    /// The list as the walk left it.
    var list: MovingList
    /// Its answers, as stored.
    var run: WalkRun
    var open: Set<ProofKind>?

    var isFalse: Bool { certificate.verdict == .complete && !missing.isEmpty }

    func breaks(_ proof: ProofKind) -> Bool {
      guard certificate.proofs.contains(proof) else { return false }
      return !(proof == .twice ? missingSince : missing).isEmpty
    }
  }

  private let first: MovingList
  private let memory: WalkMemory
  private let script: Script
  private let since: Set<Int>
  private var list: MovingList
  private var requests = 0
  private var lasting: Set<Int> = []
  private var lastPage: Cursor?
  /// The list before each change during this run, and how many answers it had used by then.
  private var past: [(list: MovingList, taken: Int)] = []
  private var requestsBefore = 0
  private var crossed = 0

  /// A walk over a list that has not changed since the walk that left `memory`, if any.
  static func outcome(
    of list: MovingList, memory: WalkMemory, _ script: Script = Script()
  ) throws -> Outcome {
    var walk = MatrixWalk(list, memory, script, since: list.keys)
    return try walk.run()
  }

  /// The walk of the next night.
  static func outcome(after night: Outcome, _ script: Script = Script()) throws -> Outcome {
    var walk = MatrixWalk(night.list, night.memory, script, since: night.lasting)
    return try walk.run()
  }

  private init(_ list: MovingList, _ memory: WalkMemory, _ script: Script, since: Set<Int>) {
    first = list
    self.list = list
    self.memory = memory
    self.script = script
    self.since = since
    lastPage = memory.lastPage
  }

  private mutating func run() throws -> Outcome {
    let builder = try FakeJob.builder(try list.stream())
    var walker = Walker(builder, memory: memory, limits: list.limits)
    var run = WalkRun()
    run.order = list.order
    run.atOnce = script.atOnce
    run.commitsMax = script.pause?.pages ?? .max
    try run.drive(&walker, inFlight: { answer($0, askedBehind: $1) })
    if run.certificate == nil, let pause = script.pause {
      walker = Walker(
        builder, resuming: run.pages, after: pause.walkBreak, memory: memory,
        limits: list.limits)
      let before = run
      run = WalkRun(after: before)
      // Nothing is in flight over the pause.
      (past, requestsBefore) = ([], requests)
      try run.drive(&walker, inFlight: { answer($0, askedBehind: $1) })
    }
    let certificate = try #require(run.certificate)
    // A plain run takes a sample: deriving takes as long as walking, and other tests wait for this one.
    let place = script.changes.reduce(requests + 3 * lasting.count) { $0 + 5 * $1.before }
    let isLookedAt = Torture.isWhole || place % (script.pause == nil ? 23 : 5) == 0
    if isLookedAt, !run.isDerived(certificate) {
      Issue.record("not derived: \(WalkRun.derived(run.rows, left: run.left)) for \(certificate)")
    }
    var left = WalkMemory(
      hasSeenMore: walker.signOfMore ?? memory.hasSeenMore, isRangeProven: true)
    left.sizesHold = walker.sizesHold ?? memory.sizesHold
    if certificate.verdict.isWhole {
      (left.pattern, left.lastPage) = (certificate.pattern, lastPage)
      // A night passes between two walks.
      left.isPatternOld = certificate.pattern != nil && certificate.pattern == memory.pattern
    }
    let missing = lasting.subtracting(run.seen)
    return Outcome(
      certificate: certificate, lasting: lasting, missing: missing,
      missingSince: missing.intersection(since), requests: requests, dropped: run.dropped,
      crossed: crossed, memory: left, list: list, run: run,
      open: walker.openProofs)
  }

  private mutating func answer(_ step: Step, askedBehind taken: Int) -> Reply {
    requests += 1
    for one in script.changes where one.before == requests {
      past.append((list, requests - 1 - requestsBefore))
      list.make(one.change)
    }
    let isOld = script.oldCopies.contains(requests)
    let early = past.suffix(script.early[requests] ?? 0).first { $0.taken >= taken }
    if early != nil { crossed += 1 }
    let answering = early?.list ?? (isOld ? first : list)
    if requests == 1 || !script.changes.isEmpty {
      let promised = script.tellsAge || early != nil ? list.keys : answering.keys
      lasting = requests == 1 ? promised : lasting.intersection(promised)
    }
    var reply = answering.answer(step)
    if case .page(let page) = reply {
      reply = .page(script.falsify(requests, step, page))
    }
    if case .page(var page) = reply {
      if step.purpose == .page, !page.keys.isEmpty { lastPage = step.cursor }
      if isOld, script.tellsAge {
        page.signs += age
        reply = .page(page)
      }
    }
    return reply
  }

  /// The headers of an old copy, relative to the start of the walk and its last answer.
  private var age: [UnreadSign] {
    guard let change = script.changes.first, change.before <= requests else { return [] }
    if change.before == 1 { return [UnreadSign("Age", .old, "300 s")] }
    let isOlder = change.before < requests && !script.oldCopies.contains(requests - 1)
    return isOlder ? [UnreadSign("Age", .older, "300 s")] : []
  }
}
