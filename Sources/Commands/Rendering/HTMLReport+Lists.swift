internal import Base

/// The lists with their certificates, and the covered time.
extension HTMLReport {
  var units: String {
    guard !facts.units.isEmpty else { return "" }
    let hasForecast = facts.units.contains { $0.forecast != nil }
    var heads = [("list", ""), ("rows", "number")]
    if hasForecast { heads.append(("forecast", "number")) }
    heads += [("verdict", ""), ("why", "")]
    let chosen = UnitFacts.worst(Self.rowsMax, of: facts.units).map { facts.units[$0] }
    // The worst first; otherwise in their order.
    let order = ["bad", "wait", "other", "good"]
    let sorted = order.flatMap { tone in chosen.filter { $0.tone(in: facts) == tone } }
    let rows = HTMLPage.fitting(sorted.map { row($0, hasForecast) })
    let rest = facts.listCount - rows.count
    return (rest > 0 ? groups : "")
      + HTMLPage.table(heads, rows, kind: "lists")
      + (rest > 0 ? "<p>\(HTMLText.escaped(facts.unnamed(rest)))</p>" : "")
  }

  /// All lists by outcome, if not all are named.
  private var groups: String {
    let heads = [
      ("stream", ""), ("verdict", ""), ("lists", "number"), ("new", "number"),
      ("changed", "number"), ("gone", "number"), ("requests", "number"),
    ]
    let rows = facts.groups.map { group in
      let numbers = [
        group.lists, group.counts.new, group.counts.changed, group.vanished, group.requests,
      ]
      return "<tr><td>\(HTMLText.foreign(group.stream))</td><td>\(group.claim)</td>"
        + numbers.map { "<td class=\"number\">\(Wording.number($0))</td>" }.joined() + "</tr>"
    }
    return HTMLPage.table(heads, rows, kind: "groups")
  }

  private func row(_ unit: UnitFacts, _ hasForecast: Bool) -> String {
    let certificate = unit.certificate
    let tone = unit.tone(in: facts)
    let counts = unit.counts
    let numbers = [
      (counts.new, "new"), (counts.changed, "changed"), (unit.vanished, "gone"),
      (counts.unchanged, "unchanged"), (counts.repeated, "repeated"),
      (counts.dropped, "dropped by rule"), (counts.rejected, "rejected"),
    ]
    let sums =
      [Wording.count(certificate.pages, "page"), Wording.count(unit.requests, "request")]
      + numbers.filter { $0.0 > 0 }.map { "\(Wording.number($0)) \($1)" }
    var notes = [HTMLText.escaped(sums.joined(separator: ", "))]
    if let missing = unit.missing, missing.missing > 0 {
      notes.append(HTMLText.foreign(missing.sentence, max: 300))
    }
    if let window = unit.window {
      notes.append("from \(HTMLText.time(window.from)) to \(HTMLText.time(window.to))")
    }
    if let at = certificate.goesOnAt { notes.append("resumes at \(HTMLText.time(at))") }
    let why =
      HTMLText.foreign(unit.why, max: 500)
      + notes.map { "<br><span class=\"soft\">\($0)</span>" }.joined()
    return "<tr><td><span class=\"name\">\(HTMLText.foreign(unit.listName))</span></td>"
      + "<td class=\"number\">\(Wording.number(unit.rows))</td>"
      + (hasForecast ? "<td class=\"number forecast\">\(Self.forecast(unit))</td>" : "")
      + "<td><span class=\"mark \(tone)\">\(certificate.claim)</span></td>"
      + "<td class=\"why\">\(why)</td></tr>"
  }

  /// If only the number of pages is known, this is a maximum: the last page may be short.
  private static func forecast(_ unit: UnitFacts) -> String {
    guard let forecast = unit.forecast, let records = forecast.records else { return "" }
    let isOfPages = unit.certificate.firstTotal == nil
    return (forecast.isEstimate ? "~" : isOfPages ? "≤ " : "") + Wording.number(records)
  }

  var coverage: String {
    guard !facts.coverage.isEmpty else { return "" }
    let shown = HTMLPage.fitting(
      facts.coverage.prefix(Self.barsMax).map { CoverageBar(coverage: $0).figure })
    let rest = facts.coverage.count - shown.count
    return HTMLPage.section(
      "Coverage",
      CoverageBar.legend + shown.joined(separator: "\n")
        + (rest > 0 ? "<p>and \(Wording.number(rest)) more: trawl status</p>" : ""))
  }

  private static var barsMax: Int { 100 }
}
