internal import Base

/// Weighs, at the walk's end, the answers' signs of more of the list that the job does not read.
extension Walker {
  struct WeighedSigns {
    /// Says that the list continues, or is longer.
    var against: [String] = []
    /// Cannot be weighed, but excludes any proof.
    var doubts: [String] = []

    mutating func note(_ text: String, isAgainst: Bool) {
      if isAgainst { against.append(text) } else { doubts.append(text) }
    }
  }

  func weighedSigns(_ ending: WalkEnd) -> WeighedSigns {
    var weighed = WeighedSigns()
    for sign in state.unreadSigns.twice {
      weighed.doubts.append("\"\(sign.place)\" occurs twice in an answer")
    }
    let isJoined = ending.rule == .lastCompleteRange
    for sign in state.unreadSigns.oddRemarks where !state.unreadSigns.last.contains(sign) {
      weighed.note("one of its pages has \(told(sign))", isAgainst: sign.isError && !isJoined)
    }
    if let said = state.unreadSigns.contradiction, rules.trust != .worthless {
      weighed.doubts.append(
        "the API said \(said.total) beside \(Wording.count(said.records, "record"))")
    }
    if ending.rule == .countedTotal, state.again.isOfPageOne {
      weighed.doubts.append(
        "page 2 is page 1 again, so the total may be that of each page, and the position ignored")
    }
    for sign in state.unreadSigns.oddFlags {
      weighed.doubts.append(
        "one of its pages has \(told(sign)), and others before its end do not: it may be only a part"
      )
    }
    if state.unreadSigns.areAllOutside {
      weighed.against.append(
        "the times of its records all lie outside the window: the API ignores what it was asked for"
      )
    }
    if isFirm, state.areTotalsOfPages, orderProof(ending) == nil {
      weighed.doubts.append(
        "\"\(rules.totalPlace ?? "")\" counts the records of each page, not those of the list")
    }
    for sign in state.unreadSigns.parts {
      weighed.note(
        "one of its pages has \(told(sign)), which says that it is only a part",
        isAgainst: !isJoined)
    }
    noteLeftOut(&weighed, isJoined: isJoined)
    // The walk stopped there by itself: the list rightly says that it continues.
    if isJoined { return weighed }
    if let longest = state.unreadSigns.longest, let number = longest.number,
      number > state.distinct, !state.unreadSigns.full.contains(longest)
    {
      weighed.doubts.append("a page has \(told(longest)), but \(state.distinct) were received")
    }
    noteSense(&weighed)
    if isFirstShown == false {
      weighed.doubts.append(
        "it is not known whether page \(rules.firstNumber) is the first: the request for page "
          + "\(rules.firstNumber - 1) failed, or its answer was old"
      )
    }
    if let count = state.recordsBefore, count > 0 {
      weighed.against.append(
        "page \(rules.firstNumber - 1) holds \(Wording.count(count, "record")) that no page behind it holds: the "
          + "API counts its pages from \(rules.firstNumber - 1) (write `first: \(rules.firstNumber - 1)`)"
      )
    }
    noteBeginning(&weighed)
    let agrees = noteLengths(&weighed)
    let isSaidWhole =
      agrees || isAsAsked || state.unreadSigns.last.contains { $0.kind == .end }
    for sign in state.unreadSigns.last { note(sign, isSaidWhole: isSaidWhole, &weighed) }
    noteFlagBeforeEmptyPage(&weighed)
    if let trust = rules.trust, trust != .worthless, state.firstTotal == nil,
      state.counts.received > 0
    {
      weighed.doubts.append("no answer had a total at \"\(rules.totalPlace ?? "")\"")
    }
    return weighed
  }

  private func note(_ sign: UnreadSign, isSaidWhole: Bool, _ weighed: inout WeighedSigns) {
    switch sign.kind {
    case .more: weighed.against.append("\(told(sign)), which says that more follow")
    case .notice:
      // What every page says means nothing on the last one.
      if state.pages > 1, state.unreadSigns.first.contains(sign) { return }
      // An empty page behind all that the API counts may be refused in this way.
      weighed.note(
        "its answer also has \(told(sign))",
        isAgainst: state.emptyRun == 0 || state.counts.received == 0 || !isTotalReached)
    case .unclear where isAsAsked: break
    case .cursor where isSaidWhole: break
    case .page where isSaidWhole || isAtItsPlace(sign): break
    case .unclear, .cursor, .page:
      weighed.doubts.append("the job does not read \(told(sign)), which may say that more follow")
    case .end, .part, .last, .length, .count, .pages, .before, .limit, .twice, .emptied,
      .outside, .old, .older:
      break
    }
  }

