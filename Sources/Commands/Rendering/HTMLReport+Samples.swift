internal import Base

/// Samples to look at: new thumbnails, and records that did not fit.
extension HTMLReport {
  var images: String {
    let tally = facts.images
    let beside = Set(facts.changes.flatMap { $0.records.compactMap(\.imagePath) })
    let others = tally.newPaths.filter { !beside.contains($0.path) }.prefix(Self.picturesMax)
    guard tally.wanted > 0 || tally.requests > 0 || !others.isEmpty else { return "" }
    var parts = ["\(Wording.number(tally.fromNetwork)) fetched, \(Wording.bytes(tally.bytes))"]
    if tally.sameBytes > 0 {
      parts.append("\(Wording.number(tally.sameBytes)) of them with the bytes of others")
    }
    if tally.fromDisk > 0 { parts.append("\(Wording.number(tally.fromDisk)) unchanged") }
    for (reason, count) in tally.refused.sorted(by: { $0.key < $1.key }) {
      parts.append("\(Wording.number(count)) refused: \(reason)")
    }
    if tally.pending > 0 { parts.append("\(Wording.number(tally.pending)) still to fetch") }
    if let reason = tally.stoppedBecause { parts.append(reason) }
    return HTMLPage.section(
      "Images",
      "<p>\(HTMLText.escaped(parts.joined(separator: "; ")))</p>"
        + Self.sheet(others.map { ($0.path, $0.title) }))
  }

  /// Images side by side, each with its title.
  static func sheet(_ pictures: [(path: String, title: String)]) -> String {
    let items = HTMLPage.fitting(
      pictures.map { path, title in
        "<li><figure>\(image(path, title))"
          + "<figcaption>\(HTMLText.foreign(title, max: 120))</figcaption></figure></li>"
      })
    return items.isEmpty ? "" : "<ul class=\"sheet\">\(items.joined(separator: "\n"))</ul>"
  }

  /// The page is in its job's folder in `reports`, below the data folder.
  static func image(_ path: String, _ title: String) -> String {
    "<img alt=\"\(HTMLText.escaped(title, max: 120))\" "
      + "src=\"../../\(HTMLText.escaped(path, max: 200))\">"
  }

  var rejects: String {
    guard facts.rejectCount > 0 || !facts.rejects.isEmpty else { return "" }
    let rows = facts.rejects.map { reject in
      "<tr><td>\(HTMLText.foreign(reject.table))</td><td>\(HTMLText.foreign(reject.path))</td>"
        + "<td>\(HTMLText.foreign(reject.reason))</td>"
        + "<td><code>\(HTMLText.foreign(reject.raw))</code></td></tr>"
    }
    let count = max(facts.rejectCount, facts.rejects.count)
    var line = "\(Wording.count(count, "value or record", "values or records")) did not fit"
    if count > rows.count { line += "; the last \(rows.count) of them" }
    return HTMLPage.section(
      "Rejected, and kept in trawl_rejects",
      "<p>\(HTMLText.escaped(line))</p>"
        + HTMLPage.table(
          [("table", ""), ("path", ""), ("reason", ""), ("received", "")], rows,
          kind: "rejects"))
  }
}
