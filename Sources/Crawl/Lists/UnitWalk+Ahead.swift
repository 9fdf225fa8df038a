internal import Model
import Store
internal import Walk

/// A page that came while the one before it was written, with its records read.
struct EarlyPage: Sendable {
  var fetched: Fetcher.Fetched
  var rows: EarlyRows?

  init(fetched: Fetcher.Fetched) { self.fetched = fetched }

  init(_ step: Step, _ fetcher: Fetcher, _ reader: EarlyReader) async {
    fetched = await fetcher.fetch(step, nil)
    if case .page(let page, _) = fetched, !step.purpose.isLook {
      rows = reader.read(page)
    }
  }
}

extension UnitWalk {
  /// What is requested, or waits for its turn, while a page is written: only what is certain to be wanted.
  func certainSteps(
    after page: Page, _ step: Step, _ fetcher: Fetcher, _ state: State
  ) -> [Step] {
    guard !stream.isConditional, !fetcher.passesCaches, context.options.pagesMax == nil,
      !context.options.isOneAtATime,
      part?.isTooWide(page.total, pages: page.pageCount) != true,
      part?.isMoreThanOneAnswer(page) != true
    else { return [] }
    // One more than may be in flight: its request follows when the one before it was answered, so that the
    // server does not wait for the store.
    return state.walker.certainNext(after: page, step: step, most: context.job.atOnce + 1)
  }
}
