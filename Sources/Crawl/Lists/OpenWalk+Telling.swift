internal import Base
internal import Store
internal import Walk

extension OpenWalk {
  /// What was read so far is stored, and will count as unchanged.
  mutating func followRestart() async throws(StoreError) {
    guard walker.restarts > restarts else { return }
    restarts = walker.restarts
    ages.isSecondReading = true
    begunAnew += counts
    (counts, countsBefore) = (Counts(), Counts())
    try await store.startAgain(id)
    try await store.begin(walker.rules, walker.handed, of: id)
  }
}

/// What a walk reports as it proceeds.
extension OpenWalk {
  func tellStored(_ step: Step, bytes: Int) {
    var sum = part?.countsBefore ?? Counts()
    sum += counts
    context.recorder.event(
      .pageStored(
        label, ordinal: (part?.pagesBefore ?? 0) + step.ordinal, counts: sum, bytes: bytes))
  }

  mutating func tellWarnings() {
    for warning in walker.warnings.dropFirst(warned) {
      context.recorder.warn(warning, about: label)
    }
    warned = walker.warnings.count
  }

  func tellPage(_ summary: PageSummary, _ page: Page) {
    let received = summary.counts.received
    if summary.ordinal == 1, summary.purpose == .page, part == nil,
      let slip = PageReader.oneOfMany(stream, in: page)
    {
      context.recorder.warn(slip, about: label)
    }
    switch (received, page.next) {
    case (0, .some):
      context.recorder.story(
        "\(label.listName): page \(summary.ordinal) was empty but named a next page, so I went on.")
    // For a list by number or offset the certificate names the empty page as the end.
    case (0, nil) where summary.ordinal > 1 && stream.pager.nextPage != nil:
      context.recorder.story(
        "\(label.listName): page \(summary.ordinal) was empty and named no next page.")
    default: break
    }
  }

  /// If a feed has only new entries, others may have come and gone in between.
  func warnOfGap(_ certificate: Certificate) {
    let counts = certificate.counts
    guard stream.readsFeed, wasRead, certificate.verdict.isWhole, counts.new > 0,
      counts.new == counts.received - counts.repeated
    else { return }
    context.recorder.warn(
      "none of its \(Wording.count(counts.new, "entry", "entries")) was there at the last reading: others may "
        + "have come and gone in between; it should be read more often (every)",
      about: label)
  }

  /// Once the list gives its length: what it will cost, before page 2.
  mutating func tellLength(_ page: Page, _ step: Step) async {
    guard part == nil, !hasToldLength, step.ordinal == 1, step.purpose == .page else {
      return
    }
    hasToldLength = true
    guard let length = ListLength(page, of: stream) else { return }
    forecast = Forecast(
      requests: length.pages, records: length.records, isEstimate: length.isEstimate)
    let text = await length.told(stream, context)
    context.recorder.story("\(label.listName): page 1 announces \(text).")
    context.recorder.event(
      .totalKnown(label, records: length.records, pages: length.pages, text: text))
  }
}

/// The time up to which the list was certainly read.
extension OpenWalk {
  /// The first answer of this run. If an earlier run began the walk, its first page is older: then the time at which
  /// that page was stored counts.
  mutating func noteDate(_ answer: Answer) {
    guard listedUntil == nil, !context.job.trustsOurClock,
      let date = ClockReading.date(of: answer)
    else { return }
    listedUntil = date
  }

  /// - Returns: whether the next pages bypass caches, since this walk got an old answer.
  mutating func noteAge(_ answer: Answer) -> Bool {
    ages.note(answer, since: began, context)
    return ages.hasOld
  }

  func facts(of answer: Answer) -> PageFacts {
    var facts = PageFacts(status: answer.status)
    facts.signs = [ages.sign].compactMap { $0 }
    return facts
  }
}
