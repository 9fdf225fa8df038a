internal import Base

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
    return look(endLook(ending), ending)
  }

  mutating func look(_ question: (Step.Purpose, ordinal: Int, Cursor)?, _ ending: WalkEnd) -> Move {
    guard let (purpose, ordinal, cursor) = question else { return checkPageOne(ending) }
    phase = .seekingEnd(ending)
    return ask(purpose, ordinal: ordinal, at: cursor)
  }

  /// It resumed from stored pages, and page 1 has shown at the end that the list had not moved.
  public var isFoundUnmoved: Bool { handed.isResumed && state.isFirstSame && !state.hasMoved }

  mutating func conclude(_ ending: WalkEnd) -> Move {
    let judgement = Judgement(self, ending)
    let (verdict, cause) = (judgement.verdict, judgement.cause)
    // Only a walk over the list at rest can show what a walk over a moving one has missed. Pages
    // that name the record before them do not shift: walking them again would show nothing new.
    if cause == .moved, readsPositions, handed.carried.passes < rules.limits.passesMax {
      return passAgain()
    }
    if let again = readFrontAgain(ending, verdict, cause) { return again }
    if mayReadAgain, lacksWhatPauseTakes(verdict, cause) { return passAgain() }
    let certificate = judgement.certificate
    phase = .concluded(certificate)
    return .conclude(certificate)
  }

  /// Less than the same list would be that no pause stretched: pages and totals of two days agree
  /// in little.
  private func lacksWhatPauseTakes(_ verdict: Verdict, _ cause: Shortfall?) -> Bool {
    cause == .moved || cause == .count
      || verdict == .unproven && (state.hasLongPause || isFirm && !state.isFirstSame)
  }

  private var unreadableSentence: String {
    let all = state.unreadable.sorted { $0.key < $1.key }
    let names = Wording.some(all.map { String($0.key) }, 5)
    let reason = all.lazy.compactMap(\.value.message).first.map { " (\($0))" } ?? ""
    let (pages, those) = all.count == 1 ? ("page", "that page") : ("pages", "those pages")
    return
      "\(pages) \(names) could not be read\(reason); a run within "
      + "\(Wording.span(rules.tokenLife)) requests only \(those)"
  }
}
