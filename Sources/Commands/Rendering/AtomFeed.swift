internal import Base

/// New and changed rows of a watched query as an Atom file (RFC 4287): an entry for each row, whose id stays when the
/// row changes.
struct AtomFeed: Sendable {
  struct Entry: Sendable {
    var key: String
    var title: String
    var link: String?
    var changedAt: Instant
    var values: [(String, String)]
  }

  let job: String
  let watch: String
  let writtenAt: Instant
  let entries: [Entry]

  /// RFC 4151: nobody else mints names below it.
  private var base: String { "tag:trawl.invalid,2026:\(job)/\(watch)" }

  var text: String {
    let last = entries.first?.changedAt ?? writtenAt
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom">
      <id>\(HTMLText.escaped(base))</id>
      <title>\(HTMLText.escaped("\(job): \(watch)"))</title>
      <updated>\(last)</updated>
      <author><name>Trawl</name></author>
      \(entries.map(entry).joined(separator: "\n"))
      </feed>

      """
  }

  private func entry(_ entry: Entry) -> String {
    let id = "\(base)/\(PercentEncoding.encoded(entry.key))"
    let lines = entry.values.map { "\($0.0): \($0.1)" }.joined(separator: "; ")
    // Only web addresses are links.
    let link = entry.link.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
    return "<entry><id>\(HTMLText.escaped(id))</id>"
      + "<title>\(HTMLText.escaped(entry.title, max: 200))</title>"
      + "<updated>\(entry.changedAt)</updated>"
      + (link.map { "<link href=\"\(HTMLText.escaped($0, max: 2_000))\"/>" } ?? "")
      + "<content type=\"text\">\(HTMLText.escaped(lines, max: 4_000))</content></entry>"
  }
}
