internal import Base

/// A value of a YAML document, with the line where it begins.
struct YAMLNode: Sendable, Equatable {
  struct Member: Sendable, Equatable {
    let key: String
    let value: YAMLNode

    init(_ key: String, _ value: YAMLNode) {
      self.key = key
      self.value = value
    }
  }

  enum Content: Sendable, Equatable {
    /// A plain one may be a number, a boolean or null; a quoted one is always text.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case map([Member])
  }

  let content: Content
  let line: Int
  /// Number of nodes, itself included; aliases count each time.
  let weight: Int
  /// Levels below it, including those of aliases.
  let depth: Int
  /// Whether a reader looked it up; nil: not tracked.
  let isRead: Locked<Bool>?

  init(_ content: Content, line: Int, isCounted: Bool = false) {
    self.content = content
    self.line = line
    isRead = isCounted ? Locked(false) : nil
    let inner: [YAMLNode] =
      switch content {
      case .scalar: []
      case .list(let entries): entries
      case .map(let members): members.map(\.value)
      }
    weight = inner.reduce(1) { $0 &+ $1.weight }
    depth = inner.reduce(-1) { max($0, $1.depth) } + 1
  }

  static func map(_ members: [Member]) -> YAMLNode { YAMLNode(.map(members), line: 0) }

  // MARK: reading

  /// Nil if it is not an object. Marks every member as read.
  var members: [Member]? {
    guard case .map(let members) = content else { return nil }
    for member in members { member.value.note() }
    return members
  }
  /// Nil if it is not a list.
  var entries: [YAMLNode]? { if case .list(let list) = content { list } else { nil } }

  /// The scalars among its entries.
  var texts: [String] { (entries ?? []).compactMap(\.text) }

  subscript(_ key: String) -> YAMLNode? {
    guard case .map(let members) = content,
      let found = members.first(where: { $0.key == key })?.value, !found.isNull
    else { return nil }
    found.note()
    return found
  }

  subscript(_ path: String...) -> YAMLNode? {
    var node: YAMLNode? = self
    for key in path { node = node?[key] }
    return node
  }

  private func note() { isRead?.withLock { $0 = true } }

  /// Equal content, wherever it is written.
  static func == (one: YAMLNode, other: YAMLNode) -> Bool { one.content == other.content }

  var isNull: Bool {
    guard case .scalar(let text, true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// A scalar as written; nil for null.
  var text: String? {
    guard case .scalar(let text, _) = content, !isNull else { return nil }
    return text
  }

  var boolean: Bool? {
    guard case .scalar(let text, true) = content else { return nil }
    return switch text.lowercased() {
    case "true", "yes", "on": true
    case "false", "no", "off": false
    default: nil
    }
  }

  /// Written as in Python or JSON: its texts are in quotes.
  var isLiteral: Bool {
    switch content {
    case .scalar(let text, let isPlain):
      !isPlain || isNumber || ["true", "false", "none", "null"].contains(text.lowercased())
    case .list(let entries): entries.allSatisfy(\.isLiteral)
    case .map(let members): members.allSatisfy(\.value.isLiteral)
    }
  }

  var integer: Int? { text.flatMap { Int($0) } }

  var isNumber: Bool {
    // `inf` and `nan` are words.
    guard case .scalar(let text, true) = content else { return false }
    return Double(text)?.isFinite ?? false
  }
}

extension YAMLNode {
  /// The document as JSON. A plain scalar without a JSON equivalent becomes text.
  var json: String {
    var writer = JSONWriter(pretty: true)
    write(to: &writer)
    writer.newline()
    return writer.text
  }

  private func write(to writer: inout JSONWriter) {
    switch content {
    case .map(let members):
      writer.object { writer in
        for member in members {
          writer.key(member.key)
          member.value.write(to: &writer)
        }
      }
    case .list(let entries):
      writer.array { writer in for entry in entries { entry.write(to: &writer) } }
    case .scalar(let text, let isPlain):
      switch text.lowercased() {
      case _ where !isPlain: writer.string(text)
      case _ where isNull: writer.null()
      case "true": writer.boolean(true)
      case "false": writer.boolean(false)
      default: if Self.isNumber(text) { writer.number(text) } else { writer.string(text) }
      }
    }
  }

  /// A JSON number: `007` and `.5` are not.
  private static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, first == 45 || (48...57).contains(first) else {
      return false
    }
    // A text that is no document is no number.
    return (try? JSONDocument.read(Array(text.utf8)))?.root.isNumber ?? false
  }
}
