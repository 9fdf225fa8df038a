internal import Base

/// A question that an agent may ask: its arguments, and the form of the answer.
struct Tool: Sendable {
  let name: String
  let title: String
  let about: String
  let arguments: [ToolArgument]
  let answer: AnswerShape
  let perform: @Sendable (ToolCall) async throws -> ToolAnswer

  static func named(_ name: String) -> Tool? { all.first { $0.name == name } }

  /// Checks the arguments of a call.
  func check(_ values: JSONValue?) throws(ExitReport) {
    for member in values.map({ Array($0.members) }) ?? [] {
      let name = member.key.string ?? ""
      guard let argument = arguments.first(where: { $0.name == name }) else {
        throw ExitReport(
          .usage,
          "\(self.name) has no argument \"\(name.shown)\""
            + Suggestion.clauseOrList(for: name, in: arguments.map(\.name)))
      }
      if !member.value.isNull { try argument.check(member.value) }
    }
    for argument in arguments where argument.isNeeded && values?[argument.name]?.isNull ?? true {
      throw ExitReport(.usage, "\"\(argument.name)\" is missing: \(argument.about)")
    }
  }

  var json: JSONObject {
    [
      "name": name, "title": title, "description": about,
      "inputSchema": [
        "type": "object", "properties": JSONObject(arguments.map { ($0.name, $0.json) }),
        "required": arguments.filter(\.isNeeded).map(\.name), "additionalProperties": false,
      ] as JSONObject,
      "outputSchema": answer.json,
      "annotations": [
        "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
        "openWorldHint": false,
      ] as JSONObject,
    ]
  }
}

struct ToolArgument: Sendable {
  enum Kind: Sendable, Equatable {
    case text
    /// A text or a whole number.
    case key
    case words
    case count(most: Int, usual: Int)
  }

  let name: String
  let kind: Kind
  let about: String
  var isNeeded = false

  /// What is expected, in words.
  private var expectation: String {
    switch kind {
    case .text: "a text"
    case .key: "a text or a whole number"
    case .words: "a list of texts"
    case .count(let most, _): "a whole number from 1 to \(most)"
    }
  }

  fileprivate var json: JSONObject {
    var members: [(String, (any JSONWritable)?)] = [("description", about)]
    switch kind {
    case .text: members.append(("type", "string"))
    case .key: members.append(("type", ["string", "integer"]))
    case .words:
      members += [("type", "array"), ("items", ["type": "string"] as JSONObject), ("minItems", 1)]
    case .count(let most, let usual):
      members += [("type", "integer"), ("minimum", 1), ("maximum", most), ("default", usual)]
    }
    return JSONObject(members)
  }

  fileprivate func check(_ value: JSONValue) throws(ExitReport) {
    let fits =
      switch kind {
      case .text: value.isString
      case .key: value.isString || value.integer != nil
      case .words: value.isArray && value.elements.allSatisfy(\.isString)
      case .count(let most, _): value.integer.map { (1...Int64(most)).contains($0) } ?? false
      }
    if !fits { throw ExitReport(.usage, "\"\(name)\" is \(expectation): \(about)") }
  }
}

/// The form of an answer as JSON Schema. All members are always present.
struct AnswerShape: Sendable {
  let json: JSONObject

  static let text = AnswerShape(json: ["type": "string"])
  static let maybeText = AnswerShape(json: ["type": ["string", "null"]])
  static let whole = AnswerShape(json: ["type": "integer"])
  static let maybeWhole = AnswerShape(json: ["type": ["integer", "null"]])
  static let flag = AnswerShape(json: ["type": "boolean"])
  static let anything = AnswerShape(json: [:])
  /// An object with any members.
  static let map = AnswerShape(json: [
    "type": "object", "additionalProperties": JSONObject([]),
  ])

  static func list(_ element: AnswerShape) -> AnswerShape {
    AnswerShape(json: ["type": "array", "items": element.json])
  }

  static func object(_ members: KeyValuePairs<String, AnswerShape>) -> AnswerShape {
    AnswerShape(json: [
      "type": "object", "properties": JSONObject(members.map { ($0.key, $0.value.json) }),
      "required": members.map(\.key),
    ])
  }
}

/// A tool's answer: sentences first, as they are read first, then everything as values.
struct ToolAnswer: Sendable {
  var sentences: [String]
  var object: JSONObject
}
