internal import Base
internal import Store

/// Collects why a run ends as it does.
struct RunEnding: Sendable {
  var kinds: Set<RunOutcome.Kind> = []
  /// No further request is made.
  var stop: Stop?
  var errors: [String] = []
  /// Why the host counts as down, if the lists themselves only failed.
  private var outage: String?
  /// Streams that returned records.
  private var answered: Set<String> = []
  /// Lists in a row that returned nothing.
  private var failedInARow = 0

  /// An API that refuses this many lists refuses the others too, and may ban us.
  private static let failuresInARowMax = 10

  /// A list has ended. One failed list does not stop the others.
  mutating func note(_ result: UnitWalk.Result) {
    kinds.formUnion(result.kinds)
    if stop == nil { stop = result.stop }
    let certificate = result.facts.certificate
    let counts = result.facts.counts
    if counts.received > 0 { answered.insert(result.facts.stream) }
    let hasFailed = certificate.verdict == .failed && counts.received == 0 || counts.fitsNothing
    failedInARow = hasFailed ? failedInARow + 1 : 0
    guard failedInARow >= Self.failuresInARowMax, stop == nil else { return }
    kinds.insert(result.kinds.contains(.failed) ? .failed : .lessThanDeclared)
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

  func outcome(of facts: RunFacts, _ telling: Telling?) -> RunOutcome {
    var kinds = kinds
    // Rejected records and single values; those of an earlier run changed that run's code.
    if facts.rejectCount > 0 { kinds.insert(.lessThanDeclared) }
    if kinds.isEmpty { kinds = [.asDeclared] }
    return RunOutcome(kinds: kinds, sentence: sentence(kinds, facts, telling))
  }

  private func sentence(
    _ kinds: Set<RunOutcome.Kind>, _ facts: RunFacts, _ telling: Telling?
  ) -> String {
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
    if kinds.contains(.lessThanDeclared) {
      // `: q=music is capped; 3 rejects`
      let rejects = facts.rejectCount > 0 ? [Wording.count(facts.rejectCount, "reject")] : []
      let lists = Self.told(facts.units.filter(\.isNewShortfall), rejects)
      return "less than expected" + (stop.map { ": \($0.message)" } ?? lists)
    }
    let verdicts = Set(facts.units.map(\.certificate.verdict))
    let others = facts.units.filter { !$0.isAsDeclared }
    // Lists that this run did not read.
    let read = Set(facts.units.map(\.name))
    let rest = telling?.less.filter { !read.contains($0.name) } ?? []
    let behind = telling?.behind(facts.units) ?? []
    let waiting = (rest + behind.filter { Verdict(rawValue: $0.verdict)?.isWhole == false })
      .map { "\($0.listName) is still \($0.claim)" }
    let fresh = others.filter(\.wasAsDeclared)
    if !fresh.isEmpty {
      let still = others.filter { !$0.wasAsDeclared }.map {
        "\($0.listName) is still \($0.certificate.claim)"
      }
      return "less for now, and the next runs decide" + Self.told(fresh, still + waiting)
    }
    if !others.isEmpty || !waiting.isEmpty {
      return "as before" + Self.told(others, verb: "is still", waiting)
    }
    if facts.units.isEmpty { return "nothing to do" }
    let open = behind.filter { Verdict(rawValue: $0.verdict) == nil }
    if !open.isEmpty {
      return "as declared, but not the whole list"
        + Self.told([], open.map { "\($0.listName) is \($0.verdict) (\($0.why))" })
    }
    if verdicts == [.complete], behind.isEmpty { return "complete" }
    let unproven = facts.units.count { $0.certificate.verdict == .unproven } + behind.count
    if unproven == 0 { return "as declared" }
    return unproven == facts.units.count
      ? "read to the end; unproven"
      : "as declared; \(Wording.count(unproven, "list is", "lists are")) unproven"
  }

  private static func told(
    _ lists: [UnitFacts], verb: String = "is", _ others: [String] = []
  ) -> String {
    // cut: the sentence says how many more
    var parts = lists.prefix(3).map { list in
      list.certificate.verdict == .failed
        ? "\(list.listName) failed (\(list.certificate.why))"
        : "\(list.listName) \(verb) \(list.certificate.claim)"
    }
    if lists.count > 3 { parts.append(Wording.count(lists.count - 3, "more list")) }
    // cut: the sentence says how many more
    parts += others.prefix(3)
    if others.count > 3 {
      parts.append(Wording.count(others.count - 3, "more list that waits", "more lists that wait"))
    }
    return parts.isEmpty ? "" : ": " + parts.joined(separator: "; ")
  }

  /// Commands and times to act on, if anything is amiss.
  /// - Parameter word: what a person called the job by: its name alone may be another file's.
  func nextSteps(for facts: RunFacts, on word: String, _ telling: Telling?) -> [NextStep] {
    if stop?.rule == .clock {
      return [
        NextStep(
          "Set this machine's clock; the same command resumes then.", needsPerson: true,
          trouble: .clock)
      ]
    }
    // A database that cannot be read has ended the run with its own error.
    return telling?.steps(command: facts.command, on: word, facts.outcome.kinds)
      ?? NextSteps(job: word, command: facts.command, kinds: facts.outcome.kinds, lists: []).all
  }

  /// What a run knows of troubles with its job and the machine.
  /// - Parameters:
  ///   - pictures: nil: this run fetched none.
  ///   - isOfAll: the run was to read every stream. If it did, or records of each came before it stopped, and no key
  ///     was refused, the key works.
  func troubles(
    of job: Job, _ images: ImageTally, _ pictures: PictureStanding?, isOfAll: Bool
  ) -> [Trouble: Bool] {
    var found: [Trouble: Bool] = [.clock: stop?.rule == .clock]
    if kinds.contains(.secret) {
      found[job.authentication == nil ? .noAuth : .key] = true
    } else if isOfAll && stop == nil || answered.isSuperset(of: job.streams.map(\.name)) {
      (found[.key], found[.noAuth]) = (false, false)
    }
    found[.noFiles] = images.areFilesMissing
    if !job.streams.contains(where: { !$0.media.isEmpty }) {
      (found[.pictures], found[.atLimit], found[.noRoom]) = (false, false, false)
    }
    if let pictures, stop?.rule != .clock {
      let areAllHere = pictures.here == pictures.all
      (found[.pictures], found[.atLimit]) = (pictures.isTrouble, images.isAtLimit && !areAllHere)
      found[.noRoom] = images.hasNoRoom && !areAllHere
    }
    return found
  }
}
