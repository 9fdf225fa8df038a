internal import Base

/// Requests page 1 again at the end, and checks whether the job's page 1 is the API's.
extension Walker {
  /// The page before page 1: the job's page 1 may be the API's second.
  private func pageBefore(_ ending: WalkEnd) -> Cursor? {
    guard rules.mayHavePageBefore, !memory.isFirstKnown, !ending.isCap, state.recordsBefore == nil,
      !rules.isSearch, !isTotalReached
    else { return nil }
    return .number(rules.firstNumber - 1)
  }

  /// Page 2 in the size of page 1, if that held fewer than requested and others followed: where pages lie as the
  /// requested size puts them, the API leaves out what it cuts from each.
  private func pageBetween(_ ending: WalkEnd) -> Cursor? {
    guard !state.hasAskedBetween, !ending.isCap, !isCounted, !rules.isSearch, !rules.hasPlaceInKey,
      rules.paging == .number, rules.sizeParameter != nil, memory.sizesHold != false,
      !handed.carried.hasFixedSizes, state.end.last.map({ $0.ordinal > 1 }) ?? false
    else { return nil }
    return shortPageOne?.between
  }

  /// How many records page 1 held, if these are fewer than requested, and page 2 in that size.
  var shortPageOne: (received: Int, asked: Int, between: Cursor)? {
    guard let received = state.firstReceived, let asked = rules.size(at: rules.first),
      received > 0, received < asked
    else { return nil }
    return (received, asked, .sized(rules.firstNumber + 1, received))
  }

  mutating func checkPageOne(_ ending: WalkEnd) -> Move {
    if let between = pageBetween(ending) {
      state.hasAskedBetween = true
      phase = .seekingEnd(ending)
      return ask(.lastRecord, ordinal: 2, at: between)
    }
    if let before = pageBefore(ending) {
      if !memory.hasFirstFailed {
        phase = .seekingEnd(ending)
        return ask(.pageBefore, ordinal: 1, at: before)
      }
      state.recordsBefore = 0
    }
    guard needsClosingCheck(ending) else { return conclude(ending) }
    phase = .checking(ending)
    return ask(.closingCheck, ordinal: 1, at: rules.first)
  }

  /// Page 1 again shows whether the list moved: for pages addressed by position, or if a total or a second page could
  /// then be a proof. Not for a list that the API cuts.
  func needsClosingCheck(_ ending: WalkEnd) -> Bool {
    guard state.firstDigest != nil, !ending.isCap, !ending.isUnshown, !rules.isSearch else {
      return false
    }
    // A cached answer does not show the present.
    if state.unreadSigns.isFirstOld, !handed.carried.hasPassedCaches {
      return state.unreadSigns.oldPage == nil
    }
    guard state.pages > 1 else { return false }
    if orderProof(ending) != nil { return false }
    if needsFront, state.order?.isWhole == true, !readsPositions { return true }
    if showsOverlap { return false }
    if ending.rule == .lastCompleteRange {
      return memory.isRangeProven && state.pages == 2 && state.repeats == 0
    }
    return readsPositions || isFirm || state.pages == 2 && state.repeats == 0
  }
}
