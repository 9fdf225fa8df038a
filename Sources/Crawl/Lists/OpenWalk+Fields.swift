internal import Base
internal import Store

/// Members of records without a column: reported at a stream's first run, and when new.
extension OpenWalk {
  private static let namedMax = 6

  /// Checks a stream's first page in a run only; other pages are similar.
  func tellFields(_ page: Page, _ step: Step) async throws(StoreError) {
    guard step.ordinal == 1, step.purpose == .page, context.options.pagesMax == nil,
      !page.records.isEmpty, context.recorder.isFirstLook(at: stream.name)
    else { return }
    let paths = UnmappedFields(of: page.records, stream: stream).fields.map(\.path)
    let news = try await store.note(fields: paths, of: stream.name, job: context.job.name)
    guard !news.new.isEmpty else { return }
    let names = Wording.some(news.new, Self.namedMax)
    if news.isFirst {
      context.recorder.story(
        "\(stream.name): \(Wording.count(news.new.count, "field")) of the records "
          + "\(news.new.count == 1 ? "is" : "are") taken by no column: \(names); "
          + "trawl try \(context.job.word) shows them with examples.")
    } else {
      // New in the answers, or the job took it till now.
      let since = try await lastRun().map { "since \(Self.day($0, context.time.now())) " } ?? ""
      let count = Wording.count(news.new.count, "more field is", "more fields are")
      context.recorder.warn(
        "\(stream.name): \(since)\(count) taken by no column: \(names); "
          + "trawl try \(context.job.word)")
    }
  }

  /// Once in a run: the API sent bytes that are not text.
  func tellRepairs(_ page: Page) {
    let count = page.document.repairedStrings
    guard count > 0, context.recorder.isFirstLook(at: "text of \(stream.name)") else { return }
    context.recorder.warn(
      "\(stream.name): \(Wording.count(count, "text")) of a page \(count == 1 ? "has" : "have") bytes that are "
        + "not UTF-8, or half a letter: U+FFFD is stored in their place")
  }

  /// Columns that the table gained with a page.
  func tellFound(_ names: [String]) {
    guard !names.isEmpty, context.options.pagesMax == nil else { return }
    context.recorder.story(
      "\(stream.name): \(Wording.count(names.count, "column")) came with its records: "
        + "\(Wording.some(names, Self.namedMax)).")
  }

  /// A column missing from a whole page, with the fields that may be its new name.
  func tellEmptied(_ summary: PageSummary, _ page: Page) {
    for sign in summary.signs where sign.kind == .emptied {
      let column = sign.place
      let others = UnmappedFields(of: page.records, stream: stream).fields.map(\.path)
      let likely = stream.columns.first { $0.name == column }?.paths.first?
        .nearest(in: page.records, others: others)
      let hint = likely.map { "; it may be called \"\($0)\" now" } ?? ""
      context.recorder.warn(
        "no record of a page has \(column), which most rows have: the rows keep theirs\(hint); if it is "
          + "gone for good: trawl run \(context.job.word) --accept-empty \(column)", about: label)
    }
  }

  private func lastRun() async throws(StoreError) -> Instant? {
    try await store.runs(job: context.job.name, limit: 2).first { $0.run != run }?.beganAt
  }

  /// `yesterday`, `2026-11-21`.
  private static func day(_ instant: Instant, _ now: Instant) -> String {
    let days = { (instant: Instant) in instant.seconds / 86_400 }
    switch days(now) - days(instant) {
    case 0: return "earlier today"
    case 1: return "yesterday"
    default: return instant.day
    }
  }
}
