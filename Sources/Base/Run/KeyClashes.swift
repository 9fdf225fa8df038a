/// Records that came with the key of another record, and with other values: one of the two is lost.
public struct KeyClashes: Hashable, Sendable {
  /// Of the same page: one answer shows one instant, so they are two records.
  public var onPage = 0
  /// Of an earlier page of the walk, or of another list that this run has read: the key is not unique,
  /// or the record changed in between.
  public var acrossPages = 0
  /// The key of the first of them.
  public var example: String?

  public init() {}

  /// Whether the key does not distinguish records. Two records on one page are certain. Across
  /// pages a few may be records that changed in between and moved; many of them, or all, are not.
  /// - Parameter changedComeAgain: by the order of the list, a changed record comes again.
  public func areAmbiguous(of received: Int, changedComeAgain: Bool = false) -> Bool {
    onPage > 0
      || !changedComeAgain && acrossPages >= max(1, min(3, received))
        && acrossPages * 10 >= received
  }

  /// They are certain, or so many that no change in between explains them.
  public func areOfMost(of received: Int) -> Bool { onPage > 0 || acrossPages * 2 >= received }

  public var sentence: String {
    let count = Wording.count(onPage + acrossPages, "record")
    let example = example.map { " (\($0))" } ?? ""
    return "\(count) came with the key of another one\(example): the key does not distinguish them"
  }

  public static func += (left: inout KeyClashes, right: KeyClashes) {
    left.onPage += right.onPage
    left.acrossPages += right.acrossPages
    left.example = left.example ?? right.example
  }
}
