internal import Base
internal import Store
internal import Walk

/// What a fill keeps and tells of itself: its density and its forecast.
extension FillWalk {
  /// Called after each window, so that a kill forgets at most one.
  mutating func remember() async throws {
    if let rate = fill.learner?.rate { try await store.noteDensity(rate, of: key) }
    // A counted total is enough; otherwise several windows are read first.
    if purpose == .backfill, stream.total?.trust == .counted { try await foretell() }
  }

  /// The first forecast of the run is kept for its report.
  private mutating func foretell() async throws {
    guard forecast == nil, let rate = fill.forecastRate else { return }
    let rest = FillForecast(
      stream, holes: fill.remaining, rate: rate, isOfOneAnswer: plan.isOfOneAnswer)
    guard rest.requests > 0 else { return }
    let sent = context.tally.count - account.requestsBefore
    forecast = Forecast(
      requests: sent + rest.requests,
      // Of a list that has rows already, they would not compare with its rows.
      records: plan.survey.covered.isEmpty
        ? rest.records.map { $0 + account.counts.received } : nil, isEstimate: true)
    let days = try await context.quotas.forecast(
      rest.requests, of: stream, in: context.ledger, at: context.time.now()
    ).days
    let span = days.map { $0 == 1 ? "today" : "in \($0) days" } ?? "and the quota allows none"
    let text = "about \(rest.requests) more requests, \(span)"
    context.recorder.story("\(label.listName): \(text).")
    context.recorder.event(
      .totalKnown(label, records: rest.records, pages: rest.requests, text: text))
  }

  /// Marks what was reached, and keeps what the report shows.
  mutating func conclude() async throws {
    if purpose == .backfill, account.stop != nil { try await foretell() }
    let after = try await RangeSurvey(
      job, stream, unit, range: range, store: store, now: context.time.now())
    // A backfilled range says nothing of what is new since.
    if purpose == .goOn, !asked.isEmpty, account.isAnswered {
      try await store.markAsked(asked, stream.name, of: job.name, run: run)
    }
    let facts = after.facts(listName: label.listName)
    context.recorder.change { $0.coverage.append(facts) }
  }

  /// Says what the run will do, before its first request.
  func tell() {
    let count = plan.holes.count
    guard count > 0 else { return }
    var text = Wording.count(count, "hole")
    if let forecast = plan.forecast { text += ", about \(forecast.requests) requests" }
    context.recorder.story("\(label.listName): \(text).")
  }
}
