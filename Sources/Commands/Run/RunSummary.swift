internal import Base
internal import Store

/// The text at the end of a run: a few lines on a terminal; in a log one line for a success, more only if a person is
/// needed.
struct RunSummary {
  let context: CommandContext
  let facts: RunFacts
  let folder: DataFolder
  /// Nil if it could not be written.
  let report: String?

  func tell() {
    let invocation = context.invocation
    let isGood = facts.outcome.kinds == [.asDeclared]
    // The next timed run resumes it: that needs no line.
    let isQuiet =
      invocation.has(.quiet)
      && facts.outcome.kinds.allSatisfy { [.asDeclared, .paused].contains($0) }
    if isQuiet { return }
    if invocation.has(.json) {
      // The JSON lines are for a program; this one is for readers of a failed unit's log.
      if !isGood { context.console.tell("\(logLine)", .warning) }
      return
    }
    let console = context.console
    let text = TextReport(facts)
    if !console.facts.isDrawn {
      // A success has one line. Each list that fell short had its own when it ended; paused lists are shown if the
      // outcome does not state their reason.
      for unit in facts.units where unit.certificate.verdict == .paused {
        let why = unit.certificate.why
        if facts.outcome.sentence.holds(why) { continue }
        let verdict = unit.certificate.claim
        console.tell("\(facts.job): \(unit.listName): \(verdict): \(why)", .warning)
      }
      // A warning has said some of them.
      if let reason = facts.images.stoppedBecause, isGood, !facts.warnings.contains(reason) {
        console.tell("\(facts.job): images: \(reason)", .warning)
      }
      console.tell("\(logLine)", isGood ? .info : .warning)
      if !isGood {
        for step in facts.nextSteps { console.tell("\(step.sentence)", .notice) }
      }
      return
    }
    if invocation.operands.count > 1 { console.tell("\(facts.job, .bold)") }
    for line in text.endLines { console.tell("\(line)") }
    console.tell("database  \(context.bucket?.place.shown ?? folder.databasePath)")
    if let report { console.tell("report    \(report)") }
  }

  /// The run in one log line.
  private var logLine: String {
    var parts = [Wording.count(facts.listCount, "list")] + facts.recordWords
    if facts.images.fromNetwork > 0 {
      parts.append(Wording.count(facts.images.fromNetwork, "image"))
    }
    if facts.images.refusedCount > 0 {
      parts.append("\(Wording.count(facts.images.refusedCount, "image")) refused")
    }
    if facts.images.pending > 0 {
      parts.append("\(Wording.count(facts.images.pending, "image")) left to the next run")
    }
    parts.append(Wording.count(facts.requests.sent, "request"))
    if facts.requests.retried > 0 {
      parts.append(Wording.count(facts.requests.retried, "retry", "retries"))
    }
    let waited = facts.requests.waited
    if waited >= .milliseconds(50) { parts.append("waited \(Wording.span(waited))") }
    parts.append(Wording.span(facts.duration))
    var sentence = facts.outcome.sentence
    if sentence.hasSuffix(".") { sentence.removeLast() }
    return "\(facts.job): \(sentence); \(parts.joined(separator: ", "))"
      + (report.map { "; report \($0)" } ?? "")
  }
}
