internal import Model

/// The end of a walk: unreadable pages once more, page 1 once more, then the verdict.
extension Walker {
  mutating func finish(_ ending: WalkEnd) -> Move {
    if ending.isFailure || ending.verdict != nil { return conclude(ending) }
    guard !hasRepaired, !state.unreadable.isEmpty else { return check(ending) }
    hasRepaired = true
    return repairNext(state.unreadable.keys.sorted(), ending)
  }

  mutating func repairNext(_ left: [Int], _ ending: WalkEnd) -> Move {
    guard let ordinal = left.first, let page = state.unreadable[ordinal] else {
      return check(ending)
    }
    phase = .repairing(left, ending)
    return ask(.repair, ordinal: ordinal, at: page.cursor)
  }

  private mutating func check(_ ending: WalkEnd) -> Move {
    if !state.unreadable.isEmpty { return conclude(.failure(unreadableSentence)) }
    guard needsClosingCheck else { return conclude(ending) }
    phase = .checking(ending)
    return ask(.closingCheck, ordinal: 1, at: builder.first)
  }

  /// It went on from stored pages, and page 1 has shown at the end that the list had not moved.
  public var isFoundUnmoved: Bool {
    isResumed && needsClosingCheck && !state.hasMoved && state.checkProblem == nil
  }

  /// Lists that are read by position shift when they change, so a walk of several pages looks at
  /// page 1 again. A next address that counts pages is a position in disguise.
  private var needsClosingCheck: Bool {
    state.pages > 1 && state.firstDigest != nil && readsPositions
  }

  private var readsPositions: Bool { isPositioned || state.addresses.isCounting }

  mutating func conclude(_ ending: WalkEnd) -> Move {
    let verdict = verdict(of: ending)
    // Only a walk over the list at rest can tell what a walk over a moving one has missed. Pages that
    // name what they stand behind do not shift: walking them again would show nothing new.
    if verdict == .drifted, readsPositions, passes < limits.passesMax { return passAgain() }
    let certificate = certificate(verdict, ending.rule, why(verdict, ending))
    phase = .concluded(certificate)
    return .conclude(certificate)
  }

  func certificate(
    _ verdict: Verdict, _ rule: StopRule, _ why: String, goesOnAt: Instant? = nil
  ) -> Certificate {
    let isExpectedCap = verdict == .capped && stream.cap?.expected != nil
    return Certificate(
      verdict: verdict, rule: rule, why: why, pages: state.pages, counts: state.counts,
      distinctKeys: state.distinct, firstTotal: state.firstTotal, lastTotal: state.lastTotal,
      trust: state.firstTotal == nil ? nil : stream.total?.trust, hasMoved: state.hasMoved,
      goesOnAt: goesOnAt, isAsDeclared: verdict == .complete || isExpectedCap)
  }

  // MARK: verdict

  private func verdict(of ending: WalkEnd) -> Verdict {
    if let verdict = ending.verdict { return verdict }
    if ending.isFailure { return .failed }
    if ending.isCap || endsInDoubt(ending) { return .capped }
    if state.hasMoved || state.checkProblem != nil { return .drifted }
    if ending.rule == .nothingUnseen && !totalAgrees { return .drifted }
    if isShort(ending) { return .short }
    return .complete
  }

  /// Near the API's cap its end looks just like a true end. Known ground is an end of our own, and
  /// a counted total that was reached says itself that nothing lies behind.
  private func endsInDoubt(_ ending: WalkEnd) -> Bool {
    guard let cap = stream.cap, ![.lastCompleteRange, .countedTotal].contains(ending.rule) else {
      return false
    }
    return state.covered >= cap.doubt
  }

  /// Repeated pages cover nothing: only what came before them, or distinct keys, can agree.
  private var totalAgrees: Bool {
    guard isCounted, let total = state.lastTotal else { return false }
    return max(state.coveredFresh, state.distinct) >= total
  }

  private func isShort(_ ending: WalkEnd) -> Bool {
    if ending.rule == .lastCompleteRange { return false }
    if isCounted, let total = state.lastTotal {
      return max(state.covered, state.distinct) < total
    }
    return ending.rule == .emptyPage && state.lastMore == true
  }

  // MARK: words

  private func why(_ verdict: Verdict, _ ending: WalkEnd) -> String {
    var parts = [ending.message]
    switch verdict {
    case .capped:
      if !ending.isCap, let cap = stream.cap {
        parts = ["ended with \(state.covered) records, and the API ends such lists near \(cap.at)"]
      }
      if let expected = stream.cap?.expected { parts.append("declared in the job: \(expected)") }
      parts += state.moves
    case .drifted:
      parts += state.moves
      if let problem = state.checkProblem {
        parts.append("\(problem), so it is unknown whether the list moved")
      }
      if ending.rule == .nothingUnseen { parts.append("no counted total and no flag agrees") }
    case .short:
      if isCounted, let total = state.lastTotal {
        parts.append("the API counts \(total), and \(state.covered) were received")
      } else {
        parts.append("yet the answer says that more follow")
      }
    case .complete:
      if state.counts.received == 0, let hint = stream.emptyHint { parts.append(hint) }
    case .gap, .absent, .paused, .failed: break
    }
    if stream.total?.trust == .estimate, let said = state.lastTotal, said != state.covered,
      [.complete, .capped].contains(verdict)
    {
      parts.append("the API said \(said) (an estimate)")
    }
    if passes > 1, verdict == .complete || verdict == .drifted {
      let times = passes == 2 ? "twice" : "\(passes) times"
      parts.append(
        verdict == .complete
          ? "walked \(times): it changed before, and not during the last walk"
          : "walked \(times), and it changed each time")
    }
    return parts.joined(separator: "; ")
  }

  private var unreadableSentence: String {
    let shownMax = 5
    let all = state.unreadable.sorted { $0.key < $1.key }
    // cut: the sentence says how many more
    let names = all.prefix(shownMax).map { String($0.key) }.joined(separator: ", ")
    let rest = all.count > shownMax ? " and \(all.count - shownMax) more" : ""
    let reason = all.lazy.compactMap(\.value.message).first.map { " (\($0))" } ?? ""
    let (pages, those) = all.count == 1 ? ("page", "that page") : ("pages", "those pages")
    return
      "\(pages) \(names)\(rest) could not be read\(reason); the next run requests only \(those)"
  }
}
