internal import Base
internal import Store
internal import Walk

/// What a fill stores about itself: density, forecast, and cost.
extension FillWalk {
  /// Called after each window, so that a kill forgets at most one.
  func remember(_ state: inout State) async throws {
    if let rate = state.fill.learner?.rate { try await store.noteDensity(rate, of: key) }
    guard purpose == .backfill else { return }
    let sent = context.tally.count
    try await store.noteFill(range, of: key, requests: sent - state.requestsCounted)
    state.requestsCounted = sent
    // A counted total is enough; otherwise several windows are read first.
    if stream.total?.trust == .counted { try await foretell(&state) }
  }

  /// The first forecast is kept, to compare it with the result.
  private func foretell(_ state: inout State) async throws {
    guard !state.hasForecast, let rate = state.fill.forecastRate else { return }
    state.hasForecast = true
    let rest = FillForecast(
      stream, holes: state.fill.remaining, rate: rate, isOfOneAnswer: plan.isOfOneAnswer)
    guard rest.requests > 0 else { return }
    let before = try await store.fills(key).first { $0.range == range }
    guard before?.forecast == nil else { return }
    let now = context.time.now()
    let days = try await context.quotas.forecast(
      rest.requests, of: stream, in: context.ledger, at: now
    ).days
    let requests = (before?.requests ?? 0) + rest.requests
    try await store.noteForecast(
      range, of: key, requests: requests,
      records: rest.records.map { $0 + state.account.counts.received }, days: days ?? 0)
    let span = days.map { $0 == 1 ? "today" : "in \($0) days" } ?? "and the quota allows none"
    let text = "about \(rest.requests) more requests, \(span)"
    context.recorder.story("\(state.account.label.listName): \(text).")
    context.recorder.event(
      .totalKnown(
        state.account.label, records: rest.records, pages: rest.requests, text: text))
  }

  /// Marks what was reached, and keeps what the report shows.
  func conclude(_ state: inout State) async throws {
    if purpose == .backfill, state.account.stop != nil { try await foretell(&state) }
    let after = try await RangeSurvey(
      job, stream, unit, range: range, store: store, now: context.time.now())
    if purpose == .backfill, after.isSettled { try await store.endFill(range, of: key) }
    // A backfilled range says nothing of what is new since.
    if purpose == .goOn, !asked.isEmpty, state.account.isAnswered {
      try await store.markAsked(asked, stream.name, of: job.name, run: run)
    }
    let facts = after.facts(listName: state.account.label.listName)
    context.recorder.change { $0.coverage.append(facts) }
  }

  func forecast() async throws -> Forecast? {
    guard purpose == .backfill,
      let fill = try await store.fills(key).first(where: { $0.range == range }),
      let forecast = fill.forecast
    else { return nil }
    return Forecast(requests: forecast, records: fill.forecastRecords, isEstimate: true)
  }

  /// Says what the run will do, before its first request.
  func tell(_ label: UnitLabel) {
    let count = plan.holes.count
    guard count > 0 else { return }
    var text = Wording.count(count, "hole")
    if let forecast = plan.forecast { text += ", about \(forecast.requests) requests" }
    context.recorder.story("\(label.listName): \(text).")
  }
}
