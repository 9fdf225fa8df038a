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
    if wantsSignOfMore(ending) {
      phase = .seekingSign(ending)
      return ask(.signOfMore, ordinal: 1, at: .firstRecord)
    }
    guard needsClosingCheck(ending) else { return conclude(ending) }
    phase = .checking(ending)
    return ask(.closingCheck, ordinal: 1, at: builder.first)
  }

  /// It resumed from stored pages, and page 1 has shown at the end that the list had not moved.
  public var isFoundUnmoved: Bool { isResumed && state.isFirstSame && !state.hasMoved }

  mutating func conclude(_ ending: WalkEnd) -> Move {
    let (verdict, cause, proofs) = weigh(ending)
    // Only a walk over the list at rest can tell what a walk over a moving one has missed. Pages that
    // name what they stand behind do not shift: walking them again would show nothing new.
    if cause == .moved, readsPositions, passes < limits.passesMax { return passAgain() }
    if let again = readFrontAgain(ending, verdict, cause) { return again }
    if mayReadAgain, lacksWhatPauseTakes(verdict, cause) { return passAgain() }
    var certificate = certificate(verdict, ending.rule, why(verdict, cause, proofs, ending))
    certificate.cause = cause
    certificate.isAsDeclared = verdict.isWhole || verdict == .limited && isExpectedCap(cause)
    certificate.proofs = proofs
    certificate.pattern = verdict.isWhole ? state.pattern : nil
    phase = .concluded(certificate)
    return .conclude(certificate)
  }

  /// Less than the same list would be that no pause stretched: pages and totals of two days agree
  /// in little.
  private func lacksWhatPauseTakes(_ verdict: Verdict, _ cause: Shortfall?) -> Bool {
    cause == .moved || cause == .count
      || verdict == .unproven && (state.hasLongPause || isFirm && !state.isFirstSame)
  }

  func certificate(
    _ verdict: Verdict, _ rule: StopRule, _ why: String, goesOnAt: Instant? = nil
  ) -> Certificate {
    Certificate(
      verdict: verdict, rule: rule, why: why, pages: state.pages, counts: state.counts,
      distinctKeys: state.distinct, firstTotal: state.firstTotal, lastTotal: state.lastTotal,
      trust: state.firstTotal == nil ? nil : stream.total?.trust, hasMoved: state.hasMoved,
      goesOnAt: goesOnAt)
  }

  private func isExpectedCap(_ cause: Shortfall?) -> Bool {
    cause == .ceiling && stream.cap?.expected != nil
  }

  // MARK: verdict

  private func weigh(_ ending: WalkEnd) -> (Verdict, Shortfall?, [ProofKind]) {
    if let verdict = ending.verdict { return (verdict, ending.cause, []) }
    if ending.isFailure { return (.failed, nil, []) }
    if ending.isCap || endsInDoubt(ending) {
      // A cap that the job expects is no loss; what did not fit is one.
      if stream.cap?.expected != nil, let cause = misfit { return (.incomplete, cause, []) }
      return (.limited, .ceiling, [])
    }
    if let cause = shortfall(ending) { return (.incomplete, cause, []) }
    if isAtRoundNumber(ending) { return (.limited, .ceiling, []) }
    let proofs = proofs(of: ending)
    return (proofs.isEmpty ? .unproven : .complete, nil, proofs)
  }

  /// What speaks against a list that was read to its end.
  private func shortfall(_ ending: WalkEnd) -> Shortfall? {
    if emptiness(ending) != nil { return .empty }
    // A search moves by itself, and claims nothing but its answer.
    if state.hasMoved, !stream.isSearch, orderProof(ending) == nil { return .moved }
    if ending.rule == .nothingUnseen && !totalAgrees { return .moved }
    // Of two causes the one that tells less of what is missing comes first.
    if isShort(ending), misfit != .ambiguousKey { return .count }
    if let misfit { return misfit }
    if ending.rule == .lastCompleteRange { return memory.isRangeLacking ? .rejects : nil }
    if !weighedSigns(ending).against.isEmpty { return .unread }
    if estimateBeyond != nil { return state.distinct == 0 ? .empty : .count }
    return nil
  }

  /// A counted total and the distinct keys are the same, or something is missing: a record that came
  /// in the place of another one was received, too.
  private func isShort(_ ending: WalkEnd) -> Bool {
    if ending.rule == .lastCompleteRange { return false }
    // While the list moved its total was that of no instant of the walk.
    if isCounted, state.hasOtherTotal, orderProof(ending) != nil { return false }
    if isCounted, state.lastTotal != nil { return isShortOfTotal }
    return [.emptyPage, .noNextPage].contains(ending.rule) && state.lastMore == true
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

  // MARK: words

  private func why(
    _ verdict: Verdict, _ cause: Shortfall?, _ proofs: [ProofKind], _ ending: WalkEnd
  ) -> String {
    var parts = [ending.message]
    switch cause {
    case .ceiling:
      if !ending.isCap, let cap = stream.cap {
        parts = ["ended with \(state.covered) records, and the API ends such lists near \(cap.at)"]
      } else if !ending.isCap, stream.cap == nil {
        parts.append(
          "it ended at exactly \(Wording.number(state.distinct)) records, as APIs do that stop without "
            + "a word, and no total agrees (a total or a cap in its job tells which it is)")
      }
      if let expected = stream.cap?.expected { parts.append("declared in the job: \(expected)") }
      parts += state.moves
    case .moved:
      parts += state.moves
      if ending.rule == .nothingUnseen { parts.append("no counted total and no flag agrees") }
    case .count:
      if isCounted, let total = state.lastTotal {
        let kind = state.repeats > 0 ? " different ones" : ""
        parts.append("the API counts \(total), and \(state.distinct)\(kind) were received")
      } else if let said = estimateBeyond {
        parts.append("the API's estimate is \(said), and \(state.distinct) were received")
      } else {
        parts.append("yet the answer says that more follow")
      }
    case .rejects where misfit == nil:
      parts.append("records of the stretch behind it were rejected and are still missing")
    case .unread: parts.append(Self.told(weighedSigns(ending).against))
    case .empty:
      let said = estimateBeyond.map { "the API's estimate is \($0)" }
      parts += [emptiness(ending) ?? said].compactMap { $0 }
    case .outOfReach, .rejects, .ambiguousKey, nil: break
    }
    parts += [state.counts.account].compactMap { $0 }
    parts += sentencesOfMisfits
    if verdict == .unproven { parts.append(state.checkProblem ?? whyUnproven(ending)) }
    if verdict == .complete, let flaw = state.order?.flaw { parts.append(flaw) }
    if proofs == [.twice], let since = memory.patternSince {
      parts.append("the walk of \(since) brought the same: complete for what was there since then")
    }
    if verdict.isWhole, state.counts.received == 0, let hint = stream.emptyHint {
      parts.append(hint)
    }
    if stream.total?.trust == .estimate, let said = state.lastTotal, said != state.covered,
      verdict.isWhole || cause == .ceiling
    {
      parts.append("the API said \(said) (an estimate)")
    }
    if ending.rule == .lastCompleteRange, verdict == .complete, frontPattern != nil {
      parts.append("what is new was read \(passes == 2 ? "twice" : "\(passes) times")")
    } else if passes > 1, verdict.isWhole || cause == .moved {
      let times = passes == 2 ? "twice" : "\(passes) times"
      parts.append(
        verdict.isWhole
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
      "\(pages) \(names)\(rest) could not be read\(reason); a run within "
      + "\(Wording.span(stream.tokenLife)) requests only \(those)"
  }
}
