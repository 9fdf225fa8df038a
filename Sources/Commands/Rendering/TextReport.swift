internal import Base

/// The same facts in a few lines, for the end of a run.
struct TextReport {
  private let facts: RunFacts

  init(_ facts: RunFacts) { self.facts = facts }

  /// Name, rows, claim and reason of each unit. Text from an API is unchanged: the console cleans it.
  var unitRows: [[String]] { facts.units.map(row) }

  /// What follows them, without line ends.
  var lines: [String] { unnamedLines + warningLines + endLines }

  private var unnamedLines: [String] {
    let rest = facts.listCount - facts.units.count
    guard rest > 0 else { return [] }
    return ["  \(facts.unnamed(rest))"]
      + facts.groups.map {
        "  \($0.stream): \(Wording.count($0.lists, "list")) \($0.claim), "
          + "\(Wording.number($0.counts.new)) new, \(Wording.number($0.counts.changed)) changed"
      }
  }

  private var warningLines: [String] {
    guard !facts.warnings.isEmpty else { return [] }
    let rest = facts.warnings.count - 20
    return [""] + facts.warnings.prefix(20).map { "  warning: \($0)" }
      + (rest > 0 ? ["  and \(Wording.count(rest, "more warning")): see the report"] : [])
  }

  /// What follows the lists and the warnings, which were shown during the run.
  var endLines: [String] {
    var lines: [String] = []
    lines += facts.resting.map { "  \($0)" }
    if facts.images.wanted > 0 || facts.images.requests > 0 || facts.images.pending > 0 {
      lines.append(imageLine)
    }
    if !facts.units.isEmpty || !lines.isEmpty { lines.append("") }
    lines.append(summary)
    if !facts.rejects.isEmpty {
      lines.append(
        "rejected: \(facts.rejects[0].reason) at \(facts.rejects[0].path)"
          + (facts.rejectCount > 1 ? ", and others: SELECT * FROM trawl_rejects" : ""))
    }
    lines += facts.nextSteps.map(\.sentence)
    return lines
  }

  private func row(_ unit: UnitFacts) -> [String] {
    let counts = unit.certificate.counts
    let isUnchanged =
      unit.certificate.verdict.isWhole && counts.received > 0
      && counts.new + counts.changed + unit.vanished == 0
    return [
      unit.listName, Wording.number(unit.rows), unit.certificate.claim,
      (isUnchanged ? "unchanged: " : "") + unit.why,
    ]
  }

  private var imageLine: String {
    let images = facts.images
    var parts = ["\(Wording.number(images.fromNetwork)) new, \(Wording.bytes(images.bytes))"]
    if images.sameBytes > 0 {
      parts.append("\(Wording.number(images.sameBytes)) of them the same bytes as others")
    }
    if images.fromDisk > 0 { parts.append("\(Wording.number(images.fromDisk)) here already") }
    if images.fromMemory > 0 {
      parts.append("\(Wording.number(images.fromMemory)) met before in this run")
    }
    if images.refusedCount > 0 {
      let reasons = images.refused.sorted { $0.key < $1.key }
        .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      parts.append("\(images.refusedCount) refused (\(reasons))")
    }
    if images.pending > 0 { parts.append("\(Wording.number(images.pending)) left to the next run") }
    if let reason = images.stoppedBecause { parts.append(reason) }
    return "  images: " + parts.joined(separator: ", ")
  }

  private var summary: String {
    let waited = facts.requests.waited
    var line = "\(facts.outcome.sentence)   \(facts.recordWords.joined(separator: ", "))   "
    line += Wording.count(facts.requests.sent, "request") + ", "
    line += Wording.count(facts.requests.retried, "retry", "retries")
    if waited >= .milliseconds(50) { line += ", waited \(Wording.span(waited))" }
    return line + "   " + Wording.span(facts.duration)
  }
}

extension RunFacts {
  /// `3 new`, `1 changed`: what happened to the records, in a line.
  var recordWords: [String] {
    let always = [
      (sum(\.new), "new"), (sum(\.changed), "changed"), (counts.unchanged, "unchanged"),
    ]
    let some = [
      (sum(\.back), "back"), (sum(\.gone), "gone"), (counts.dropped, "dropped by rule"),
      (counts.rejected, "rejected"),
    ]
    return (always + some.filter { $0.0 > 0 }).map { "\(Wording.number($0.0)) \($0.1)" }
  }
}
