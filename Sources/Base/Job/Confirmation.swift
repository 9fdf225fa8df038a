/// How to ask an API whether one record is still in its list. Such an answer is a proof for this record, whatever the
/// walk of the list could prove.
public struct Confirmation: Sendable, Equatable {
  /// `{record.login}` in an address is the record's own column, `{login}` a value of the list's
  /// request.
  public static let record = "record."

  /// An address relative to the job's base.
  public struct Question: Sendable, Equatable {
    public var path: Template
    public var query: [QueryItem]

    public init(path: Template, query: [QueryItem] = []) {
      self.path = path
      self.query = query
    }

    public var holes: [String] { path.holes + query.flatMap(\.value.holes) }
  }

  /// 2xx: it is still there. 404 and 410: it is gone. Anything else is no answer.
  public var question: Question
  /// Where the answer holds the record, for an API that answers 200 with an empty list: an empty list there means gone.
  /// Nil: the status alone decides.
  public var records: JSONPath?
  /// Requested first: the record by a value that never changes, for values that may have changed since it was stored.
  /// If it is missing (404, 410), it is gone from every list.
  public var lookup: Question?
  /// Columns and their place in the answer of the lookup; they replace what is stored.
  public var renewed: [String: JSONPath] = [:]

  public init(_ question: Question, records: JSONPath? = nil) {
    self.question = question
    self.records = records
  }

  /// The record's columns that the addresses need, in order, each once.
  public var columns: [String] {
    let holes = ((lookup?.holes ?? []) + question.holes).filter { $0.hasPrefix(Self.record) }
    return holes.map { String($0.dropFirst(Self.record.count)) }.eachOnce
  }
}