  /// Records that no page had, though a look at the end did. A few may be new since.
  private func noteLeftOut(_ weighed: inout WeighedSigns, isJoined: Bool) {
    let looks = state.leftOut.map { count, cursor in
      let records = Wording.count(count, "record")
      var text = "behind its last record came \(records) that no page holds"
      var enough = state.longest
      if let (received, asked, between) = shortPageOne, cursor == between {
        text =
          "\(told(cursor)) holds \(records) that pages of \(asked) leave out: the API gives \(received) "
          + "at most, so the job should request that size"
        enough = min(received, asked - received)
      } else if let flag = rules.flag, state.end.last?.page.more == false {
        text += ": \"\(flag)\" may mean the reverse"
      }
      return (text: text, isAgainst: !isJoined && count * 2 > max(4, enough))
    }
    guard let worst = looks.first(where: \.isAgainst) ?? looks.first else { return }
    weighed.note(worst.text, isAgainst: worst.isAgainst)
  }

  /// The last page with records has a flag for more, and the empty page after it does not revoke it.
  private func noteFlagBeforeEmptyPage(_ weighed: inout WeighedSigns) {
    let (full, last) = (state.unreadSigns.full, state.unreadSigns.last)
    guard full != last, !last.contains(where: { $0.kind == .end || $0.kind == .more }) else {
      return
    }
    for sign in full where sign.kind == .more && sign.value == "true" {
      weighed.against.append(
        "its last page with records has \(told(sign)), which says that more follow")
    }
  }

  /// Whether a page number is the current page's; never for a list declared as one answer.
  private func isAtItsPlace(_ sign: UnreadSign) -> Bool {
    switch rules.paging {
    case .single: return false
    case .offset, .chain: return true
    case .number:
      let first = rules.firstNumber
      var place = state.ordinal
      if case .sized(let number, _)? = state.lastRead?.cursor { place = number - first + 1 }
      return [place - 1, place, place + first - 1].contains(sign.number)
    }
  }

  /// A list may be read from its second page on: page 1 says what precedes it.
  private func noteBeginning(_ weighed: inout WeighedSigns) {
    for sign in state.unreadSigns.first where sign.kind == .before {
      weighed.against.append(
        "page 1 has \(told(sign)), which says that there are records before it")
    }
  }

  /// Lengths besides the declared one. Returns whether one of them equals what came.
  private func noteLengths(_ weighed: inout WeighedSigns) -> Bool {
    var agrees = isCounted && state.lastTotal.map { $0 == state.distinct } ?? false
    // A search only estimates.
    if rules.isSearch { return agrees }
    guard let full = state.unreadSigns.fullPage else { return agrees }
    let came = state.distinct
    for sign in full.signs where sign.kind == .length || sign.kind == .count {
      guard let number = sign.number else { continue }
      let isPages =
        number == full.counts.received || sign.kind == .count && number == rules.sizeValue
      if number == came || number == state.counts.received && state.pages == 1 {
        agrees = true
      } else if number > came && !(isPages && state.pages > 1) {
        weighed.against.append("\(told(sign)), but \(came) different records were received")
      } else if !isPages {
        weighed.doubts.append("\(told(sign)), but \(came) were received")
      }
    }
    let isOutweighed = agrees
    for sign in full.signs where sign.kind == .pages {
      guard let number = sign.number, !isOutweighed else { continue }
      if case .sized(_, let size) = full.cursor {
        // It answers our own look, so it counts pages of that size.
        let (beyond, isHuge) = max(0, number - 1).multipliedReportingOverflow(by: size)
        if isHuge || beyond >= came {
          weighed.against.append("\(told(sign)) of \(size), but \(came) records were received")
        } else if beyond + size >= came {
          agrees = true
        }
      } else if number == full.ordinal {
        agrees = true
      } else if number > full.ordinal {
        weighed.against.append("\(told(sign)), but \(Wording.count(state.pages, "page")) came")
      }
    }
    return agrees
  }

  /// A flag whose name says the reverse of what the job reads.
  private func noteSense(_ weighed: inout WeighedSigns) {
    guard let flag = rules.reversedFlag, state.lastRead?.page.more != nil else { return }
    let sense = rules.moreIs ? "more follow" : "this is the end"
    weighed.against.append(
      "\"\(flag)\" is read as a flag that \(sense), and its name says the reverse")
  }

  private func told(_ sign: UnreadSign) -> String {
    // A path may contain quotes.
    let place = sign.place.hasPrefix("\"") ? sign.place : "\"\(sign.place)\""
    return sign.value.isEmpty ? place : "\(place): \(sign.value)"
  }

  /// In one sentence; sentences beyond a few are counted.
  static func told(_ sentences: [String]) -> String {
    let shownMax = 3
    // cut: the sentence says how many more
    let shown = sentences.prefix(shownMax).joined(separator: "; ")
    return sentences.count > shownMax
      ? "\(shown); and \(sentences.count - shownMax) more such signs" : shown
  }
}
