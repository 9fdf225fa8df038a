internal import Base

/// The end of a walk: unreadable pages again, page 1 again, then the verdict.
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

  /// It resumed from stored pages, and page 1 showed at the end that the list had not moved.
  public var isFoundUnmoved: Bool { handed.isResumed && state.isFirstSame && !state.hasMoved }

  mutating func conclude(_ ending: WalkEnd) -> Move {
    let judgement = Judgement(self, ending)
    let (verdict, cause) = (judgement.verdict, judgement.cause)
    // Only a walk over the unchanged list can show what one over a moving list missed. Pages that name the record
    // before them do not shift: walking them again would show nothing new.
    if cause == .moved, readsPositions, handed.carried.passes < rules.limits.passesMax {
      return passAgain()
    }
    if let again = readFrontAgain(ending, verdict, cause) { return again }
    if mayReadAgain, lacksWhatPauseTakes(verdict, cause) { return passAgain() }
    let certificate = judgement.certificate
    phase = .concluded(certificate)
    return .conclude(certificate)
  }

  /// Whether the pause may be the reason for a weaker verdict: pages and totals of two days rarely agree.
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

/// Errors instead of a page.
extension Walker {
  /// What a refused page says of the list. Many frameworks refuse the page after the last: after a short page it is the
  /// end, though no answer shows it, unless short pages had others behind them; after a full one it is if that page
  /// does not exist, and others of the list did, or if all that the API counts came. Else a refusal there may be its
  /// limit. If pages are named by records, that record has left.
  mutating func refusedEnd(
    _ trouble: Trouble, _ step: Step, isAbsent: Bool
  ) -> WalkEnd? {
    let message = trouble.message
    guard trouble.kind != .denied, step.purpose == .page, let last = state.lastRead,
      last.ordinal == step.ordinal - 1
    else { return nil }
    if rules.goesByRecord, hasSeenMore == true {
      state.move(
        "the record behind which page \(step.ordinal) was requested is not known any more (\(message))"
      )
      return WalkEnd(.gone, message, verdict: .incomplete, cause: .moved)
    }
    // Where shorter pages went on, the API has a size of its own.
    let size = state.shortestFollowed == nil ? rules.size(at: last.cursor) : nil
    let isShort = last.received < size ?? state.longest || state.sizes.isSingleLast
    let isEnd = isShort && !goesOnBehindShort
    let mayBeEnd = isAbsent && (hasSeenMore == true || state.end.named == last.cursor)
    // Behind a full page 1 whose own length the total may be, an API refuses what it does not know, too.
    let hasAll = isTotalReached && (isAbsent || size == nil || hasSeenMore == true)
    guard isPositioned, isEnd || mayBeEnd || hasAll else { return nil }
    return WalkEnd(
      .errorMeansEnd,
      "page \(last.ordinal) \(isShort ? "came short" : "was full"), and the one behind it is "
        + "\(isAbsent ? "not there" : "refused") (\(message))\(isTotalReached ? "" : cure(trouble))",
      isUnshown: true)
  }

  /// New records came behind a page that was shorter than others, or than requested: it may lack hidden ones. Pages of
  /// one usual length have the API's own maximum.
  private var goesOnBehindShort: Bool {
    guard let least = state.shortestFollowed else { return false }
    return least < state.longest || rules.sizeValue != nil && !SeenEnd.usualSizes.contains(least)
  }

  /// What to write in the job file.
  func cure(_ trouble: Trouble) -> String {
    let status = trouble.status.map { $0 < 300 ? "where: …, " : "status: \($0), " } ?? ""
    let cap = "errors: [{ \(status)then: \"cap\" }]"
    if trouble.kind == .denied {
      return [402, 403].contains(trouble.status)
        ? "; if it gives this key no more of one list: \(cap)" : ""
    }
    let end =
      "if that is how this API ends a list, its job should say so: errors: [{ \(status)then: \"end\" }]"
    let gives = "if it gives no more of one list, its job should say so: \(cap)"
    if let total = state.lastTotal, total > state.counts.received {
      return "; the API counts \(Wording.number(total)); \(gives)"
    }
    // After a full page, or one that may be, a refused request is more likely a limit than an end.
    let isFull = goesOnBehindShort || state.end.last.map { state.end.isFull($0) } ?? false
    return trouble.kind != .absent && isFull ? "; \(gives); \(end)" : "; \(end)"
  }
}
