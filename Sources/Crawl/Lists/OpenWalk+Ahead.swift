internal import Base
internal import Store
internal import Walk

/// A page with its records read: mostly it came while the one before it was written.
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
  /// What is read at once, where it came; it takes a millisecond at most.
  static let shortMax = 1 << 18

  /// Where a long answer is read: its thread has other answers to take. Nil: at once.
  var longReader: (any TaskExecutor)? {
    body.count > Self.shortMax ? globalConcurrentExecutor : nil
  }
}

extension OpenWalk {
  /// Why no further page of the list is requested in this run.
  func enough() -> String? {
    if let most = context.options.pagesMax {
      return pagesAsked >= most ? CrawlOptions.whyPreviewed : nil
    }
    guard pagesAsked >= context.options.listPagesMax else { return nil }
    return "after \(Wording.number(pagesAsked)) pages of one list in one run"
  }

  /// What is needed now is read where answers come, too: the walk itself is on the store's thread.
  func fetch(
    _ step: Step, _ validator: Validator?, _ fetcher: Fetcher, _ reader: EarlyReader,
    pastCaches: Bool
  ) async -> EarlyPage {
    await withTaskExecutorPreference(context.answerExecutor) {
      await EarlyPage(step, validator, fetcher, reader, pastCaches: pastCaches)
    }
  }

  /// What is requested, or waits for its turn, while a page is written: only what is certain to be
  /// wanted, up to the first page that has a validator, which is good when its turn has come.
  func certainSteps(
    after page: Page, _ step: Step
  ) async throws(StoreError) -> [Step] {
    guard context.options.pagesMax == nil,
      !context.options.isOneAtATime,
      part?.isTooWide(page.total, pages: page.pageCount) != true,
      part?.isMoreThanOneAnswer(page) != true
    else { return [] }
    // One more than may be in flight: its request follows when the one before it was answered, so
    // that the server does not wait for the store.
    let most = min(context.job.atOnce + 1, context.options.listPagesMax - pagesAsked)
    if most <= 0 { return [] }
    let steps = walker.certainNext(after: page, step: step, most: most)
    for (index, next) in steps.enumerated() where try await validator(for: next) != nil {
      return Array(steps[..<index])
    }
    return steps
  }
}
