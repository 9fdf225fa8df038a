/// A compiled path to values within a value: `snippet.thumbnails.high.url`, `items.0.id`, `error.details.*.reason`,
/// `"key.with.dots".x`, and `.` (or nothing) for the value itself.
///
/// A whole number is the position in a list, or the key of an object. `*` means every element or member. In a list,
/// `items[-1]` is the last element, and `links[rel=next]` the first one whose `rel` is `next`. Lookups allocate
/// nothing.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
  /// More segments than this are refused; it also bounds the recursion of a lookup.
  static let segmentsMax = 64

  enum Segment: Sendable, Hashable {
    /// The key's bytes; keys are compared as bytes.
    case key([UInt8])
    /// A position, and the same digits as a key.
    case number(Int, [UInt8])
    case every
    /// The last element of a list.
    case last
    /// The first element of a list that has this member with this text.
    case chosen([UInt8], is: [UInt8])

    var step: String {
      switch self {
      case .key(let bytes), .number(_, let bytes): String(decoding: bytes, as: UTF8.self)
      case .every: "*"
      case .last: "[-1]"
      case .chosen(let key, let value):
        "[\(String(decoding: key, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))]"
      }
    }
  }

  let segments: [Segment]
  /// The path as it was written.
  public let text: String
  /// The path is a column's name; the member may have another one.
  public private(set) var isColumnName = false

  public init(_ text: String) throws(JSONPathError) {
    self.text = text
    var parser = JSONPathParser(text)
    segments = try parser.parse()
  }

  /// A stretch of the way: `path[..<2]` are its first two steps.
  public subscript(steps: some RangeExpression<Int>) -> JSONPath {
    JSONPath(segments: Array(segments[steps.relative(to: segments)]))
  }

  private init(segments: [Segment]) {
    self.segments = segments
    text = Self.text(of: segments.map(\.step))
  }

  /// The same path, marked as a column's name.
  public var asColumnName: JSONPath {
    var path = self
    path.isColumnName = true
    return path
  }

  /// Two spellings of the same path are equal.
  public static func == (one: JSONPath, other: JSONPath) -> Bool { one.segments == other.segments }

  public func hash(into hasher: inout Hasher) { hasher.combine(segments) }

  public var description: String { text }

  /// The path leads to the value itself.
  public var isEmpty: Bool { segments.isEmpty }

  /// The path ends with `*`.
  public var endsEverywhere: Bool { segments.last == .every }

  /// The path may lead to more than one value.
  public var hasWildcard: Bool { segments.contains(.every) }
}

/// What is wrong with the text of a path, and where.
public struct JSONPathError: Error, Sendable, Equatable, CustomStringConvertible {
  let path: String
  /// In characters, from 0.
  let offset: Int
  /// What is wrong and what would be right.
  let message: String

  public var description: String { "path \"\(path)\", character \(offset + 1): \(message)" }
}
