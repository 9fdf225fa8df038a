internal import Model
internal import Store
internal import Walk

/// What a batch of single answers comes to.
extension BatchWalk {
  func finish(_ state: State) async throws -> UnitWalk.Result {
    if let first = state.unreadable.first {
      let count = state.unreadable.count
      let why = "\(Wording.count(count, "request")) returned nothing: \(first)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    let isCutOff = state.absentInARow >= Self.absencesInARowMax
    let others = isCutOff ? "; the others are left for a later run" : ""
    // Those that were missing before and still are say nothing new of a list that was complete.
    let isOldNews = state.newlyAbsent == 0 && state.wasComplete && state.last != .absent
    if state.absentInARow > 0, !state.hasAnswer, isCutOff || !isOldNews {
      let what = state.absent == 1 ? "the one that was" : "all \(state.absent) that were"
      let why = "\(what) asked for: \(state.whyAbsent)\(others)"
      return try await conclude(.absent, .gone, why, [], nil, state)
    }
    if isCutOff {
      let why = "\(state.absentInARow) requests in a row: \(state.whyAbsent)\(others)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    if state.fitsNothing {
      let why =
        "every record of \(Wording.count(state.rejectedPages, "answer")) was rejected"
        + "\(Self.clause(state.rejectReason)); \(Walker.cureOfRejects)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    let gone = state.absent + state.leftOut.gone
    if state.counts.received == 0, state.leftOut.gone > 0, state.leftOut.waiting == 0,
      !state.wasComplete || state.last == .absent
    {
      let why = "the answers left out all \(gone) that were requested, more than once"
      return try await conclude(.absent, .gone, why, [], nil, state)
    }
    var why = Wording.count(state.pages, "request")
    if gone > 0, state.counts.received == 0, state.leftOut.waiting == 0 {
      why = "only what had not been found was requested again"
    }
    let doubt = doubt(state)
    why += doubt.map { "; \($0.why)" } ?? ", nothing left to fetch"
    if gone > 0 { why += "; \(Wording.count(gone, "is", "are")) not there" }
    let verdict = doubt.map { $0.cause == nil ? Verdict.unproven : .incomplete } ?? .complete
    return try await conclude(verdict, .singleAnswer, why, [], nil, state, cause: doubt?.cause)
  }

  /// What speaks against the answers, or (without a cause) keeps them from being proven.
  private func doubt(_ state: State) -> (cause: Shortfall?, why: String)? {
    if state.counts.rejected > 0 {
      let records = Wording.count(state.counts.rejected, "record was", "records were")
      return (.rejects, "\(records) rejected\(Self.clause(state.rejectReason))")
    }
    if let key = state.ambiguousKey {
      return (.ambiguousKey, "records of one answer have the same key (\(key)) and other values")
    }
    if let unread = state.unread { return (.unread, unread) }
    guard state.leftOut.waiting > 0 else {
      return stream.isSearch ? (nil, "a search returns what it likes") : nil
    }
    let left =
      "\(Wording.count(state.leftOut.waiting, "value")) that did not come will be requested again"
    return state.emptyBatch.map { (.empty, "nothing came for \($0) values at once; \(left)") }
      ?? (nil, left)
  }

  private static func clause(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  /// Nothing is due, but nothing that was asked last was there: that is no success.
  func stillAbsent() async throws -> UnitWalk.Result? {
    let job = context.job.name
    guard let until = try await store.nextAttempt(stream.name, of: job),
      let last = try await store.certificates(of: stream.name, job: job).first,
      last.certificate.verdict == .absent, last.standing != .otherRequest
    else { return nil }
    context.recorder.story("\(stream.name): nothing was found; it is requested again at \(until).")
    var certificate = last.certificate
    certificate.goesOnAt = until
    var facts = UnitFacts(
      stream: stream.name, table: "\(context.job.tablePrefix)_\(stream.table)",
      listName: stream.name, parameterText: "", window: nil, certificate: certificate,
      isAsDeclared: false, isNewShortfall: false, requests: 0, duration: .zero)
    facts.counts = Counts()
    context.recorder.event(.unitConcluded(facts))
    return UnitWalk.Result(facts: facts, kinds: [], stop: nil)
  }

  func pause(
    _ stop: Stop, _ kinds: Set<RunOutcome.Kind>, _ state: State
  ) async throws -> UnitWalk.Result {
    try await conclude(.paused, stop.rule, stop.message, kinds, stop, state)
  }

  func conclude(
    _ verdict: Verdict, _ rule: StopRule, _ why: String, _ kinds: Set<RunOutcome.Kind>,
    _ stop: Stop?, _ state: State, cause: Shortfall? = nil
  ) async throws -> UnitWalk.Result {
    var goesOnAt = stop?.goesOnAt
    if verdict == .absent {
      goesOnAt = try await store.nextAttempt(stream.name, of: context.job.name)
    }
    let certificate = Certificate(
      verdict: verdict, cause: cause, rule: rule, why: why, pages: state.pages,
      counts: state.counts,
      distinctKeys: state.distinct, goesOnAt: goesOnAt,
      // Each answer is whole by itself: what was asked for is in it, or was missed and is due.
      proofs: verdict == .complete ? [.oneAnswer] : [])
    let done = try await store.certify(state.id, certificate)
    var kinds = kinds
    if done.isNewShortfall, ![.paused, .failed].contains(verdict) {
      kinds.insert(.lessThanDeclared)
    }
    var facts = UnitFacts(
      stream: stream.name, table: "\(context.job.tablePrefix)_\(stream.table)",
      listName: state.label.listName, parameterText: "", window: nil,
      certificate: done.certificate,
      isAsDeclared: done.certificate.isAsDeclared, isNewShortfall: done.isNewShortfall,
      requests: context.tally.count - state.requestsBefore,
      duration: context.time.elapsed() - state.began)
    state.samples.put(into: &facts, done)
    context.recorder.story(done.certificate.description(of: state.label.listName))
    context.recorder.event(.unitConcluded(facts))
    return UnitWalk.Result(facts: facts, kinds: kinds, stop: stop)
  }
}
