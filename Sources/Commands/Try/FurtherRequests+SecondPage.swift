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

  /// How many records came, and how many of them are not stored yet; nil: no page.
  private mutating func counts(
    of stream: Stream, _ item: QueryItem? = nil
  ) async -> Counts? {
    let facts = await read(stream) { parts in
      parts.options.unitsMax = 1
      parts.options.triesMax = 1
      for index in parts.job.streams.indices where parts.job.streams[index].name == stream.name {
        parts.job.streams[index].query += [item].compactMap(\.self)
      }
    }
    return facts?.units.map(\.certificate).first { $0.pages > 0 }?.counts
  }
}
