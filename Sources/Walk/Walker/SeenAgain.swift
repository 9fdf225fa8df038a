internal import Base

/// Numbered pages with exactly the keys of the last new page, or of page 1, in the same order: some APIs answer like
/// this beyond the end.
struct SeenAgain: Sendable {
  /// The last page that brought something new.
  private(set) var last: (ordinal: Int, digest: UInt64)?
  private var first: UInt64?
  private(set) var ordinals: [Int] = []
  private(set) var repeats = 0
  private(set) var areFirst = false
  /// They count as the end, not as records that moved.
  var isEnd = false

  /// Page 1 alone brought something new.
  var isOfPageOne: Bool { last?.ordinal == 1 && !ordinals.isEmpty }

  /// Whether a page is one of these.
  mutating func takes(_ page: PageSummary) -> Bool {
    guard case .number = page.cursor else {
      last = nil
      return false
    }
    if page.ordinal == 1 { first = page.keysDigest }
    if page.unseen > 0 { last = (page.ordinal, page.keysDigest) }
    guard page.unseen == 0, page.counts.received > 0, let last,
      page.ordinal == (ordinals.last ?? last.ordinal) + 1,
      page.keysDigest == last.digest || page.keysDigest == first
    else { return false }
    ordinals.append(page.ordinal)
    repeats += page.counts.received
    areFirst = page.keysDigest != last.digest
    return true
  }
}

extension Walker {
  /// Beyond the last page some APIs repeat it, or page 1; one that does so after page 1 may not know the parameter at
  /// all.
  mutating func endAgain() -> WalkEnd? {
    let again = state.again
    guard let last = again.last, again.ordinals.count == state.staleRun else { return nil }
    state.again.isEnd = true
    // In other sizes its last record comes again, and the walk starts over.
    if handed.carried.hasFixedSizes { ignoresSizes = true }
    guard last.ordinal > 1 || hasSeenMore == true else { return ignoredEnd }
    let what = again.areFirst ? "are page 1 again" : "repeat it"
    return WalkEnd(.nothingUnseen, "pages behind page \(last.ordinal) \(what)", isUnshown: true)
  }

  /// The same for lists that name their pages, if page 2 names itself, unless page 1's records now have more in them.
  func firstAgain(_ page: PageSummary) -> WalkEnd? {
    guard page.ordinal == 2, page.keysDigest == state.firstDigest, page.counts.received > 0,
      page.counts.repeated == page.counts.received, page.keyClashes == KeyClashes(),
      page.next ?? page.cursor == page.cursor, !rules.goesByRecord, !rules.hasChildren,
      hasSeenMore != true
    else { return nil }
    return ignoredEnd
  }

  private var ignoredEnd: WalkEnd {
    let why =
      rules.parameter.map { "the API ignores \"\($0)\" (pages.to)" }
      ?? "the address that it names leads to itself"
    return WalkEnd(
      .nothingUnseen, "page 2 is page 1 again: \(why)", isUnshown: true, cause: .unread)
  }
}
