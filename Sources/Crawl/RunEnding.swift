internal import Base

/// Gathers why a run ends as it does.
struct RunEnding: Sendable {
  var kinds: Set<RunOutcome.Kind> = []
  /// No further request is made.
  var stop: Stop?
  var errors: [String] = []
  /// Why the host counts as down, where the lists themselves only failed.
  private var outage: String?
  /// Lists that brought nothing, one after the other.
  private var failedInARow = 0

  /// An API that refuses so many refuses the others too, and may ban who goes on asking.
  private static let failuresInARowMax = 10

  /// A list has come to an end of its own. One that fails keeps no other from being asked.
  mutating func note(_ result: UnitWalk.Result) {
    kinds.formUnion(result.kinds)
    if stop == nil { stop = result.stop }
    let certificate = result.facts.certificate
    let counts = result.facts.counts
    let hasFailed = certificate.verdict == .failed && counts.received == 0 || counts.fitsNothing
    failedInARow = hasFailed ? failedInARow + 1 : 0
    guard failedInARow >= Self.failuresInARowMax, stop == nil else { return }
    kinds.insert(.failed)
    let what = counts.fitsNothing ? "returned nothing that fits" : "failed"
    stop = Stop(
      rule: .failure,
      message: "\(failedInARow) lists in a row \(what), so the rest were skipped; the last: "
        + certificate.why)
  }

  mutating func note(outage: String) {
    kinds.insert(.unreachable)
    self.outage = outage
  }

  mutating func note(_ error: any Error) {
    errors.append("\(error)")
    kinds.insert(RunOutcome.Kind(error) ?? .bug)
    if stop == nil { stop = Stop(rule: .failure, message: "\(error)") }
  }

  func outcome(of facts: RunFacts) -> RunOutcome {
    var kinds = kinds
    // Of records and of single values; those that an earlier run has met turned its code.
    if facts.rejectCount > 0 { kinds.insert(.lessThanDeclared) }
    if kinds.isEmpty { kinds = [.asDeclared] }
    return RunOutcome(kinds: kinds, sentence: sentence(kinds, facts))
  }

  private func sentence(_ kinds: Set<RunOutcome.Kind>, _ facts: RunFacts) -> String {
    if let error = errors.first { return "stopped: \(error)" }
    if kinds.contains(.unreachable) {
      return "unreachable: \(outage ?? stop?.message ?? "no answer")"
    }
    if kinds.contains(.failed) || kinds.contains(.secret) {
      let failed = facts.units.first { $0.certificate.verdict == .failed }
      return "failed: \(stop?.message ?? failed?.certificate.why ?? "a list failed")"
    }
    if kinds.contains(.interrupted) { return "stopped by a signal; what was received is kept" }
    if kinds.contains(.paused) { return "paused: \(stop?.message ?? "resumes later")" }
    if kinds.contains(.lessThanDeclared) { return "less than declared\(Self.what(facts))" }
    let verdicts = Set(facts.units.map(\.certificate.verdict))
    if facts.units.isEmpty { return "nothing to do" }
    if verdicts == [.complete] { return "complete" }
    let unproven = facts.units.count { $0.certificate.verdict == .unproven }
    if unproven == 0 { return "as declared" }
    return unproven == facts.units.count
      ? "read to the end; unproven"
      : "as declared; \(Wording.count(unproven, "list is", "lists are")) unproven"
  }

  /// Where the one list that is read page by page goes on.
  private static func page(of facts: RunFacts) -> Int? {
    let paused = facts.units.filter { $0.certificate.verdict == .paused }
    guard paused.count == 1, let pages = paused.first?.certificate.pages, pages > 0,
      paused.first?.forecast != nil, paused.first?.window == nil
    else { return nil }
    return pages + 1
  }

  /// `: q=music is capped; 3 rejects`
  private static func what(_ facts: RunFacts) -> String {
    let less = facts.units.filter(\.isNewShortfall)
    // cut: the sentence says how many more
    var parts = less.prefix(3).map { "\($0.listName) is \($0.certificate.claim)" }
    if less.count > 3 { parts.append("\(less.count - 3) more lists") }
    if facts.rejectCount > 0 {
      parts.append(Wording.count(facts.rejectCount, "reject"))
    }
    return parts.isEmpty ? "" : ": " + parts.joined(separator: "; ")
  }

  /// Commands and instants, where something is not complete.
  func nextSteps(for facts: RunFacts) -> [NextStep] {
    if stop?.rule == .clock {
      return [
        NextStep("Set this machine's clock; the same command resumes then.", needsPerson: true)
      ]
    }
    let page = Self.page(of: facts)
    return NextSteps(
      job: facts.job, command: facts.command, kinds: facts.outcome.kinds,
      lists: facts.units.map { unit in
        NextSteps.List(
          name: unit.listName, verdict: unit.certificate.verdict, cause: unit.certificate.cause,
          isAsDeclared: unit.isAsDeclared, resumesAt: unit.certificate.goesOnAt,
          page: unit.certificate.verdict == .paused ? page : nil)
      }, rejects: facts.rejectCount
    ).all
  }
}
