internal import Base
internal import Store

/// Holds the API's clock against this machine's with each of its answers. What that shows is said once,
/// is the run's time from then on, and heals what an earlier run has written into the future.
struct ClockCheck: Sendable {
  let clock: RunClock
  let store: RecordStore
  let ledger: QuotaLedger
  let recorder: RunRecorder
  let run: RunID
  let origin: Origin

  private let state = Locked(State())

  private struct State {
    var hasNoted = false
    /// Whether by a time that an answer has shown; nil: not yet.
    var healedBy: Bool?
    var told: Set<String> = []
  }

  func hear(_ answer: Answer) async {
    let before = clock.shift
    let finding = clock.hear(answer)
    tell(finding, answer)
    let moved = clock.shift - before
    let isConfirmed = clock.isConfirmed
    let isNew = state.withLock { state in
      defer { state.hasNoted = state.hasNoted || isConfirmed }
      return isConfirmed && !state.hasNoted
    }
    do {
      if moved != .zero || isNew { try await note(moved) }
      if case .doubted(let offset) = finding {
        recorder.change { $0.clockOffset = offset }
        return
      }
      try await heal()
    } catch {
      // A database or a ledger that cannot be written says so at the next page, too.
      recorder.warn("\(error)")
    }
  }

  private func note(_ moved: Duration) async throws {
    try await store.noteClock(clock.shift, moved: moved, of: run)
    try await ledger.confirmTime(of: origin.description)
    let (shift, offset) = (moved, clock.offset)
    recorder.change { facts in
      facts.clockOffset = offset
      facts.startedAt = facts.startedAt + shift
    }
  }

  /// Once in a run, as soon as it is known what time it is. Where no answer tells a time that could be, this
  /// machine's clock must do.
  private func heal() async throws {
    let isConfirmed = clock.isConfirmed
    let isDue = state.withLock { state in
      let isDue = state.healedBy == nil || isConfirmed && state.healedBy == false
      if isDue { state.healedBy = isConfirmed }
      return isDue
    }
    guard isDue, let healed = try await store.healTimes(isConfirmed: isConfirmed) else { return }
    clock.turn()
    var parts: [String] = []
    if healed.cuts > 0 {
      let since = healed.since.map { "from \($0) on" } ?? "from the beginning"
      parts.append(
        "what was covered is read again \(since) (\(Wording.count(healed.cuts, "stretch", "stretches")))"
      )
    }
    if healed.gaps > 0 {
      let gaps = Wording.count(healed.gaps, "permanent gap is", "permanent gaps are")
      parts.append("\(gaps) none")
    }
    if healed.waits > 0 { parts.append("\(Wording.count(healed.waits, "wait")) ended") }
    let what = parts.isEmpty ? "the times are mended" : parts.joined(separator: "; ")
    recorder.warn(
      "an earlier run's clock was ahead, and wrote times that have not come yet: \(what)")
  }

  private func tell(_ finding: ClockJudge.Finding?, _ answer: Answer) {
    guard let finding else { return }
    let text: String
    switch finding {
    case .agrees: return
    case .apart(let offset):
      text = "this machine's clock is \(Self.words(offset)) that of \(origin): set it"
    case .corrected(let offset):
      text =
        "this machine's clock is \(Self.words(offset)) that of \(origin): the run goes by the API's "
        + "clock; set the machine's"
    case .doubted(let offset):
      text =
        "this machine's clock is \(Self.words(offset)) that of \(origin), and nothing shows which of "
        + "them is right: nothing counts as read behind the earlier one; check the machine's clock"
    case .absurd:
      let date = answer.toldDate.map { "\($0)" } ?? "nothing"
      text = "the clock of \(origin) shows \(date), which cannot be: the run goes by this machine's"
    case .returned:
      text = "later answers of \(origin) agree with this machine's clock: the run goes by it again"
    }
    if state.withLock({ $0.told.insert(Self.kind(finding)).inserted }) { recorder.warn(text) }
  }

  private static func kind(_ finding: ClockJudge.Finding) -> String {
    switch finding {
    case .agrees: "agrees"
    case .apart: "apart"
    case .corrected: "corrected"
    case .doubted: "doubted"
    case .absurd: "absurd"
    case .returned: "returned"
    }
  }

  private static func words(_ offset: Duration) -> String {
    offset > .zero
      ? "\(Wording.span(offset)) behind" : "\(Wording.span(.zero - offset)) ahead of"
  }
}
