internal import Model

/// The lists with their certificates, and what is covered of their time.
extension HTMLReport {
  var units: String {
    guard !facts.units.isEmpty else { return "" }
    let isForetold = facts.units.contains { $0.forecast != nil }
    var heads: [(String, isNumber: Bool)] = [("list", false), ("records", true)]
    if isForetold { heads.append(("foretold", true)) }
    heads += [("verdict", false), ("why", false)]
    let shown = facts.units.prefix(Self.rowsMax)
    let rest = facts.units.count - shown.count
    return HTMLPage.table(heads, shown.map { row($0, isForetold) }, kind: "units")
      + (rest > 0 ? "<p>and \(Wording.number(rest)) more: see the JSON report</p>" : "")
  }

  private func row(_ unit: UnitFacts, _ isForetold: Bool) -> String {
    let certificate = unit.certificate
    let tone = unit.isAsDeclared ? "good" : certificate.verdict == .paused ? "wait" : "bad"
    var notes = [
      "\(Wording.count(certificate.pages, "page")), "
        + Wording.count(unit.requests, "request") + " in this run"
    ]
    let counts = unit.counts
    let sums: [(Int, String)] = [
      (counts.new, "new"), (counts.changed, "changed"), (counts.unchanged, "unchanged"),
      (unit.vanished, "gone"), (counts.repeated, "repeated"), (counts.dropped, "dropped by rule"),
      (counts.rejected, "rejected"),
    ]
    let some = sums.filter { $0.0 > 0 }.map { "\(Wording.number($0)) \($1)" }
    if !some.isEmpty { notes.append(some.joined(separator: ", ")) }
    if let window = unit.window { notes.append("\(window.from) to \(window.to)") }
    if let at = certificate.goesOnAt { notes.append("goes on at \(at)") }
    var why = HTMLText.foreign(certificate.why, max: 500)
    why += notes.map { "<br><span class=\"soft\">\(HTMLText.escaped($0))</span>" }.joined()
    for (word, samples) in [
      ("new", unit.newSamples), ("changed", unit.changedSamples), ("gone", unit.goneSamples),
    ] where !samples.isEmpty {
      let names = samples.map { HTMLText.foreign($0, max: 80) }.joined(separator: ", ")
      why += "<br><span class=\"soft\">\(word): \(names)</span>"
    }
    return "<tr><td>\(HTMLText.foreign(unit.foundBy))</td>"
      + "<td class=\"number\">\(Wording.number(certificate.counts.received))</td>"
      + (isForetold ? "<td class=\"number foretold\">\(Self.text(unit.forecast))</td>" : "")
      + "<td class=\"\(tone)\">\(certificate.verdict.rawValue)</td>"
      + "<td class=\"why\">\(why)</td></tr>"
  }

  private static func text(_ forecast: Forecast?) -> String {
    guard let records = forecast?.records else { return "" }
    return (forecast?.isEstimate == true ? "~" : "") + Wording.number(records)
  }

  var coverage: String {
    guard !facts.coverage.isEmpty else { return "" }
    let shown = facts.coverage.prefix(Self.barsMax)
    let rest = facts.coverage.count - shown.count
    return HTMLPage.section(
      "Coverage",
      shown.map { CoverageBar(coverage: $0).figure }.joined(separator: "\n")
        + (rest > 0 ? "<p>and \(Wording.number(rest)) more: trawl status</p>" : ""))
  }

  private static var barsMax: Int { 100 }
}
