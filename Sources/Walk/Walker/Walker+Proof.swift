internal import JSON
internal import Model

/// What a walk that came to the list's end can be proven with, and what it still has to look at.
extension Walker {
  /// All that show the list to be whole, the strongest first.
  func proofs(of ending: WalkEnd) -> [ProofKind] {
    guard weighedSigns(ending).doubts.isEmpty, !isOld else { return [] }
    return state.edges.proofs(distinct: state.distinct).filter { holds($0, ending) }
  }

  private func holds(_ proof: ProofKind, _ ending: WalkEnd) -> Bool {
    if ending.rule == .lastCompleteRange {
      return proof == .joined && memory.isRangeProven && isFrontHeld(ending)
    }
    // Pages of different nights show no one list, unless those of another walk were the same.
    if state.hasLongPause, proof != .twice, orderProof(ending) != proof { return false }
    guard isEndShown(ending), !stream.isSearch else { return false }
    if hasEmptyNamedPage, [.steady, .ends, .anchored].contains(proof) { return false }
    switch proof {
    case .oneAnswer: return state.pages == 1 && state.ordinal == 1 && isUnmoved
    case .anchored, .orderedOverlap: return orderProof(ending) == proof
    case .overlap: return showsOverlap && state.repeats == 0
    case .counted: return isTotalReached && isUnmoved
    case .steady:
      return stream.total?.trust == .steady && state.hasSameTotal && state.repeats == 0 && isUnmoved
        && !state.isHollow && state.lastTotal.map { $0 >= state.distinct } ?? false
    case .ends:
      // A page that is empty between others hides what stands there.
      return state.pages > 1 && state.repeats == 0 && !state.isHollow && state.isFirstSame
        && isLastSame && state.unreadSigns.olderPage == nil
    case .twice: return memory.pattern != nil && memory.pattern == state.pattern
    case .joined: return false
    }
  }

  /// A page that another one named held nothing: of a list that names its pages that is an end, or a
  /// failure in the place of records. Where the last record names it, or the job says so, it is how such
  /// lists end; a page before it that came short says so too.
  private var hasEmptyNamedPage: Bool {
    guard !isPositioned, state.emptyNamed != nil else { return false }
    guard endsEmpty, let last = state.lastWithRecords else { return true }
    return last.received >= stream.size?.value ?? state.longest
  }

  /// A page came from a cache that had it before the walk began: what has come since is not in it. Of
  /// page 1 alone it shows when it is requested again, past the cache.
  private var isOld: Bool {
    state.unreadSigns.oldPage != nil || state.unreadSigns.isFirstOld && !state.isFirstSame
  }

  /// Page 1, requested again at the end, is as it was; or it is the whole list.
  private var isUnmoved: Bool {
    state.isFirstSame || state.pages <= 1 && !state.unreadSigns.isFirstOld
  }

  /// The last page was looked at before and held the same keys; of two pages the second was requested
  /// right after the first anyway.
  private var isLastSame: Bool {
    if let look = state.lastPage {
      return look.isSame(as: state.lastWithRecords) || state.pages == 2 && look.received == 0
    }
    return state.pages == 2
  }

  /// A counted total was the same in every answer, and so many distinct keys came. Of one answer it
  /// may count a record twice: nothing can have come between.
  private var isTotalReached: Bool { isCounted && state.hasSameTotal && !isShortOfTotal }

  /// The counted total is another number than that of the records.
  var isShortOfTotal: Bool {
    guard isCounted, let total = state.lastTotal else { return false }
    return total != (state.ordinal == 1 ? state.counts.received : state.distinct)
  }

  /// An end is shown only where the sign of more pages is known to work: the walk followed it, a look
  /// at page 1 with a size of 1 saw it, the job says that there is one page, the place behind the last
  /// record is empty, or a total agrees.
  private func isEndShown(_ ending: WalkEnd) -> Bool {
    state.ordinal > 1 || stream.hasOnePage || hasSeenMore == true || isTotalReached
      || (isPositioned || endsEmpty) && ending.rule == .emptyPage
  }

  /// What is known of the sign that more pages follow.
  var hasSeenMore: Bool? { state.hasFollowedMore ? true : state.saysMore ?? memory.hasSeenMore }

  /// Whether a stream of this kind has seen that more pages follow: for the walks to come.
  public var signOfMore: Bool? { hasSeenMore == memory.hasSeenMore ? nil : hasSeenMore }

  // MARK: looks

  /// Whether page 1, which names no next one, is requested again with a size of 1: then it must.
  func wantsSignOfMore(_ ending: WalkEnd) -> Bool {
    guard state.pages == 1, state.ordinal == 1, [.noNextPage, .moreFlag].contains(ending.rule),
      !isEndShown(ending), hasSeenMore == nil, !stream.isSearch, let size = stream.size,
      size.parameter != nil, size.value > 1
    else { return false }
    return state.counts.received > 1
  }

