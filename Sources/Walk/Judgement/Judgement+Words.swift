internal import Base

/// The reason for a verdict, in a sentence.
extension Judgement {
  var why: String {
    var parts = ending.message.isEmpty ? [] : [ending.message]
    switch cause {
    case .ceiling:
      if !ending.isCap, let cap = rules.cap {
        parts = ["ended with \(state.covered) records, and the API ends such lists near \(cap.at)"]
        if ending.rule == .countedTotal { parts.append("its total may stop there, too") }
      } else if !ending.isCap, rules.cap == nil {
        parts.append(
          "it ended at exactly \(Wording.number(state.distinct)) records, as APIs do that stop without "
            + "a word, and no total agrees (a total or a cap in its job tells which it is)")
      }
      if let expected = rules.capExpected { parts.append("declared in the job: \(expected)") }
      parts += state.moves
    case .moved:
      parts += state.moves
      if let count = state.recordsBefore, count > 0 {
        let before = rules.firstNumber - 1
        parts.append(
          "page \(before) holds \(Wording.count(count, "record")) that no page behind it holds: if the API "
            + "counts its pages from \(before), the job should say so: first: \(before)")
      }
      if ending.rule == .nothingUnseen { parts.append("no counted total and no flag agrees") }
    case .count:
      if walk.isCounted, let total = state.lastTotal {
        let kind = state.repeats > 0 ? " different ones" : ""
        parts.append("the API counts \(total), and \(state.distinct)\(kind) were received")
      } else if let said = walk.estimateBeyond {
        parts.append("the API's estimate is \(said), and \(state.distinct) were received")
      } else if endsAboveKnown {
        parts.append("yet what was there before lies further down, and did not come")
      } else {
        parts.append("yet the answer says that more follow")
      }
    case .rejects where walk.misfit == nil:
      parts.append("records of the stretch behind it were rejected and are still missing")
    case .unread:
      let against = walk.weighedSigns(ending).against
      if !against.isEmpty { parts.append(Walker.told(against)) }
    case .empty:
      let said = walk.estimateBeyond.map { "the API's estimate is \($0)" }
      parts += [walk.emptiness(ending) ?? said].compactMap { $0 }
    case .outOfReach, .rejects, .ambiguousKey, .fields, nil: break
    }
    parts += [state.counts.account].compactMap { $0 }
    parts += walk.sentencesOfMisfits
    if verdict == .unproven { parts.append(state.checkProblem ?? whyUnproven) }
    if verdict == .complete, let flaw = state.order?.flaw { parts.append(flaw) }
    if proofs == [.twice], let since = memory.patternSince {
      parts.append("the walk of \(since) brought the same: complete for what was there since then")
    }
    if verdict.isWhole, state.counts.received == 0, let hint = rules.emptyHint {
      parts.append(hint)
    }
    if rules.trust == .estimate, let said = state.lastTotal, said != state.covered,
      verdict.isWhole || cause == .ceiling
    {
      parts.append("the API said \(said) (an estimate)")
    }
    let carried = walk.handed.carried
    let times = carried.passes == 2 ? "twice" : "\(carried.passes) times"
    if isJoined, verdict == .complete, carried.frontPattern != nil {
      parts.append("what is new was read \(times)")
    } else if carried.passes > 1, verdict.isWhole || cause == .moved {
      parts.append(
        verdict.isWhole
          ? "walked \(times): it changed before, and not during the last walk"
          : "walked \(times), and it changed each time")
    }
    return parts.joined(separator: "; ")
  }

  /// Why a list that was read to its end is unproven.
  private var whyUnproven: String {
    if rules.isSearch {
      return rules.readsFeed ? "all that the feed shows now" : "all that this search returned"
    }
    if isJoined, !memory.isRangeProven { return "what lies behind is not proven" }
    let doubts = walk.weighedSigns(ending).doubts
    if !doubts.isEmpty { return Walker.told(doubts) }
    if isJoined { return "what is new changed each time it was read" }
    if let why = walk.whyNotInOrder { return why }
    if rules.goesByPlace {
      return "its key is the place: a record that moves while the list is read may be missing"
    }
    if ending.isUnshown, state.pattern != nil {
      return walk.hasSeenMore == true
        ? "no answer shows the end: walks that read the same for 40 hours prove it"
        : "no answer shows the end, and no second page was seen yet"
    }
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
    if ending.rule == .moreFlag, state.saysMore == false, state.probed > 0,
      state.probed < state.counts.received
    {
      return
        "\"\(rules.flag ?? "")\" says of a part of the page that none follows: it may mean the reverse"
    }
    if state.pages == 1, !walk.isEndShown(ending) {
      if rules.hasOnePage {
        return "an empty answer is believed from the third walk on, 40 hours later"
      }
      if rules.isBatch {
        return
          "it has \(state.counts.received) records, and its job does not say whether others follow (pages)"
      }
      return rules.paging == .single
        ? "its job does not say whether there are more pages"
        : "nothing has shown yet that this API says when more follow"
    }
    if state.hasLongPause, memory.pattern == nil || memory.pattern != state.pattern {
      return "it was paused for so long that records may have come and gone meanwhile"
    }
    if hasEmptyNamedPage, let page = state.emptyNamed {
      return !rules.endsEmpty
        ? "page \(page) is empty, and the page before named it; \(Self.repetition)"
        : "page \(page) is empty behind a full one: the end, or a failure in its place"
    }
    if state.repeats > 0 { return "\(Wording.count(state.repeats, "record")) came twice" }
    if state.isHollow { return "a page before the last one held no record" }
    if let look = state.lastPage, !look.finds(state.lastWithRecords) {
      return "the last page held other records at the beginning"
    }
    if let page = state.unreadSigns.olderPage {
      return "page \(page) came from a cache: it is older than the answer before it"
    }
    if state.pages == 2, state.firstDigest != nil, !state.isFirstSame {
      return "page 1 held other records at the end"
    }
    switch memory.pattern {
    case nil: return "nothing proves that it is whole; a second walk that reads the same does"
    case state.pattern:
      return "the walk before read the same, but no answer shows the end: \(Self.repetition)"
    default: return "nothing proves that it is whole, and the walk before read something else"
    }
  }

  private static let repetition = "three walks over 40 hours that read the same prove it"
}
