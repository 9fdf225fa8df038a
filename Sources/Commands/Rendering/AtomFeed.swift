internal import Base
internal import Store

/// New and changed rows of a watched query as an Atom file (RFC 4287): an entry for each row, whose id stays when the
/// row changes.
struct AtomFeed: Sendable {
  let job: String
  let watch: String
  let writtenAt: Instant
  let rows: [WatchedRow]

  /// RFC 4151: nobody else mints names below it.
  private var base: String { "tag:trawl.invalid,2026:\(job)/\(watch)" }

  var text: String {
    let last = rows.first?.changedAt ?? writtenAt
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom">
      <id>\(HTMLText.escaped(base))</id>
      <title>\(HTMLText.escaped("\(job): \(watch)"))</title>
      <updated>\(last)</updated>
      <author><name>Trawl</name></author>
      \(rows.map(entry).joined(separator: "\n"))
      </feed>

      """
  }

  private func entry(_ row: WatchedRow) -> String {
    let id = "\(base)/\(PercentEncoding.encoded(row.key))"
    // Written by us; damaged content gives no values.
    let values = (JSONValue(text: row.content) ?? .nothing).members.map { member in
      let text = member.value.string ?? String(decoding: member.value.json, as: UTF8.self)
      return (name: member.key.string ?? "", text: text)
    }
    let named = { (name: String) in values.first { $0.name.lowercased() == name }?.text }
    let title = named("title") ?? named("name") ?? values.first?.text ?? row.key
    // Only whole web addresses are links.
    let link = (named("link") ?? named("url")).flatMap {
      ($0.hasPrefix("https://") || $0.hasPrefix("http://")) && $0.utf8.count <= 2_000 ? $0 : nil
    }
    let lines = values.map { "\($0.name): \($0.text)" }.joined(separator: "; ")
    return "<entry><id>\(HTMLText.escaped(id))</id>"
      + "<title>\(HTMLText.escaped(title, max: 200))</title>"
      + "<updated>\(row.changedAt ?? writtenAt)</updated>"
      + (link.map { "<link href=\"\(HTMLText.escaped($0))\"/>" } ?? "")
      + "<content type=\"text\">\(HTMLText.escaped(lines, max: 4_000))</content></entry>"
  }
}
