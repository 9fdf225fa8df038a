internal import Base

/// One way to prove that a walk returned its whole list. A new one needs a kind with its words (`ProofKind`) and a rule
/// in the table below.
struct ProofRule: Sendable {
  let kind: ProofKind
  /// It still holds if a page that another named was empty, which may be a failure.
  var standsEmptyPage = true
  /// It still holds over a long pause.
  var standsPause = false
  let holds: @Sendable (Judgement) -> Bool

  /// The strongest first.
  static let all: [ProofRule] = [
    ProofRule(kind: .oneAnswer) { judgement in
      judgement.state.pages == 1 && judgement.state.ordinal == 1 && judgement.isUnmoved
    },
    ProofRule(kind: .anchored, standsEmptyPage: false, standsPause: true) {
      $0.walk.orderProof($0.ending) == .anchored
    },
    ProofRule(kind: .orderedOverlap, standsPause: true) {
      $0.walk.orderProof($0.ending) == .orderedOverlap
    },
    ProofRule(kind: .overlap) { $0.walk.showsOverlap && $0.state.repeats == 0 },
    ProofRule(kind: .counted) { $0.walk.isTotalReached && $0.isUnmoved },
    ProofRule(kind: .steady, standsEmptyPage: false) { judgement in
      let state = judgement.state
      return judgement.rules.trust == .steady && state.hasSameTotal && state.repeats == 0
        && judgement.isUnmoved && !state.isHollow
        && state.lastTotal.map { $0 >= state.distinct } ?? false
    },
    ProofRule(kind: .ends, standsEmptyPage: false) { judgement in
      let state = judgement.state
      // An empty page between others hides what should be there.
      return state.pages > 1 && state.repeats == 0 && !state.isHollow && state.isFirstSame
        && judgement.isLastSame && state.unreadSigns.olderPage == nil
    },
    ProofRule(kind: .twice, standsPause: true) {
      $0.memory.pattern != nil && $0.memory.pattern == $0.state.pattern
    },
    ProofRule(kind: .joined) { $0.walk.isFrontHeld($0.ending) },
  ]

  /// Whether a walk with such an end can have this proof at all.
  func isOpen(_ judgement: Judgement) -> Bool {
    guard judgement.isJoined == (kind == .joined) else { return false }
    if kind == .joined { return judgement.memory.isRangeProven }
    if judgement.state.hasLongPause, !standsPause { return false }
    if judgement.hasEmptyNamedPage, !standsEmptyPage { return false }
    if judgement.rules.isSearch { return false }
    // Position keys show no move; another record at a position that two pages share does.
    if judgement.rules.goesByPlace, kind != .oneAnswer, kind != .overlap { return false }
    if judgement.walk.isEndShown(judgement.ending) { return true }
    // Three walks in a row over two nights replace an end that none of them shows; if an error came instead of a page,
    // only if more pages were once seen to follow; not if nothing was requested behind it, because of a cap.
    return kind == .twice && judgement.memory.isPatternOld && judgement.walk.mayEndUnseen
      && judgement.ending.rule != .shortPage
      && (!judgement.ending.isUnshown || judgement.walk.hasSeenMore == true)
  }
}

/// What several rules check.
extension Judgement {
  /// A page that another named was empty, which may be a failure. It is an end if the list ends like that (its pages
  /// are named by records, or the job says so) and the page before it was short.
  var hasEmptyNamedPage: Bool {
    guard !rules.isPositioned, state.emptyNamed != nil, !state.end.isLastAgain else { return false }
    guard rules.endsEmpty, let last = state.lastWithRecords else { return true }
    return last.counts.received >= rules.sizeValue ?? state.longest
  }

  /// A page is from a cache and older than the walk, so it lacks what is new since. If page 1, that is settled by
  /// requesting it again, past the cache.
  var isOld: Bool {
    state.unreadSigns.oldPage != nil || state.unreadSigns.isFirstOld && !state.isFirstSame
  }

  /// Page 1, requested again at the end, is unchanged; or it is the whole list.
  var isUnmoved: Bool {
    state.isFirstSame || state.pages <= 1 && !state.unreadSigns.isFirstOld
  }

  /// The last page was looked at before with the same keys; of two pages the second was requested right after the first
  /// anyway.
  var isLastSame: Bool {
    if let look = state.lastPage {
      return look.finds(state.lastWithRecords) || state.pages == 2 && look.lookedAt == 0
    }
    return state.pages == 2
  }
}
