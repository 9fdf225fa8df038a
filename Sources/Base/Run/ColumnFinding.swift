/// A column that the records of its stream do not fill, or whose values do not fit its type.
public struct ColumnFinding: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// No record has a member there; the nearest that they have.
    case missing(nearest: String?)
    /// The member is there, and means absent in each record.
    case empty
    case misfits(Int, reason: String, example: String)
  }

  public var stream: String
  /// As the job file names it: `title`, `comments.body` of a nested list.
  public var column: String
  /// Where its values are expected.
  public var path: String
  /// What its values are read as; nil: a nested list.
  public var type: String?
  /// The records, or entries of a nested list, that were looked at, or whose values were.
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
