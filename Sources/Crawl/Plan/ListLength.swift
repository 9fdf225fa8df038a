internal import Base

/// The length of a list according to its first page.
struct ListLength: Sendable, Equatable {
  var pages: Int
  var records: Int
  /// The API's estimate, which may be wrong.
  var isEstimate: Bool

  /// A server may claim any number; more pages or records than this are never read.
  private static let most = 1_000_000_000

  /// Nil if the page does not say, or is the only page.
  init?(_ page: Page, of stream: Stream) {
    let size = min(Self.most, stream.size?.value ?? max(1, page.records.count))
    // No more than the API's ceiling, whatever it counts.
    let said = stream.total?.trust == .worthless ? nil : page.total
    let total = said.map { min($0, stream.cap?.at ?? Self.most, Self.most) }
    let pages = page.pageCount.map { min($0, Self.most) } ?? total.map { ($0 + size - 1) / size }
    guard let pages, pages > 1 else { return nil }
    self.pages = pages
    records = total ?? pages * size
    isEstimate = page.pageCount == nil && stream.total?.trust == .estimate && total == page.total
  }

  /// The cost and how to reduce it, in words.
  func told(_ stream: Stream, _ context: RunContext) async -> String {
    var text = "\(pages) pages"
    if isEstimate { text += " if the API's estimate of \(records) is true" }
    let most = CrawlOptions.listPages
    if pages > most {
      text += " (\(Wording.count((pages + most - 1) / most, "run")) of \(Wording.number(most)))"
    }
    // The first page was read.
    let (requests, now) = (pages - 1, context.time.now())
    let pace = context.recorder.meanRequest
    let forecast: CostForecast
    do {
      forecast = try await context.quotas.forecast(
        requests, of: stream, pace: pace, in: context.ledger, at: now)
    } catch {
      context.recorder.warn("\(error)")
      return text
    }
    guard let sentence = forecast.sentence else { return text }
    text += forecast.runs == 1 ? "; \(sentence)" : ", and \(sentence)"
    guard forecast.runs != 1, let cure = cure(forecast, stream, context, pace) else {
      return text
    }
    return "\(text). \(cure)"
  }

  private func cure(
    _ forecast: CostForecast, _ stream: Stream, _ context: RunContext, _ pace: Duration
  ) -> String? {
    let other = context.quotas.forecastWithKey(
      forecast.requests, of: stream, pace: pace, at: context.time.now())
    guard let other, let time = other.time, time * 2 < forecast.time ?? (time * 3) else {
      return nil
    }
    let page = context.job.authentication?.page.map { "\($0), then: " } ?? ""
    return "With a key about \(Wording.rough(time)): \(page)trawl key \(context.job.word)"
  }
}
