internal import Base
internal import Store
internal import Walk

extension UnitWalk.State {
  /// What it has brought is in the table, and comes again as unchanged.
  mutating func noteRestart() {
    restarts = walker.restarts
    begunAnew += counts
    counts = Counts()
    countsBefore = Counts()
  }
}

extension UnitWalk {
  func followRestart(_ state: inout State) async throws(StoreError) {
    guard state.walker.restarts > state.restarts else { return }
    state.noteRestart()
    try await store.startAgain(state.id)
    try await store.begin(state.walker.rules, state.walker.handed, of: state.id)
  }
}

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
        "\(label.listName): page \(summary.ordinal) was empty but named a next page, so I went on.")
    // Of a list by number or offset the certificate says that the empty page was the end.
    case (0, nil) where summary.ordinal > 1 && namesNextPage:
      context.recorder.story(
        "\(label.listName): page \(summary.ordinal) was empty and named no next page.")
    default: break
    }
  }

  /// Where a feed shows nothing that was there before, it may have shown others in between.
  func warnOfGap(_ certificate: Certificate, _ state: State) {
    let counts = certificate.counts
    guard stream.readsFeed, state.wasRead, certificate.verdict.isWhole, counts.new > 0,
      counts.new == counts.received - counts.repeated
    else { return }
    context.recorder.warn(
      "none of its \(Wording.count(counts.new, "entry", "entries")) was there at the last reading: others may "
        + "have come and gone in between; it should be read more often (every)",
      about: state.label)
  }

  /// Lists by number or offset end in other ways.
  private var namesNextPage: Bool { stream.pager.nextPage != nil }

  /// As soon as the list tells its length: what it will cost, before page 2.
  func tellLength(_ page: Page, _ step: Step, _ state: inout State) async {
    guard part == nil, !state.hasToldLength, step.ordinal == 1, step.purpose == .page else {
      return
    }
    state.hasToldLength = true
    guard let length = ListLength(page, of: stream) else { return }
    state.forecast = Forecast(
      requests: length.pages, records: length.records, isEstimate: length.isEstimate)
    let text = await length.told(stream, context)
    context.recorder.story("\(state.label.listName): page 1 announces \(text).")
    context.recorder.event(
      .totalKnown(state.label, records: length.records, pages: length.pages, text: text))
  }
}

/// Up to when the list can have been read.
extension UnitWalk {
  /// Of a walk that an earlier run began, its first page is older than any answer of this run: then the time
  /// at which that page was stored counts.
  func noteDate(_ answer: Answer, _ state: inout State) {
    guard state.listedUntil == nil, !context.job.trustsOurClock,
      let date = ClockReading.date(of: answer)
    else { return }
    state.listedUntil = date
  }

  /// - Returns: whether the next pages are requested past the caches, since one has answered this walk with
  ///   what is old.
  func noteAge(_ answer: Answer, _ state: inout State) -> Bool {
    // It may have waited for the pages before it.
    let waited = max(.zero, context.time.now() - answer.receivedAt)
    state.ages.note(answer, walked: context.time.elapsed() - state.began - waited)
    return state.ages.hasOld
  }

  func facts(of answer: Answer, _ state: State) -> PageFacts {
    var facts = PageFacts(status: answer.status)
    facts.signs = [state.ages.sign].compactMap { $0 }
    return facts
  }
}
