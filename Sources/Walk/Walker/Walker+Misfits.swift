internal import Base

/// Records that came and are in no table, or took another one's place there.
extension Walker {
  /// What a person can do about records that do not fit, wherever that is said.
  static let cureOfRejects =
    "correct `key` and `columns` in the job file (trawl try shows the answer), or exclude what is "
    + "not a record with `keep`"

  /// Records of the list are missing from the table, however well it was read.
  var misfit: Shortfall? {
    if hasAmbiguousKey { return .ambiguousKey }
    if state.rejected.count > 0 { return .rejects }
    return state.unreadSigns.emptied.isEmpty ? nil : .fields
  }

  private var hasAmbiguousKey: Bool {
    state.keyClashes.areAmbiguous(
      of: state.counts.received,
      changedComeAgain: state.order.map { $0.order.basis == .time && $0.isWhole } ?? false)
  }

  /// Pages that hold nothing but rejects: the job does not fit this API, or the API answers each
  /// request with an error that looks like a page. Going on would cost quota for nothing.
  var rejectsEnd: WalkEnd? {
    guard state.rejected.run >= rejectedRunMax else { return nil }
    let pages = Wording.count(state.rejected.run, "page")
    let which = state.rejected.isAll(of: state.counts) ? "the first \(pages)" : "\(pages) in a row"
    return WalkEnd(
      .onlyRejects,
      "every record of \(which) was rejected\(state.rejected.clause); \(Self.cureOfRejects)",
      isFailure: true)
  }

  /// At the front three are enough; behind records that fit it may be a stretch of the list.
  var rejectedRunMax: Int {
    state.rejected.isAll(of: state.counts)
      ? rules.limits.rejectedPagesMax : rules.limits.emptyPagesMax
  }

  /// For the certificate's sentence.
  var sentencesOfMisfits: [String] {
    var sentences: [String] = []
    if state.rejected.count > 0 {
      let records = Wording.count(state.rejected.count, "record was", "records were")
      sentences.append("\(records) rejected\(state.rejected.clause)")
    }
    if !state.unreadSigns.emptied.isEmpty {
      sentences.append(Self.emptied(state.unreadSigns.emptied))
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

extension Walker {
  static func emptied(_ columns: [String]) -> String {
    "whole pages came without \(Wording.some(columns, 3)), which nearly all rows have"
  }
}

/// What a walk has seen of records that do not fit.
struct RejectedRecords: Sendable {
  /// Of each page once.
  private(set) var count = 0
  /// Pages in a row that hold nothing else.
  private(set) var run = 0
  private var reason: String?

  var clause: String { reason.map { " (\($0))" } ?? "" }

  func isAll(of counts: Counts) -> Bool { counts.rejected == counts.received }

  mutating func note(_ page: PageSummary) {
    let counts = page.counts
    if counts.received > counts.rejected { run = 0 } else if counts.rejected > 0 { run += 1 }
    count += counts.rejected
    noteReason(page)
  }

  /// A page that is read again: it may hold what does not fit where its first reading did not.
  mutating func noteAgain(_ page: PageSummary) {
    count = max(count, page.counts.rejected)
    noteReason(page)
  }

  /// Also of a record that the table has and its list has not, or without one of its nested entries.
  private mutating func noteReason(_ page: PageSummary) {
    reason = reason ?? page.rejectReason
    if page.rejectReason != nil { count = max(count, 1) }
  }
}
