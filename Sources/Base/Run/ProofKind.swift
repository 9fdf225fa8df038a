/// What shows that a walk brought every record that was in its list from the first request to the
/// last: the strongest first. A list is `complete` only with one of them. `Sources/README.md` has the table
/// with what each presumes.
public enum ProofKind: String, Sendable, CaseIterable {
  /// The whole list came in one answer, and the sign that more follow is known to work.
  case oneAnswer = "one answer"
  /// The next page begins behind the last record received, by an order that the job declares.
  case anchored
  /// In such an order each page holds a record of the page before, and the end is an empty place.
  case orderedOverlap = "overlap with order"
  /// Each page begins right after the record that the one before ended with, and the end is an empty
  /// place after the last record.
  case overlap
  /// A counted total, the same in every answer, equals the distinct keys; page 1 did not move.
  case counted
  /// A number that changes whenever a record comes or goes was the same in every answer; no key came
  /// twice, and page 1 did not move.
  case steady
  /// The last page, requested right after page 1, and page 1, requested again at the end, held the
  /// same keys as in the walk; no key came twice.
  case ends
  /// Two walks in a row returned the same keys in the same order, page by page, none twice.
  case twice
  /// The front of the list down to records of a stretch that is proven.
  case joined

  /// What it holds against.
  public var firmness: Firmness {
    switch self {
    case .oneAnswer, .anchored, .orderedOverlap: .anyChanges
    case .overlap, .counted, .steady: .oneChangeInEachGap
    case .ends, .twice, .joined: .oneChange
    }
  }
}

/// How much of a list may change between its requests, and a proof still holds.
public enum Firmness: Int, Sendable {
  /// One record in all comes, goes or moves, and none that left comes back.
  case oneChange
  /// One record does so between any two requests.
  case oneChangeInEachGap
  case anyChanges
}
