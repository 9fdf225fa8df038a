/// How an API is asked of one record whether it is still in its list. Such an answer proves this one
/// case, whatever the walk of the list could prove.
public struct Confirmation: Sendable, Equatable {
  /// `{record.login}` in an address is the record's own column, `{login}` a value of the list's
  /// request.
  public static let record = "record."

  /// An address behind the job's base.
  public struct Question: Sendable, Equatable {
    public var path: Template
    public var query: [QueryItem]

    public init(path: Template, query: [QueryItem] = []) {
      self.path = path
      self.query = query
    }

    public var holes: [String] { path.holes + query.flatMap(\.value.holes) }
  }

  /// 2xx: it is still there. 404 and 410: it is gone. Anything else says nothing.
  public var question: Question
  /// Where the answer holds the record, for an API that answers 200 with an empty list: an empty one
  /// there says that it is gone. Nil: the status alone says.
  public var records: JSONPath?
  /// Asked before: the record by what never changes, for values that it may have changed since it was
  /// stored. What is not there (404, 410) is gone from every list.
  public var lookup: Question?
  /// Column to its place in the answer of the lookup: they take the place of what is stored.
  public var renewed: [String: JSONPath]

  public init(
    _ question: Question, records: JSONPath? = nil, lookup: Question? = nil,
    renewed: [String: JSONPath] = [:]
  ) {
    self.question = question
    self.records = records
    self.lookup = lookup
    self.renewed = renewed
  }

  /// The record's columns that the addresses need, in order, each once.
  public var columns: [String] {
    var names: [String] = []
    for hole in (lookup?.holes ?? []) + question.holes where hole.hasPrefix(Self.record) {
      let name = String(hole.dropFirst(Self.record.count))
      if !names.contains(name) { names.append(name) }
    }
    return names
  }
}
