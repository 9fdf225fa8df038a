internal import Base
internal import Store
internal import Walk

/// The lists of a run: stream by stream, as many at once as the job allows requests in flight.
extension JobRun {
  /// Starts each stream once those it takes values from are done. Its lists come after those of earlier streams, so it
  /// starts no sooner than these wait for a lane.
  func walkAll() async throws {
    let streams = try await planner.streams()
    var left = Array(streams.enumerated())
    var done: Set<String> = []
    try await withThrowingTaskGroup(of: String.self) { group in
      while done.count < streams.count {
        let ready = left.filter { order, stream in
          let needs = planner.lists.needs(stream)
          // A stream waits only for earlier ones: `--set` may close a circle.
          return streams[..<order].allSatisfy { done.contains($0.name) || !needs.contains($0.name) }
        }
        for (order, stream) in ready {
          lanes.open(order)
          group.addTask {
            defer { lanes.close(order) }
            try await stopping {
              // Its turn comes after the streams before it.
              await lanes.enter(order)
              lanes.leave(order)
              if !isStopped { try await walk(stream, order) }
              try await account(for: stream)
            }
            return stream.name
          }
        }
        left.removeAll { one in ready.contains { $0.offset == one.offset } }
        if let name = try await group.next() { done.insert(name) }
      }
    }
  }

  private func walk(_ stream: Stream, _ order: Int) async throws {
    if let feed = stream.parent {
      return try await walkChildren(stream, feed, order)
    }
    var roots: ArraySlice<Unit>?
    try await inLanes(order) { () async throws -> Unit? in
      if roots == nil { roots = try await planner.roots(of: stream)[...] }
      return roots?.popFirst()
    } walk: { list, lane in
      _ = try await walk(list, stream, asked: [], lane)
    }
  }

  /// Every stream of a run appears in its outcome: one without a list failed if its records no longer name any list,
  /// and otherwise rests.
  private func account(for stream: Stream) async throws {
    let isRead = context.recorder.hasList(of: stream.name)
    if isStopped {
      return isRead ? () : context.recorder.rests("\(stream.name) was not reached")
    }
    let lack = try await planner.lack(of: stream)
    guard let lack, lack.leavesNothing, !isRead else {
      if !isRead {
        context.recorder.rests("\(stream.name) is \(try await planner.whyResting(stream))")
      }
      if let lack { context.recorder.story("\(stream.name): \(lack.sentence).") }
      return
    }
    let certificate = Certificate.unasked(lack.sentence)
    var facts = context.facts(of: stream, stream.name, certificate)
    facts.isNewShortfall = true
    context.recorder.story(certificate.description(of: stream.name))
    try await context.conclude(&facts)
    note(UnitWalk.Result(facts: facts, kinds: [.failed]))
  }

  private var isStopped: Bool { ending.withLock { $0.stop != nil } }

  /// Walks the items, each when a lane is free. Once one stops the run or fails, none is started, and those under way
  /// make no further request.
  private func inLanes<Item: Sendable>(
    _ order: Int, next: () async throws -> Item?,
    walk: @escaping @Sendable (Item, Lane?) async throws -> Void
  ) async throws {
    // A discarding group frees a list's memory at its end, however many lists there are.
    try await withThrowingDiscardingTaskGroup { group in
      while true {
        await lanes.enter(order)
        let lane = Lane(lanes, order: order)
        do {
          guard !isStopped, let item = try await next() else {
            lane.leave()
            break
          }
          group.addTask {
            defer { lane.leave() }
            try await stopping {
              try await walk(item, context.options.isOneAtATime ? nil : lane)
            }
          }
        } catch {
          lane.leave()
          // Lists that gave way wait until no more lists can come.
          lanes.close(order)
          throw error
        }
      }
      lanes.close(order)
    }
  }

  /// A failure stops the run.
  private func stopping(_ body: () async throws -> Void) async throws {
    do { try await body() } catch {
      let stop = Stop(rule: .failure, message: "\(error)")
      context.requester.flights.halt(stop)
      ending.withLock { $0.stop = $0.stop ?? stop }
      throw error
    }
  }

  /// Records the result of one list; its stop is the run's.
  private func note(_ result: UnitWalk.Result) {
    context.recorder.ended(result.facts)
    let stop = ending.withLock { ending in
      ending.note(result)
      return ending.stop
    }
    if let stop { context.requester.flights.halt(stop) }
  }

  private func walk(
    _ unit: Unit, _ stream: Stream, asked: [String], _ lane: Lane?
  ) async throws -> UnitFacts? {
    guard context.options.asks(unit.stream, unit.parameterText) else { return nil }
    let result: UnitWalk.Result
    if let feed = stream.parent, let why = planner.whyUnaskable(unit, stream, feed) {
      result = try await leaveOut(unit, stream, why, asked: asked)
      note(result)
      return result.facts
    }
    switch try await planner.course(of: unit, stream) {
    case .rests: return nil
    case .range(let plan):
      var fill = FillWalk(plan, of: unit, stream, asked: asked, context.ofOneList(in: lane))
      result = try await fill.walk()
    case .whole:
      result = try await walkWhole(
        unit, stream, asked: asked, lane)
    }
    note(result)
    return result.facts
  }

