public import JSON
public import Model

/// The fields of the records that no column of a stream takes, each path once with a value as an
/// example.
public struct UnmappedFields {
  public struct Field: Sendable, Equatable {
    /// `owner.avatar_url`, `tags.*.name`
    public var path: String
    /// JSON, shortened.
    public var example: String
  }

  /// More paths than a person can read; an API whose keys are data has endless ones.
  static let pathsMax = 500
  static let depthMax = 12
  static let recordsMax = 200

  private let taken: [[String]]
  public private(set) var fields: [Field] = []
  private var seen: Set<[String]> = []

  public init(of records: [JSONValue], stream: Stream) {
    taken = Self.taken(by: stream)
    // cut: records of one API have the same members
    for record in records.prefix(Self.recordsMax) { visit(record, []) }
  }

  private static func taken(by stream: Stream) -> [[String]] {
    var paths = paths(of: stream.columns) + paths(of: stream.membership?.columns ?? [])
    for child in stream.children {
      let front = child.records.steps
      for path in self.paths(of: child.columns) {
        // The nested list may be one object too.
        paths += [front + ["*"] + path, front + path]
      }
    }
    return paths
  }

  private static func paths(of columns: [Column]) -> [[String]] {
    columns.flatMap { column -> [[String]] in
      guard case .paths(let paths) = column.source else { return [] }
      return paths.map(\.steps)
    }
  }

  private mutating func visit(_ value: JSONValue, _ path: [String]) {
    if isTaken(path) || fields.count >= Self.pathsMax { return }
    if path.count < Self.depthMax, value.count > 0 {
      for member in value.members { visit(member.value, path + [member.key.string ?? ""]) }
      for element in value.elements { visit(element, path + ["*"]) }
      return
    }
    // What is missing here is taken by a deeper path where it is there.
    if value.isNull, taken.contains(where: { Self.agree($0, path) && $0.count > path.count }) {
      return
    }
    guard !path.isEmpty, seen.insert(path).inserted else { return }
    fields.append(Field(path: path.joined(separator: "."), example: Self.example(value)))
  }

  /// A column that takes an object takes all that is in it.
  private func isTaken(_ path: [String]) -> Bool {
    taken.contains { $0.count <= path.count && Self.agree($0, path) }
  }

  /// As far as both of them reach.
  private static func agree(_ way: [String], _ path: [String]) -> Bool {
    zip(way, path).allSatisfy { $0 == "*" || $1 == "*" || $0.utf8.elementsEqual($1.utf8) }
  }

  private static func example(_ value: JSONValue) -> String {
    // cut: an example
    let text = String(decoding: value.json.prefix(400), as: UTF8.self)
    return text.shortened(to: 60)
  }
}
