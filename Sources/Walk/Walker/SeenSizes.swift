internal import Base

/// What numbered pages in sizes of their own have shown.
struct SeenSizes: Sendable {
  /// Pages were requested so.
  private(set) var isVaried = false
  /// One came short, and so the list ends with it.
  private(set) var hasShortEnd = false
  /// The last page held the last record alone, as it was requested; or one before did.
  private(set) var isSingleLast = false
  private(set) var hasSingleLast = false
  /// Records of earlier pages that the next one holds although they are not an overlap.
  private var repeats = 0

  mutating func note(_ page: PageSummary, _ size: Int?, isJoined: Bool) {
    guard page.cursor.isSized else { return }
    isVaried = true
    let received = page.counts.received
    isSingleLast = hasShortEnd && size == 1 && received == 1 && isJoined
    if isSingleLast { hasSingleLast = true }
    // Behind the last record nothing is read.
    guard size != 1 else { return }
    hasShortEnd = isJoined && size.map { received < $0 } ?? false
  }

  /// Pages go on in one size, the next with so many records of those before.
  mutating func end(_ repeats: Int) { self.repeats = repeats }

  mutating func takeRepeats() -> Int {
    defer { repeats = 0 }
    return repeats
  }
}