  /// Certifies a list for which no request can be made; the others are still read.
  private func leaveOut(
    _ list: Unit, _ stream: Stream, _ why: String, asked: [String]
  ) async throws -> UnitWalk.Result {
    let (opening, done) = try await parts.store.certifyOutOfReach(
      list, stream, of: parts.job.name, prints: planner.prints(of: stream), run: run, why,
      asked: asked)
    if done.isNewShortfall {
      context.recorder.warn(
        "no request can be made: \(why); it is left out",
        about: UnitLabel(stream: stream.name, listName: opening.listName))
    }
    return UnitWalk.Result(
      facts: context.facts(of: stream, opening.listName, done.certificate, done, unit: list),
      kinds: done.isNewShortfall ? [.lessThanDeclared] : [])
  }

  /// Walks the list once, and again if that proves nothing and a proof is due.
  private func walkWhole(
    _ unit: Unit, _ stream: Stream, asked: [String], _ lane: Lane?
  ) async throws -> UnitWalk.Result {
    let proof = try await planner.proof(of: unit, stream)
    var walk = UnitWalk(
      context: context.ofOneList(in: lane), stream: stream, unit: unit,
      builder: try StepBuilder(job: parts.job, stream: stream, unit: unit),
      asked: asked, isProofDue: proof.isDue)
    let first = try await walk.walk()
    guard proof.isOfTwo, first.stop == nil, first.facts.requests > 0,
      first.facts.certificate.verdict == .unproven
    else { return first }
    context.recorder.story(
      "\(first.facts.listName): one reading proves nothing, so it is read once more.")
    walk.isSecondReading = true
    do {
      return try await walk.walk().behind(first)
    } catch {
      note(first)
      throw error
    }
  }

  /// A stream that is requested for each record of another.
  private func walkChildren(_ stream: Stream, _ feed: ParentFeed, _ order: Int) async throws {
    if context.options.isRefill {
      try await parts.store.askAgain(stream.name, of: parts.job.name)
    }
    let values = try await planner.values(of: stream)
    try await parts.store.noteRequest(
      stream.name, of: parts.job.name, try await planner.request(of: stream), run: run)
    if stream.isAskedInBatches {
      guard context.options.asks(stream.name, ""), !planner.lacksValue(stream, feed, values) else {
        return
      }
      var whole: String? = stream.name
      return try await inLanes(order) { () -> String? in
        defer { whole = nil }
        return whole
      } walk: { _, lane in
        let batches = BatchWalk(
          context: context.ofOneList(in: lane), stream: stream, feed: feed, values: values)
        guard let result = try await batches.walk() else { return }
        note(result)
      }
    }
    var parents = DueParents(
      store: parts.store, stream: stream, job: parts.job.name, run: run,
      isOfAll: planner.readsAll(stream))
    var count = 0
    try await inLanes(order) { () async throws -> DueValue? in
      guard planner.takesMore(after: count) else { return nil }
      count += 1
      return try await parents.next()
    } walk: { (due: DueValue, lane) in
      let lists = planner.children(of: stream, feed, due, values: values)
      try await walk(lists, of: due, stream, lane)
    }
    // The last parent may be given out while others are under way.
    if !isStopped { try await parents.end() }
  }

  /// The lists of one parent, one after the other.
  private func walk(
    _ lists: [Unit], of due: DueValue, _ stream: Stream, _ lane: Lane?
  ) async throws {
    let lists = lists.filter { context.options.asks($0.stream, $0.parameterText) }
    var missed: UnitFacts?
    // What waits for a retry stays due, and so does what is not read to its end.
    var (rests, isPaused) = (false, false)
    let isEachTime = stream.parent?.when.isEachTime == true
    let isOther = planner.isOfOtherValues(stream)
    for (index, list) in lists.enumerated() where !isStopped {
      // The parent counts as answered with the last of its lists.
      let isAnswered = index == lists.count - 1 && missed == nil && !rests && !isPaused && !isOther
      let asked = isAnswered ? [due.value] : []
      let facts = try await walk(list, stream, asked: asked, lane)
      rests = rests || facts == nil
      switch facts?.certificate.verdict {
      case .failed: missed = facts
      case .absent where missed == nil: missed = facts
      case .paused:
        isPaused = true
        guard stream.parent?.when == .run, !isOther else { break }
        try await parts.store.keepDue(due.value, stream.name, of: parts.job.name, run: run)
      case .incomplete where missed == nil:
        if !isEachTime || facts?.certificate.counts.fitsNothing == true { missed = facts }
      default: break
      }
    }
    guard !lists.isEmpty, !isOther else { return }
    guard let missed else {
      // The list waits for a backfill, so it must not hold up the others; the next round returns to it.
      if rests, !isPaused, isEachTime {
        try await parts.store.markAsked([due.value], stream.name, of: parts.job.name, run: run)
      }
      return
    }
    // The parent waits as long as its list does.
    try await parts.store.markMissed(
      [due.value], stream.name, of: parts.job.name, run: run,
      isAbsent: missed.certificate.verdict == .absent
        || missed.certificate.verdict == .incomplete && missed.certificate.counts.fitsNothing,
      until: missed.certificate.goesOnAt)
  }
}
