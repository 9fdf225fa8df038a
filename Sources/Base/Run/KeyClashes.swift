/// Records that came with the key of another record but other values: one of the two is lost.
public struct KeyClashes: Hashable, Sendable {
  /// Within one page: an answer shows one instant, so they are two records. Or a record came as it
  /// had been before another list changed it: two records take the row from each other.
  public var onPage = 0
  /// Across pages of the walk, or lists of this run: the key is not unique, or the record changed in between. Or two
  /// records of an answer have an entry that they share otherwise.
  public var acrossPages = 0
  /// The first such key.
  public var example: String?

  public init(onPage: Int = 0, acrossPages: Int = 0, example: String? = nil) {
    (self.onPage, self.acrossPages, self.example) = (onPage, acrossPages, example)
  }

  /// Whether the key fails to distinguish records. Those of `onPage` are certain. Across pages a few may be
  /// records that changed and moved in between, but not many or all.
  /// - Parameter changedComeAgain: in this order of the list, changed records come again.
  public func areAmbiguous(of received: Int, changedComeAgain: Bool = false) -> Bool {
    onPage > 0
      || !changedComeAgain && acrossPages >= max(1, min(3, received))
        && acrossPages * 10 >= received
  }

  /// Whether they are certain, or too many to be explained by changes.
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
