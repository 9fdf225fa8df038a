internal import Base
internal import Crawl
internal import Walk

extension FurtherRequests {
  /// Of all streams together.
  private static let secondPagesMax = 12

  /// Whether a list that the job reads as one page has another: an API may page without a word of it in its answers.
  /// - Returns: nil: nothing speaks against it, or it looks like no page.
  mutating func secondPage(of look: Look) async -> String? {
    let stream = look.stream
    guard stream.pager == .single, stream.parent == nil, stream.window == nil, stream.body == nil,
      !stream.isKeyPlace, !stream.isSearch, sent < Self.secondPagesMax, !stream.readsFeed,
      look.verdict == .complete || look.verdict == .unproven,
      // As many as APIs send where no number is requested.
      SeenEnd.usualSizes.contains(look.counts.received)
    else { return nil }
    let ways = [
      ("page", "2", "by: \"number\", to: \"?page\""),
      ("offset", String(look.counts.received), "by: \"offset\", to: \"?offset\""),
    ]
    for (name, value, pages) in ways
    where !stream.query.contains(where: { $0.name.equalsIgnoringCase(name) }) {
      guard let second = await counts(of: stream, QueryItem(name, Template([.text(value)]))),
        second.new * 2 > second.received
      else { continue }
      // Answers that differ each time, as those of a sample or of a busy list do, show nothing.
      guard let first = await counts(of: stream), first.new == 0 else { return nil }
      return "pages: the job reads one page, and with \(name)=\(value) the API sends "
        + "\(Wording.count(second.new, "other record")): write pages: { \(pages) }"
    }
    return nil
  }

  /// Whether page 1 is the last, as the job reads it: behind it nothing may come.
  mutating func falseEnd(of look: Look) async -> String? {
    guard let sign = look.endSign, sent < Self.secondPagesMax else { return nil }
    let facts = await read(sign.without) { options in
      options.unitsMax = 1
      options.triesMax = 1
      options.pagesMax = 2
    }
    let others = (facts?.units.first?.certificate.distinctKeys ?? 0) - look.counts.received
    return others > 0
      ? "\(sign.words), and page 2 holds \(Wording.count(others, "other record"))" : nil
  }

  /// How many records came, and how many of them are not stored yet; nil: no page.
  private mutating func counts(of stream: Stream, _ item: QueryItem? = nil) async -> Counts? {
    var asked = stream
    asked.query += [item].compactMap(\.self)
    let facts = await read(asked) { options in
      options.unitsMax = 1
      options.triesMax = 1
    }
    return facts?.units.map(\.certificate).first { $0.pages > 0 }?.counts
  }
}

/// What a job reads as the end of a list in a full page 1.
struct EndSign: Sendable {
  let words: String
  /// The stream that does not read it.
  let without: Stream

  init?(_ stream: Stream, _ page: Page) {
    let count = page.records.count
    let isFull = count == stream.size?.value || SeenEnd.usualSizes.contains(count)
    guard isFull, page.next != nil || stream.pager.isPositioned,
      stream.parent == nil, stream.window == nil, !stream.isSearch
    else { return nil }
    var other = stream
    if page.more == false {
      other.more = []
      let flag = stream.more.map(\.text).joined(separator: " | ")
      words = "more: \"\(flag)\" says that nothing follows page 1"
    } else if stream.pager.isPositioned, let total = stream.total, total.trust == .counted,
      page.total == count
    {
      other.total = nil
      words = "total: \"\(total.place)\" is the number of page 1's own records"
    } else {
      return nil
    }
    without = other
  }
}
