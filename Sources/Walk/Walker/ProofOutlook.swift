public import Base

/// Which proof a stream's lists will get when they do not change, by the job file, and its cost: known before the first
/// request.
public struct ProofOutlook: Sendable, Equatable {
  /// Nil: such a list has no proof, however often it is read.
  public let proof: ProofKind?
  /// For a person.
  public let text: String

  public init(of stream: Stream) {
    let outlook = Self.outlook(stream)
    proof = outlook.0
    let maySkip = proof != nil && stream.pager.lastRecord?.isUnique == false
    let said =
      outlook.1 + (maySkip ? "; none if the API skips records that share a page's last value" : "")
    guard proof == .twice, let every = stream.provesEvery else {
      let isReadTwice = proof == .twice && stream.newestFirst != nil
      text = said + (isReadTwice ? "; it is read twice at once, for its pages again" : "")
      return
    }
    let days = max(1, every.milliseconds / 86_400_000)
    let often = days == 1 ? "a day" : days == 7 ? "a week" : "in \(days) days"
    text = said + "; once \(often) it is read twice in one run, for its pages again"
  }

  private static func outlook(_ stream: Stream) -> (ProofKind?, String) {
    if stream.isSearch, stream.readsFeed {
      return (nil, "no proof: a feed shows its newest entries alone")
    }
    if stream.isSearch { return (nil, "no proof: a search returns what it likes") }
    if let expected = stream.cap?.expected { return (nil, "limited, as declared: \(expected)") }
    if stream.isAskedInBatches {
      let isSaid = stream.hasOnePage || stream.total?.trust == .counted
      return (
        .oneAnswer,
        "one answer for each that is asked for, at no cost"
          + (isSaid
            ? "" : "; of more records than that only if its job says that they are all (pages)")
      )
    }
    if stream.hasOnePage { return (.oneAnswer, "one answer, at no cost") }
    let onFirstOrSecond =
      "complete on the first run if the API names its last page, else on the second night, or the third "
      + "if no answer shows its end"
    let front =
      stream.newestFirst == nil
      ? "" : "; then only what is new, joined: twice where it fills three pages"
    if let order = stream.order, let outlook = outlook(stream, in: order) { return outlook }
    switch (stream.pager, stream.total?.trust) {
    case (.single, .counted): return (.oneAnswer, "one answer, if its total agrees, at no cost")
    case (.single, _):
      return (
        nil, "no proof: the job does not say how it is paged, nor that it has one page (pages)"
      )
    case (.offset, .counted):
      return (.overlap, "overlap and counted, for one record of each page\(front)")
    case (.offset, _): return (.overlap, "overlap, for one record of each page\(front)")
    case (_, .counted): return (.counted, "counted, for one more request of page 1\(front)")
    case (_, .steady): return (.steady, "steady, for one more request of page 1\(front)")
    case (.number, _) where VariedSizes.suit(stream):
      return (
        .overlap,
        "complete on the first run, for about one request in ten more; longer than ten pages: "
          + onFirstOrSecond
      )
    case (.number, _):
      return (
        .twice, "\(onFirstOrSecond), for page 1 and the last page again\(front)"
      )
    case (.chain, _):
      return (
        .twice, onFirstOrSecond + "; of one page: its one answer" + front
      )
    }
  }

  private static func outlook(_ stream: Stream, in order: ListOrder) -> (ProofKind?, String)? {
    let last = stream.more.isEmpty ? stream.pager.lastRecord : nil
    switch stream.pager {
    case .chain where last?.isUnique == false:
      return (.twice, "complete on the second night: no flag shows the end (more)")
    case .chain where last != nil:
      return (
        .twice,
        "anchored (\(order.text)) where its last page comes short, else complete on the second night; no"
          + " flag shows the end (more)"
      )
    case .offset:
      return (
        .orderedOverlap,
        "overlap with order (\(order.text)), however busy the list is, for one record of each page"
      )
    case .chain where order.basis == .time && order.direction == .falling:
      return (
        .anchored,
        "anchored (\(order.text)), however busy the list is, for its front again; if no answer shows "
          + "its end, complete on the third night; of one page: one answer"
      )
    case .chain:
      return (
        .anchored,
        "anchored (\(order.text)), however busy the list is, at no cost; if no answer shows its end, "
          + "complete on the third night; of one page: one answer"
      )
    case .single, .number: return nil
    }
  }
}

extension Walker {
  /// The kinds of proof that the answers' form allowed, whether or not they held: a list that was proven had one of
  /// them, and may lose it. Nil: one answer shows none.
  public var openProofs: Set<ProofKind>? {
    guard state.pages > 1 else { return nil }
    var open: Set<ProofKind> = []
    if state.isTotalEverywhere, state.firstTotal != nil {
      if rules.trust == .counted { open.insert(.counted) }
      if rules.trust == .steady { open.insert(.steady) }
    }
    if state.lastPage != nil || hadNoPageToLookAt, readsPositions { open.insert(.ends) }
    if state.sizes.isVaried || isBeyondVariedSizes { open.insert(.overlap) }
    if state.order?.isWhole == true { open.insert(.anchored) }
    return open
  }

  /// The last walk ended by page 2: growth since then takes no proof away.
  private var hadNoPageToLookAt: Bool {
    guard case .number(let last)? = memory.lastPage, last <= rules.firstNumber + 1 else {
      return false
    }
    return !isFirm && !rules.isSearch && rules.cap == nil && !state.sizes.isVaried
  }

  /// A list that has outgrown varied sizes has lost nothing.
  private var isBeyondVariedSizes: Bool {
    guard VariedSizes.suit(rules), let size = rules.sizeValue, rules.limits.variedPagesMax < .max
    else { return false }
    return state.pages * size > VariedSizes.reach(pages: rules.limits.variedPagesMax, size: size)
  }
}
