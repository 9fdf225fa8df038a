internal import Model
internal import Walk

/// What a walk says while it goes on.
extension UnitWalk {
  func tellStored(_ step: Step, bytes: Int, _ state: State) {
    var counts = part?.countsBefore ?? Counts()
    counts += state.counts
    context.recorder.event(
      .pageStored(
        state.label, ordinal: (part?.pagesBefore ?? 0) + step.ordinal, counts: counts, bytes: bytes)
    )
  }

  func tellWarnings(_ state: inout State) {
    for warning in state.walker.warnings.dropFirst(state.warned) {
      context.recorder.warn(warning, about: state.label)
    }
    state.warned = state.walker.warnings.count
  }

  func tellPage(_ summary: PageSummary, _ page: Page, _ label: UnitLabel) {
    let received = summary.counts.received
    switch (received, page.next) {
    case (0, .some):
      context.recorder.story(
        "\(label.foundBy): page \(summary.ordinal) was empty but named a next page, so it went on.")
    case (0, nil): context.recorder.story("\(label.foundBy): page \(summary.ordinal) was empty.")
    default: break
    }
  }

  /// As soon as the list tells its length: what it will cost, before page 2.
  func tellLength(_ page: Page, _ step: Step, _ state: inout State) {
    guard part == nil, !state.hasToldLength, step.ordinal == 1, step.purpose == .page else {
      return
    }
    state.hasToldLength = true
    let size = stream.size?.value ?? max(1, page.records.count)
    // No more than the API's ceiling lets through, whatever it counts.
    let total = page.total.map { min($0, stream.cap?.at ?? .max) }
    let pages = page.pageCount ?? total.map { ($0 + size - 1) / size }
    guard let pages, pages > 1 else { return }
    let isCapped = total != page.total
    let isEstimate = page.pageCount == nil && stream.total?.trust == .estimate && !isCapped
    let records = total ?? pages * size
    state.forecast = Forecast(requests: pages, records: records, isEstimate: isEstimate)
    let text = "\(pages) pages" + (isEstimate ? " if the API's estimate of \(records) is true" : "")
    context.recorder.event(
      .totalKnown(state.label, records: records, pages: pages, text: text))
  }
}
