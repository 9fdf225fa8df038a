internal import Model

/// What the answers of a walk said of more of the list, beside what the job reads: of page 1, of the
/// last page, and of the last page with records. A page between them rightly says that more follow.
struct SeenSigns: Sendable {
  private(set) var first: [UnreadSign] = []
  private(set) var last: [UnreadSign] = []
  /// Of the last page with records: an empty page behind the list tells no length.
  private(set) var full: [UnreadSign] = []
  private(set) var fullReceived = 0
  private(set) var fullOrdinal = 0
  /// Members that stood twice in any answer.
  private(set) var twice: [UnreadSign] = []
  private var lastOrdinal = 0

  mutating func note(_ page: PageSummary) {
    for sign in page.signs where sign.kind == .twice {
      if !twice.contains(where: { $0.place == sign.place }) { twice.append(sign) }
    }
    if page.ordinal == 1 { first = page.signs }
    if page.ordinal >= lastOrdinal {
      lastOrdinal = page.ordinal
      last = page.signs
    }
    // Of a list without records its one empty page tells.
    if page.counts.received > 0 || fullReceived == 0, page.ordinal >= fullOrdinal {
      full = page.signs
      fullReceived = page.counts.received
      fullOrdinal = page.ordinal
    }
  }

  /// Page 1 came from a cache that had it since before the walk began.
  var isFirstOld: Bool { first.contains { $0.kind == .old } }
}

extension PageSummary {
  var age: String? { signs.first { $0.kind == .old }?.value }
}
