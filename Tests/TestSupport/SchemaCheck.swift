public import Base

/// Checks a document against a JSON schema, draft 7, as far as this repository's schemas use it. Stricter in one thing:
/// a member that the schema does not describe is a problem, so that nothing stays undocumented.
public struct SchemaCheck {
  private let root: JSONValue
  private var found: [String] = []

  /// Each with its place in the document; empty if all is as described.
  public static func problems(_ document: JSONValue, schema: JSONValue) -> [String] {
    var check = SchemaCheck(root: schema)
    check.visit(document, schema, "$")
    return check.found
  }

  private init(root: JSONValue) { self.root = root }

  private mutating func visit(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
    if let reference = schema["$ref"]?.string {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      guard let target = root["definitions"]?[name] else {
        found.append("the schema refers to \(reference), which is not there")
        return
      }
      return visit(value, target, place)
    }
    if let choices = schema["anyOf"]?.elements {
      let fits = choices.contains { choice in
        var one = SchemaCheck(root: root)
        one.visit(value, choice, place)
        return one.found.isEmpty
      }
      if !fits { found.append("\(place) fits none of the choices") }
      return
    }
    checkType(value, schema, place)
    checkValue(value, schema, place)
    if value.isObject { visitMembers(value, schema, place) }
    if let items = schema["items"] {
      for (index, element) in value.elements.enumerated() {
        visit(element, items, "\(place)[\(index)]")
      }
    }
  }

  private mutating func checkType(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
    guard let type = schema["type"] else { return }
    let names = type.string.map { [$0] } ?? type.elements.compactMap(\.string)
    let fits = names.contains { name in
      switch name {
      case "object": value.isObject
      case "array": value.isArray
      case "string": value.isString
      case "integer": value.integer != nil
      case "number": value.isNumber
      case "boolean": value.boolean != nil
      case "null": value.isNull
      default: false
      }
    }
    if !fits { found.append("\(place) is no \(names.joined(separator: " or "))") }
  }

  private mutating func checkValue(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
    if let choices = schema["enum"]?.elements, !choices.contains(where: { $0.json == value.json }) {
      found.append("\(place) is none of the words that may stand there")
    }
    if let only = schema["const"], only.json != value.json { found.append("\(place) is another") }
    if let least = schema["minimum"]?.real, let number = value.real, number < least {
      found.append("\(place) is less than \(least)")
    }
    if let most = schema["maximum"]?.real, let number = value.real, number > most {
      found.append("\(place) is more than \(most)")
    }
    if let pattern = schema["pattern"]?.string, let text = value.string {
      // A pattern that does not compile matches nothing, which is reported.
      let expression = try? Regex(pattern)
      if (expression.flatMap { try? $0.firstMatch(in: text) }) == nil {
        found.append("\(place) does not look as it should: \(text)")
      }
    }
  }

  private mutating func visitMembers(_ value: JSONValue, _ schema: JSONValue, _ place: String) {
    for name in schema["required"]?.elements.compactMap(\.string) ?? [] where value[name] == nil {
      found.append("\(place).\(name) is missing")
    }
    for member in value.members {
      let name = member.key.string ?? ""
      if let inner = schema["properties"]?[name] {
        visit(member.value, inner, "\(place).\(name)")
      } else if let inner = schema["additionalProperties"], inner.isObject {
        visit(member.value, inner, "\(place).\(name)")
      } else {
        found.append("\(place).\(name) is not described")
      }
    }
  }
}