  /// The last page, if it is known from page 1 or from the walk before, and looking at it now can
  /// become a proof: pages that stand at positions, three or more, and no total that does better.
  func lastPageToLookAt(_ page: PageSummary, _ outcome: Outcome) -> Cursor? {
    guard page.ordinal == 1, case .next(let next) = outcome, state.lastPage == nil,
      !isCountedOrSteady, !stream.isSearch, lastCompleteRange == nil, readsPositions,
      !reachesCap(page)
    else { return nil }
    guard !overlaps, !next.isSized, let last = page.last ?? memory.lastPage, last != next,
      last != page.cursor
    else { return nil }
    return last
  }

  /// By what page 1 tells of its length the list ends at the API's limit, or nothing is known of it.
  private func reachesCap(_ page: PageSummary) -> Bool {
    guard let cap = stream.cap else { return false }
    return page.total.map { $0 >= cap.doubt } ?? true
  }

  /// Page 1 again shows whether the list moved: wherever pages stand at positions, and wherever a
  /// total or a second page could then be a proof. A list that the API cuts pays for none.
  func needsClosingCheck(_ ending: WalkEnd) -> Bool {
    guard state.firstDigest != nil, !ending.isCap, !stream.isSearch else { return false }
    // One answer out of a cache is no answer of now.
    if state.unreadSigns.isFirstOld, !hasPassedCaches { return state.unreadSigns.oldPage == nil }
    guard state.pages > 1 else { return false }
    if orderProof(ending) != nil { return false }
    if needsFront, state.order?.isWhole == true, !readsPositions { return true }
    if showsOverlap { return false }
    if ending.rule == .lastCompleteRange {
      return memory.isRangeProven && state.pages == 2 && state.repeats == 0
    }
    return readsPositions || isCountedOrSteady || state.pages == 2 && state.repeats == 0
  }

  var readsPositions: Bool { isPositioned || state.addresses.isCounting }

  private var isCountedOrSteady: Bool { [.counted, .steady].contains(stream.total?.trust) }

  /// Pages by offset begin with the last record of the page before. A list that the job expects to be
  /// cut needs no proof.
  var overlaps: Bool {
    if case .offset = stream.pager {
      stream.cap?.expected == nil && !stream.isSearch
    } else {
      false
    }
  }

  /// Why a list that was read to its end has no proof, for a person.
  func whyUnproven(_ ending: WalkEnd) -> String {
    if stream.isSearch {
      return stream.readsFeed ? "all that the feed shows now" : "all that this search returned"
    }
    let isJoined = ending.rule == .lastCompleteRange
    if isJoined, !memory.isRangeProven { return "what lies behind is not proven" }
    let doubts = weighedSigns(ending).doubts
    if !doubts.isEmpty { return Self.told(doubts) }
    if isJoined { return "what is new changed each time it was read" }
    if let whyNotInOrder { return whyNotInOrder }
    if state.edges.endsAlone, memory.pattern == nil || state.distinct == 1 {
      return
        "its last page holds nothing but the record that it begins with: the end, or all that the server "
        + "gave (a flag would tell)"
    }
    if let page = state.edges.loose {
      return
        "page \(page) does not begin with the last record of the page before: of several records of one "
        + "value at its edge some may be missing"
    }
    if isOld {
      let page = state.unreadSigns.oldPage ?? 1
      return "page \(page) came from a cache that had it before the walk began"
    }
    if ending.rule == .moreFlag, state.saysMore == false, state.probed == 1 {
      let paths = stream.more.map(\.text).joined(separator: " | ")
      return
        "\"\(paths)\" says of the first record alone that none follows: it may mean the reverse"
    }
    if state.pages == 1, !isEndShown(ending) {
      return stream.pager == .single
        ? "its job does not say whether there are more pages"
        : "nothing has shown yet that this API says when more follow"
    }
    if state.hasLongPause, memory.pattern == nil || memory.pattern != state.pattern {
      return "it was paused for longer than its pages stay valid"
    }
    if hasEmptyNamedPage, let page = state.emptyNamed {
      return !endsEmpty
        ? "page \(page) is empty, and the page before named it"
        : "page \(page) is empty behind a full one: the end, or a failure in its place"
    }
    if state.repeats > 0 { return "\(Wording.count(state.repeats, "record")) came twice" }
    if state.isHollow { return "a page before the last one held no record" }
    if let last = state.lastPage, !last.isSame(as: state.lastWithRecords) {
      return "the last page held other records at the beginning"
    }
    if let page = state.unreadSigns.olderPage {
      return "page \(page) came from a cache: it is older than the answer before it"
    }
    if state.pages == 2, state.firstDigest != nil, !state.isFirstSame {
      return "page 1 held other records at the end"
    }
    return memory.pattern == nil
      ? "nothing proves that it is whole; a second walk that reads the same does"
      : "nothing proves that it is whole, and the walk before read something else"
  }
}
