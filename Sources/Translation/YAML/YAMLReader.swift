internal import Base
internal import CYAML

/// What is wrong with a YAML file or its manifest, and where.
struct YAMLProblem: Error, Sendable, Equatable, CustomStringConvertible {
  let line: Int
  let sentence: String

  var description: String { "line \(line): \(sentence)" }
}

/// Reads a YAML document with libyaml. A file may come from anywhere, so its size, its depth and the expansion of its
/// aliases are limited.
enum YAMLReader {
  static let bytesMax = 16_000_000
  static let depthMax = 100
  /// Nested aliases turn a few lines into millions.
  static let nodesMax = 1_000_000

  static func read(_ bytes: [UInt8]) throws(YAMLProblem) -> YAMLNode {
    guard bytes.count <= bytesMax else {
      throw YAMLProblem(line: 1, sentence: "it is larger than 16 MB")
    }
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else {
      throw YAMLProblem(line: 1, sentence: "there is no memory to read it")
    }
    defer { yaml_parser_delete(&parser) }
    let outcome: Result<YAMLNode, YAMLProblem> = bytes.withUnsafeBufferPointer { buffer in
      yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
      return withUnsafeMutablePointer(to: &parser) { parser in
        Result { () throws(YAMLProblem) in
          var building = Building(parser)
          return try building.document()
        }
      }
    }
    return try outcome.get()
  }
}

/// One reading: turns libyaml's events into nodes.
private struct Building {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private var anchors: [String: YAMLNode] = [:]
  private var nodes = 0

  init(_ parser: UnsafeMutablePointer<yaml_parser_t>) { self.parser = parser }

  private struct Event {
    enum Kind { case scalar(String, isPlain: Bool), alias(String), list, map, end, document, stop }
    var kind: Kind
    var anchor: String?
    var line: Int
  }

  mutating func document() throws(YAMLProblem) -> YAMLNode {
    var event = try next()
    guard case .document = event.kind else {
      throw YAMLProblem(line: event.line, sentence: "it is empty")
    }
    let root = try node(try next(), depth: 0)
    // What is wrong behind the end of the document shows only here.
    _ = try next()
    event = try next()
    guard case .stop = event.kind else {
      throw YAMLProblem(
        line: event.line, sentence: "a second document begins here, and only one is read")
    }
    return root
  }

  private mutating func node(_ event: Event, depth: Int) throws(YAMLProblem) -> YAMLNode {
    try check(depth, event.line)
    let node: YAMLNode
    switch event.kind {
    case .scalar(let text, let isPlain):
      node = YAMLNode(.scalar(text, isPlain: isPlain), line: event.line)
    case .alias(let name):
      guard let found = anchors[name] else {
        throw YAMLProblem(line: event.line, sentence: "*\(name) refers to nothing that was named")
      }
      try count(found.weight, event.line)
      try check(depth + found.depth, event.line)
      return found
    case .list:
      var entries: [YAMLNode] = []
      while let entry = try inner() { entries.append(try self.node(entry, depth: depth + 1)) }
      node = YAMLNode(.list(entries), line: event.line)
    case .map: node = YAMLNode(.map(try members(depth)), line: event.line)
    default: throw YAMLProblem(line: event.line, sentence: "a value is missing")
    }
    try count(1, event.line)
    if let anchor = event.anchor { anchors[anchor] = node }
    return node
  }

  private mutating func members(_ depth: Int) throws(YAMLProblem) -> [YAMLNode.Member] {
    var own: [YAMLNode.Member] = []
    var merged: [YAMLNode.Member] = []
    while let event = try inner() {
      guard case .scalar(let key, _) = event.kind else {
        throw YAMLProblem(line: event.line, sentence: "a key is not text")
      }
      let value = try node(try next(), depth: depth + 1)
      guard key == "<<" else {
        own.append(.init(key, value))
        continue
      }
      // Of a list of objects the first takes precedence.
      merged += (value.entries ?? [value]).reversed().flatMap { $0.members ?? [] }
    }
    // The last of equal keys counts, as in other readers of such files; explicit ones go before merged ones.
    var places: [ExactText: Int] = [:]
    var members: [YAMLNode.Member] = []
    for member in merged + own {
      if let at = places[ExactText(member.key)] {
        members[at] = member
      } else {
        places[ExactText(member.key)] = members.count
        members.append(member)
      }
    }
    return members
  }

  /// Nil at the end of a list or an object.
  private mutating func inner() throws(YAMLProblem) -> Event? {
    let event = try next()
    if case .end = event.kind { return nil }
    return event
  }

  private func check(_ depth: Int, _ line: Int) throws(YAMLProblem) {
    guard depth <= YAMLReader.depthMax else {
      throw YAMLProblem(line: line, sentence: "it is nested more than 100 levels deep")
    }
  }

  private mutating func count(_ more: Int, _ line: Int) throws(YAMLProblem) {
    nodes += more
    guard nodes <= YAMLReader.nodesMax else {
      throw YAMLProblem(
        line: line, sentence: "it holds more than a million values, with what its aliases repeat")
    }
  }

  private func next() throws(YAMLProblem) -> Event {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
      defer { yaml_event_delete(&event) }
      let line = event.start_mark.line + 1
      switch event.type {
      case YAML_SCALAR_EVENT:
        let scalar = event.data.scalar
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        return Event(
          kind: .scalar(
            String(decoding: bytes, as: UTF8.self),
            isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
          anchor: Self.name(scalar.anchor), line: line)
      case YAML_ALIAS_EVENT:
        return Event(kind: .alias(Self.name(event.data.alias.anchor) ?? ""), line: line)
      case YAML_SEQUENCE_START_EVENT:
        return Event(
          kind: .list, anchor: Self.name(event.data.sequence_start.anchor), line: line)
      case YAML_MAPPING_START_EVENT:
        return Event(kind: .map, anchor: Self.name(event.data.mapping_start.anchor), line: line)
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT, YAML_DOCUMENT_END_EVENT:
        return Event(kind: .end, line: line)
      case YAML_DOCUMENT_START_EVENT: return Event(kind: .document, line: line)
      case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return Event(kind: .stop, line: line)
      default: continue
      }
    }
  }

  private func problem() -> YAMLProblem {
    let words = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
    let isOfBytes = parser.pointee.error == YAML_READER_ERROR
    return YAMLProblem(
      line: (isOfBytes ? parser.pointee.mark.line : parser.pointee.problem_mark.line) + 1,
      sentence: "not YAML: \(words)")
  }

  private static func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    anchor.map { String(cString: $0) }
  }
}
