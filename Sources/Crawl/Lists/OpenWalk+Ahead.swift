internal import Base
internal import Store
internal import Walk

/// A page with its records mapped to rows, usually while the page before it was written.
struct EarlyPage: Sendable {
  var fetched: Fetcher.Fetched
  var rows: EarlyRows?

  init(
    _ step: Step, _ validator: Validator?, _ fetcher: Fetcher, _ reader: EarlyReader,
    pastCaches: Bool = false
  ) async {
    fetched = await fetcher.fetch(step, validator, pastCaches: pastCaches)
    if case .page(let page, let answer) = fetched, !step.purpose.isLook {
      rows = await withTaskExecutorPreference(answer.longReader) { reader.read(page) }
    }
  }
}

extension Answer {
  /// The largest body that is parsed where it came; at most a millisecond.
  static let shortMax = 1 << 18

  /// Where a long answer is parsed, to keep its thread free for others. Nil: right there.
  var longReader: (any TaskExecutor)? {
    body.count > Self.shortMax ? globalConcurrentExecutor : nil
  }
}

extension OpenWalk {
  /// Why this run requests no further page of the list.
  func enough() -> String? {
    if let most = context.options.pagesMax {
      return pagesAsked >= most ? CrawlOptions.whyPreviewed : nil
    }
    guard pagesAsked >= CrawlOptions.listPages else { return nil }
    return "after \(Wording.number(pagesAsked)) pages of one list in one run"
  }

  /// Parses on the answer thread, not on the store's thread, where the walk is.
  func fetch(
    _ step: Step, _ validator: Validator?, _ fetcher: Fetcher, _ reader: EarlyReader,
    pastCaches: Bool
  ) async -> EarlyPage {
    await withTaskExecutorPreference(context.answerExecutor) {
      await EarlyPage(step, validator, fetcher, reader, pastCaches: pastCaches)
    }
  }

  /// Pages to request ahead while one is written: only those certain to be wanted, up to the first with a validator,
  /// which is requested in its turn.
  func certainSteps(
    after page: Page, _ step: Step
  ) async throws(StoreError) -> [Step] {
    guard context.options.pagesMax == nil,
      !context.options.isOneAtATime,
      part?.isTooWide(page.total, pages: page.pageCount) != true,
      part?.isMoreThanOneAnswer(page) != true
    else { return [] }
    // One more than may be in flight: its request follows at once when the one before it is answered, so that the
    // server never waits for the store.
    let most = min(context.job.atOnce + 1, CrawlOptions.listPages - pagesAsked)
    if most <= 0 { return [] }
    let steps = walker.certainNext(after: page, step: step, most: most)
    for (index, next) in steps.enumerated() where try await validator(for: next) != nil {
      return Array(steps[..<index])
    }
    return steps
  }
}
