internal import Model
internal import Walk

extension UnitWalk {
  /// What may be under way while a page is written: only what is certain to be wanted.
  func certainSteps(
    after page: Page, _ step: Step, _ fetcher: Fetcher, _ state: State
  ) -> [Step] {
    guard !stream.isConditional, !fetcher.passesCaches, context.options.pagesMax == nil,
      !context.options.isOneAtATime,
      part?.isTooWide(page.total, pages: page.pageCount) != true,
      part?.isMoreThanOneAnswer(page) != true
    else { return [] }
    return state.walker.certainNext(after: page, step: step, atOnce: context.job.atOnce)
  }
}
