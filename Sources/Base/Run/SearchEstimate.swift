/// How much a search has to show, by how far two walks of the same windows brought the same: of those
/// that are marked, the share that is caught again.
public struct SearchEstimate: Sendable, Equatable {
  /// Keys of all walks but the last.
  public var before: Int
  /// Keys of the last one.
  public var again: Int
  /// Those that are both.
  public var both: Int

  public init(before: Int = 0, again: Int = 0, both: Int = 0) {
    self.before = before
    self.again = again
    self.both = both
  }

  public static func += (sum: inout SearchEstimate, other: SearchEstimate) {
    sum.before += other.before
    sum.again += other.again
    sum.both += other.both
  }

  /// Keys that any of the walks brought.
  var known: Int { before + again - both }

  /// As many as there are to be shown; nil: the walks had nothing in common, so nothing is known.
  public var records: Int? {
    guard both > 0 else { return before + again == 0 ? 0 : nil }
    return max(known, Int((Double(before) * Double(again) / Double(both)).rounded()))
  }

  /// For a person: `walked again, 240 of 300 came again: it shows about 375, of which 360 came`.
  public var text: String {
    let overlap =
      "walked again, \(Wording.number(both)) of \(Wording.number(again)) had come before"
    guard let records else { return overlap + ": nothing says how much it shows" }
    return overlap + ": it shows about \(Wording.number(records)), of which "
      + "\(Wording.number(known)) came (an estimate)"
  }
}
