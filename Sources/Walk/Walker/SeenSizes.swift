internal import Base

/// What numbered pages of varied sizes have shown.
struct SeenSizes: Sendable {
  /// Sizes were varied.
  private(set) var isVaried = false
  /// A page was short, so the list ends with it.
  private(set) var hasShortEnd = false
  /// The last page had only the last record, as requested; or an earlier one did.
  private(set) var isSingleLast = false
  private(set) var hasSingleLast = false

  mutating func note(_ page: PageSummary, _ size: Int?, isJoined: Bool) {
    guard page.cursor.isSized else { return }
    isVaried = true
    let received = page.counts.received
    isSingleLast = hasShortEnd && size == 1 && received == 1 && isJoined
    if isSingleLast { hasSingleLast = true }
    // Nothing is read after the last record.
    guard size != 1 else { return }
    hasShortEnd = isJoined && size.map { received < $0 } ?? false
  }
}
