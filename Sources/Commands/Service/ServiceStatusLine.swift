internal import Base

/// What `systemctl status` shows of running jobs, as a value: events in, one line out.
struct ServiceStatusLine: Sendable {
  private struct JobState: Sendable {
    let job: String
    /// The list of the latest event, and all that are being read.
    var label: UnitLabel?
    var lists: [UnitLabel: UnitProgress] = [:]
    /// The last that ended.
    var ended: UnitLabel?
    var images = 0
    /// A list may wait in several places at once; without a list the whole job waits.
    var waits: [(label: UnitLabel?, wait: UnitProgress.Wait)] = []
    var outcome: String?

    /// Of several waits the one that ends first.
    func nextWait(at now: Instant) -> (label: UnitLabel?, wait: UnitProgress.Wait)? {
      waits.filter { $0.wait.until > now }.min { $0.wait.until < $1.wait.until }
    }

    mutating func endWait(of label: UnitLabel?) {
      let ended = waits.indices.filter { waits[$0].label == label }
        .min { waits[$0].wait.until < waits[$1].wait.until }
      if let ended { waits.remove(at: ended) }
    }
  }

  private var jobs: [JobState] = []
  private var closing: String?
  private let localTime: @Sendable (_ instant: Instant, _ now: Instant) -> String
  /// For human readers; the protocol itself allows more.
  static let columnsMax = 400

  init(
    localTime: @escaping @Sendable (Instant, Instant) -> String = LocalClock.text
  ) { self.localTime = localTime }

  mutating func receive(_ event: RunEvent, of job: String, at now: Instant) {
    let index = place(of: job)
    switch event {
    case .runStarted, .warning: break
    case .unitStarted(let label), .unitResumed(let label, _): begin(label, index, now)
    case .pageStored(let label, let ordinal, let counts, let bytes):
      // Storing a page ends no wait: the request for the next one may be waiting.
      begin(label, index, now)
      jobs[index].lists[label]?.store(ordinal: ordinal, counts: counts, bytes: bytes, at: now)
    case .totalKnown(let label, _, let pages, _):
      begin(label, index, now)
      if let pages { jobs[index].lists[label]?.expectedPages = pages }
    case .waiting(let label, let reason, let until):
      jobs[index].waits.append((label, UnitProgress.Wait(reason: reason, until: until)))
    case .waitEnded(let label): jobs[index].endWait(of: label)
    case .unitConcluded(let facts): end(facts.label, index)
    case .images(let tally): jobs[index].images = tally.fromNetwork
    case .runConcluded(let facts):
      jobs[index].waits = []
      jobs[index].outcome = facts.outcome.sentence
    }
  }

  /// A signal requested the end.
  mutating func close(_ sentence: String) { closing = sentence }

  /// Whether something waits for a known instant in the future: then no progress is as planned.
  func isWaiting(at now: Instant) -> Bool {
    jobs.contains { $0.nextWait(at: now) != nil }
  }

  func text(at now: Instant) -> String {
    let parts = jobs.map { words(of: $0, now) } + [closing].compactMap { $0 }
    return ConsoleText(parts.joined(separator: "; ")).truncated(to: Self.columnsMax).plain
  }

  private mutating func place(of job: String) -> Int {
    if let index = jobs.firstIndex(where: { $0.job.utf8.elementsEqual(job.utf8) }) { return index }
    jobs.append(JobState(job: job))
    return jobs.count - 1
  }

  private mutating func begin(_ label: UnitLabel, _ index: Int, _ now: Instant) {
    jobs[index].label = label
    if jobs[index].lists[label] == nil || jobs[index].ended == label {
      if let last = jobs[index].ended { jobs[index].lists[last] = nil }
      jobs[index].ended = nil
      jobs[index].lists[label] = UnitProgress(job: jobs[index].job, label: label, at: now)
    }
  }

  /// It remains shown until another list has an event.
  private mutating func end(_ label: UnitLabel, _ index: Int) {
    jobs[index].waits.removeAll { $0.label == label }
    if let last = jobs[index].ended { jobs[index].lists[last] = nil }
    jobs[index].ended = label
  }

  private func words(of state: JobState, _ now: Instant) -> String {
    if let outcome = state.outcome { return "\(state.job): \(outcome)" }
    let next = state.nextWait(at: now)
    // If a list waits, the line is about that list, whatever others do.
    let label = next?.label ?? state.label
    var parts = [label?.listName ?? "starting"]
    if let list = label.flatMap({ state.lists[$0] }), list.ordinal > 0 {
      let all = list.expectedPages.map { " of \(Wording.number($0))" } ?? ""
      parts.append("page \(Wording.number(list.ordinal))\(all)")
      parts.append(Wording.count(list.counts.received, "record"))
    }
    let others = state.lists.keys.count { $0 != label && $0 != state.ended }
    if others > 0 { parts.append("and \(Wording.count(others, "other list"))") }
    if state.images > 0 { parts.append(Wording.count(state.images, "image")) }
    if let next = next?.wait {
      let left = ProgressBoard.span(next.until - now)
      parts.append("waiting for \(next.reason) until \(localTime(next.until, now)) (\(left))")
    }
    return "\(state.job): \(parts.joined(separator: ", "))"
  }
}
