/// A declared column that no record fills, or whose values do not fit its type.
public struct ColumnFinding: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// No record has the member; the nearest one that they have.
    case missing(nearest: String?)
    /// The member exists, but counts as absent in each record.
    case empty
    case misfits(Int, reason: String, example: String)
  }

  public var stream: String
  /// Its name in the job file: `title`, or `comments.body` in a nested list.
  public var column: String
  /// Where its values are expected.
  public var path: String
  /// The type that its values are read as; nil: a nested list.
  public var type: String?
  /// The number of records, nested entries or values that were examined.
  public var count: Int
  public var kind: Kind

  public init(
    stream: String, column: String, path: String, type: String?, count: Int, kind: Kind
  ) {
    self.stream = stream
    self.column = column
    self.path = path
    self.type = type
    self.count = count
    self.kind = kind
  }

  /// `no record has "titel"; did you mean "title"?`
  public var reason: String {
    switch kind {
    case .missing(let nearest):
      "no record has \"\(path)\"" + (nearest.map(Suggestion.clause) ?? "")
    case .empty: "\"\(path)\" has no value in any of \(Wording.number(count)) records"
    case .misfits(let misfits, let reason, let example):
      (count == 1
        ? "the only value of \"\(path)\" does"
        : "\(Wording.number(misfits)) of the first \(Wording.count(count, "value")) of \"\(path)\" "
          + (misfits == 1 ? "does" : "do"))
        + " not fit: \(reason): \(example)"
    }
  }

  public var sentence: String { "\(stream): \(column): \(reason)" }
}
