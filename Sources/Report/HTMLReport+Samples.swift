internal import Base

/// What came, to look at: new thumbnails, and records that did not fit.
extension HTMLReport {
  var images: String {
    let tally = facts.images
    guard tally.wanted > 0 || tally.requests > 0 || !thumbnails.isEmpty else { return "" }
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
    let beside = picturesBesideRows
    let sheet = thumbnails.prefix(Self.thumbnailsMax)
      .filter { $0.path.isEmpty || beside[$0.path] == nil }
      .map { image in
        "<li><figure>\(Self.image(image))"
          + "<figcaption>\(HTMLText.foreign(image.title, max: 120))</figcaption></figure></li>"
      }
    let folded =
      "<details><summary>\(Wording.count(sheet.count, "picture")) that "
      + "\(sheet.count == 1 ? "stands" : "stand") beside no row above</summary>"
      + "<ul class=\"sheet\">\(sheet.joined(separator: "\n"))</ul></details>"
    return HTMLPage.section(
      "Images",
      "<p>\(HTMLText.escaped(parts.joined(separator: "; ")))</p>" + (sheet.isEmpty ? "" : folded))
  }

  /// - Parameter isNamed: its title stands beside it.
  static func image(_ image: Thumbnail, isNamed: Bool = false) -> String {
    "<img alt=\"\(isNamed ? "" : HTMLText.escaped(image.title, max: 120))\" "
      + "src=\"data:\(HTMLText.escaped(image.mediaType, max: 40));base64,"
      + "\(Base64.encoded(image.bytes))\">"
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
