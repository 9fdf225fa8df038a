internal import Base
internal import Store
internal import Walk

/// What a batch of single answers comes to.
extension BatchWalk {
  func finish(_ state: State) async throws -> UnitWalk.Result {
    let certificate = state.answers.certificate(isSearch: stream.isSearch)
    return try await conclude(
      certificate, [], nil, state)
  }

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
    var facts = context.facts(of: stream, stream.name, certificate)
    facts.counts = Counts()
    try await context.conclude(&facts, store)
    return UnitWalk.Result(facts: facts, kinds: [])
  }

  func pause(
    _ stop: Stop, _ kinds: Set<RunOutcome.Kind>, _ state: State
  ) async throws -> UnitWalk.Result {
    try await conclude(
      state.answers.certificate(.paused, stop.rule, stop.message, goesOnAt: stop.goesOnAt), kinds,
      stop, state)
  }

  func conclude(
    _ certificate: Certificate, _ kinds: Set<RunOutcome.Kind>, _ stop: Stop?, _ state: State
  ) async throws -> UnitWalk.Result {
    var certificate = certificate
    if certificate.verdict == .absent {
      certificate.goesOnAt = try await store.nextAttempt(stream.name, of: context.job.name)
    }
    // While the clock is wrong nothing is stored.
    let done =
      stop?.rule == .clock
      ? nil
      : try await store.certify(state.id, certificate, handed: state.answers.missed.text)
    certificate = done?.certificate ?? certificate
    var kinds = kinds
    if let done, certificate.verdict != .paused { kinds.formUnion(done.kinds) }
    var facts = context.facts(
      of: stream, state.label.listName, certificate, done,
      requests: context.tally.count - state.requestsBefore)
    context.recorder.story(certificate.description(of: state.label.listName))
    try await context.conclude(&facts, store)
    return UnitWalk.Result(facts: facts, kinds: kinds, stop: stop)
  }
}
