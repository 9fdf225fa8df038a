/// What shows that a walk has every record that was in its list from the first request to the last, the strongest
/// first. A list is `complete` only with one of them. `Sources/README.md` says what each presumes.
public enum ProofKind: String, Sendable, CaseIterable {
  /// The whole list came in one answer, and the sign of more is known to work.
  case oneAnswer = "one answer"
  /// Each page begins after the last record received, in an order that the job declares.
  case anchored
  /// In such an order each page repeats a record of the page before, and nothing follows the last one.
  case orderedOverlap = "overlap with order"
  /// Each page begins with the last record of the page before, and nothing follows the last one.
  case overlap
  /// A counted total, the same in every answer, equals the distinct keys; page 1 did not move.
  case counted
  /// A number that changes whenever a record comes or goes was the same in every answer; no key came twice, and page 1
  /// did not move.
  case steady
  /// The last page, requested right after page 1, and page 1, requested again at the end, held the same keys as in the
  /// walk; no key came twice.
  case ends
  /// Two walks in a row returned the same keys in the same order, page by page, none twice.
  case twice
  /// New records down to a stretch that is already proven.
  case joined

  /// It holds though a record comes, goes or moves between any two requests. Else only one in all may do so, and none
  /// that left may return.
  public var holdsInEachGap: Bool {
    switch self {
    case .oneAnswer, .anchored, .orderedOverlap, .overlap, .counted, .steady: true
    case .ends, .twice, .joined: false
    }
  }
}
