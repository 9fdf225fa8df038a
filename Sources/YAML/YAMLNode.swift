/// A value of a YAML document, with the line where it begins.
public struct YAMLNode: Sendable, Equatable {
  public struct Member: Sendable, Equatable {
    public let key: String
    public let value: YAMLNode

    public init(_ key: String, _ value: YAMLNode) {
      self.key = key
      self.value = value
    }
  }

  public enum Content: Sendable, Equatable {
    /// A plain one may be a number, a boolean or null; a quoted one is a text.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case map([Member])
  }

  public let content: Content
  public let line: Int
  /// Nodes in all, itself included: what an alias repeats is counted again.
  let weight: Int
  /// Levels below it, those of its aliases included.
  let depth: Int

  public init(_ content: Content, line: Int) {
    self.content = content
    self.line = line
    let inner: [YAMLNode] =
      switch content {
      case .scalar: []
      case .list(let entries): entries
      case .map(let members): members.map(\.value)
      }
    weight = inner.reduce(1) { $0 &+ $1.weight }
    depth = inner.reduce(-1) { max($0, $1.depth) } + 1
  }

  public static func text(_ text: String, line: Int = 0) -> YAMLNode {
    YAMLNode(.scalar(text, isPlain: false), line: line)
  }

  public static func map(_ members: [Member], line: Int = 0) -> YAMLNode {
    YAMLNode(.map(members), line: line)
  }

  // MARK: reading

  /// Nil of what is no object.
  public var members: [Member]? { if case .map(let members) = content { members } else { nil } }
  /// Nil of what is no list.
  public var entries: [YAMLNode]? { if case .list(let list) = content { list } else { nil } }

  public subscript(_ key: String) -> YAMLNode? {
    // The last of two keys counts, as it does for others who read such files.
    guard let found = members?.last(where: { $0.key == key })?.value, !found.isNull else {
      return nil
    }
    return found
  }

  public subscript(_ path: String...) -> YAMLNode? {
    var node: YAMLNode? = self
    for key in path { node = node?[key] }
    return node
  }

  public var isNull: Bool {
    guard case .scalar(let text, true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// A scalar as it is written; nil of null.
  public var text: String? {
    guard case .scalar(let text, _) = content, !isNull else { return nil }
    return text
  }

  public var boolean: Bool? {
    guard case .scalar(let text, true) = content else { return nil }
    return switch text.lowercased() {
    case "true", "yes", "on": true
    case "false", "no", "off": false
    default: nil
    }
  }

  public var integer: Int? { text.flatMap { Int($0) } }

  public var isNumber: Bool {
    guard case .scalar(let text, true) = content else { return false }
    return Int(text) != nil || Double(text) != nil
  }
}
