internal import Base

/// Records that came but are in no table, or replaced another record there.
extension Walker {
  /// What a person can do about records that do not fit.
  static let cureOfRejects =
    "correct `key` and `columns` in the job file (trawl try shows the answer), or exclude what is "
    + "not a record with `keep`"

  /// Records of the list are missing from the table, however well it was read.
  var misfit: Shortfall? {
    if hasAmbiguousKey { return .ambiguousKey }
    if state.rejected.isAny { return .rejects }
    return state.unreadSigns.emptied.isEmpty ? nil : .fields
  }

  private var hasAmbiguousKey: Bool {
    state.keyClashes.areAmbiguous(
      of: state.counts.received,
      changedComeAgain: state.order.map { $0.order.basis == .time && $0.isWhole } ?? false)
  }

  /// Ends the walk after pages of nothing but rejects: the job does not fit this API, or the API returns errors that
  /// look like pages. Continuing would waste quota.
  var rejectsEnd: WalkEnd? {
    guard state.rejected.run >= rejectedRunMax else { return nil }
    let pages = Wording.count(state.rejected.run, "page")
    let which = state.rejected.isAll(of: state.counts) ? "the first \(pages)" : "\(pages) in a row"
    return WalkEnd(
      .onlyRejects,
      "every record of \(which) was rejected\(state.rejected.clause); \(Self.cureOfRejects)",
      isFailure: true)
  }

  /// At the start three are enough; after records that fit it may be a stretch of the list.
  var rejectedRunMax: Int { state.rejected.isAll(of: state.counts) ? 3 : Self.emptyPagesMax }

  /// For the certificate's sentence.
  var sentencesOfMisfits: [String] {
    var sentences: [String] = []
    if state.rejected.isAny { sentences.append(state.rejected.sentence) }
    if !state.unreadSigns.emptied.isEmpty {
      let columns = Wording.some(state.unreadSigns.emptied, 3)
      sentences.append("records came without \(columns), which most rows have")
    }
    let clashes = state.keyClashes
    if hasAmbiguousKey {
      sentences.append(clashes.sentence)
    } else if clashes.acrossPages > 0 {
      let count = Wording.count(clashes.acrossPages, "record")
      let example = clashes.example.map { " (\($0))" } ?? ""
      sentences.append("\(count) came again with other values under the same key\(example)")
    }
    return sentences
  }
}

/// The records of a walk that did not fit.
struct RejectedRecords: Sendable, Equatable {
  /// Each page counts once.
  private var count = 0
  /// Pages in a row with nothing else.
  private(set) var run = 0
  /// It may concern a record that is in the table but not in its list, or lacks a nested entry.
  private var reason: String?

  var isAny: Bool { count > 0 || reason != nil }
  var clause: String { reason.map { " (\($0))" } ?? "" }
  var sentence: String {
    (count == 0 ? "parts of records were" : Wording.count(count, "record was", "records were"))
      + " rejected\(clause)"
  }

  func isAll(of counts: Counts) -> Bool { counts.rejected == counts.received }

  mutating func note(_ page: PageSummary) {
    let counts = page.counts
    if counts.received > counts.rejected { run = 0 } else if counts.rejected > 0 { run += 1 }
    count += counts.rejected
    reason = reason ?? page.rejectReason
  }

  /// A page read again: it may have rejects that its first reading had not.
  mutating func noteAgain(_ page: PageSummary) {
    count = max(count, page.counts.rejected)
    reason = reason ?? page.rejectReason
  }
}
