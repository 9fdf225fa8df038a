public import Base

/// The fields of records that no column of a stream takes, each path once with an example.
public struct UnmappedFields {
  public struct Field: Sendable, Equatable {
    /// `owner.avatar_url`, `tags.*.name`
    public var path: String
    /// JSON, shortened.
    public var example: String
  }

  /// More paths than a person can read; if the names are data, there is no end of them.
  static let pathsMax = 500
  static let depthMax = 12
  static let recordsMax = 200

  private let taken: [[String]]
  /// Where nested lists are: something else there is a reject, and no field.
  private let lists: [[String]]
  public private(set) var fields: [Field] = []

  /// A path that was met, and what is known of it: records of one API have the same paths, so each
  /// is compared with the columns once.
  private final class Place {
    let path: [String]
    let isTaken: Bool
    /// A deeper path takes what may be there.
    let isOnTheWay: Bool
    var isListed = false
    private var places: [ExactText: Place] = [:]

    init(_ path: [String], _ taken: [[String]]) {
      self.path = path
      let near = taken.filter { UnmappedFields.agree($0, path) }
      // A column that takes an object takes everything in it.
      isTaken = near.contains { $0.count <= path.count }
      isOnTheWay = near.contains { $0.count > path.count }
    }

    func place(_ step: String, _ taken: [[String]]) -> Place {
      let name = ExactText(step)
      if let known = places[name] { return known }
      let new = Place(path + [step], taken)
      places[name] = new
      return new
    }
  }

  public init(of records: [JSONValue], stream: Stream) {
    taken = Self.taken(by: stream)
    lists = stream.children.map { child in
      Array(child.records.steps.reversed().drop { $0 == "*" }.reversed())
    }
    let root = Place([], taken)
    if stream.takesAll { return }
    // cut: records of one API have the same members
    for record in records.prefix(Self.recordsMax) { visit(record, root) }
  }

  private static func taken(by stream: Stream) -> [[String]] {
    let columns = stream.columns + (stream.membership?.columns ?? [])
    var paths = columns.flatMap(\.paths).map(\.steps)
    for child in stream.children {
      let front = child.records.steps
      for path in child.columns.flatMap(\.paths).map(\.steps) {
        // The nested list may be one object too.
        paths += [front + ["*"] + path, front + path]
      }
    }
    return paths
  }

  private mutating func visit(_ value: JSONValue, _ place: Place) {
    if place.isTaken || fields.count >= Self.pathsMax { return }
    if place.path.count < Self.depthMax, value.count > 0 {
      for member in value.members {
        visit(member.value, place.place(member.key.string ?? "", taken))
      }
      for element in value.elements { visit(element, place.place("*", taken)) }
      return
    }
    // What is missing or empty here is taken by a deeper path if it is there.
    if value.isNull || value.isObject || value.isArray, place.isOnTheWay { return }
    guard !place.path.isEmpty, !place.isListed, !lists.contains(place.path) else { return }
    place.isListed = true
    fields.append(Field(path: JSONPath.text(of: place.path), example: Self.example(value)))
  }

  /// Compares them as far as both reach.
  private static func agree(_ way: [String], _ path: [String]) -> Bool {
    zip(way, path).allSatisfy { $0 == "*" || $1 == "*" || $0.utf8.elementsEqual($1.utf8) }
  }

  private static func example(_ value: JSONValue) -> String {
    // cut: an example
    let text = String(decoding: value.json.prefix(400), as: UTF8.self)
    return text.shortened(to: 60)
  }
}
