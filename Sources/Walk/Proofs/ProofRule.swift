internal import Base

/// One way to show that a walk brought its whole list. A new one is a kind with its words
/// (`ProofKind`), a file beside this one, and a line of the table below.
struct ProofRule: Sendable {
  let kind: ProofKind
  /// An empty page that another one named denies it: it may be a failure in the place of records.
  var standsEmptyPage = true
  /// It holds over pages of different nights.
  var standsPause = false
  let holds: @Sendable (Judgement) -> Bool

  /// The strongest first.
  static let all: [ProofRule] = [
    .oneAnswer, .anchored, .orderedOverlap, .overlap, .counted, .steady, .ends, .twice, .joined,
  ]

  init(
    _ kind: ProofKind, standsEmptyPage: Bool = true, standsPause: Bool = false,
    holds: @escaping @Sendable (Judgement) -> Bool
  ) {
    self.kind = kind
    self.standsEmptyPage = standsEmptyPage
    self.standsPause = standsPause
    self.holds = holds
  }

  /// Whether a walk with such an end can have it at all.
  func isOpen(_ judgement: Judgement) -> Bool {
    guard judgement.isJoined == (kind == .joined) else { return false }
    if kind == .joined { return judgement.memory.isRangeProven }
    if judgement.state.hasLongPause, !standsPause { return false }
    if judgement.hasEmptyNamedPage, !standsEmptyPage { return false }
    if judgement.rules.isSearch { return false }
    // Three walks in a row over two nights stand for an end that none of them shows.
    return judgement.walk.isEndShown(judgement.ending)
      || kind == .twice && judgement.memory.isPatternOld
  }
}

/// What several of them look at.
extension Judgement {
  /// A page that another one named held nothing: of a list that names its pages that is an end, or a
  /// failure in the place of records. Where the last record names it, or the job says so, it is how such
  /// lists end; a page before it that came short says so too.
  var hasEmptyNamedPage: Bool {
    guard !rules.isPositioned, state.emptyNamed != nil, !state.end.isLastAgain else { return false }
    guard rules.endsEmpty, let last = state.lastWithRecords else { return true }
    return last.received >= rules.sizeValue ?? state.longest
  }

  /// A page came from a cache that had it before the walk began: what has come since is not in it. Of
  /// page 1 alone it shows when it is requested again, past the cache.
  var isOld: Bool {
    state.unreadSigns.oldPage != nil || state.unreadSigns.isFirstOld && !state.isFirstSame
  }

  /// Page 1, requested again at the end, is as it was; or it is the whole list.
  var isUnmoved: Bool {
    state.isFirstSame || state.pages <= 1 && !state.unreadSigns.isFirstOld
  }

  /// The last page was looked at before and held the same keys; of two pages the second was requested
  /// right after the first anyway.
  var isLastSame: Bool {
    if let look = state.lastPage {
      return look.isSame(as: state.lastWithRecords) || state.pages == 2 && look.received == 0
    }
    return state.pages == 2
  }
}
