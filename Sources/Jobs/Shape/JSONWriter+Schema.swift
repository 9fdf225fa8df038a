internal import Base

/// The shapes in the words of JSON Schema, as far as those go.
extension JSONWriter {
  mutating func reference(to shape: ObjectShape) {
    member("$ref", "#/definitions/\(shape.name)")
  }

  mutating func describe(_ shape: ObjectShape) {
    member("type", "object")
    member("description", shape.about)
    member("additionalProperties", false)
    let required = shape.keys.filter(\.isRequired).map(\.name)
    if let standIn = shape.standIn {
      let left = required.filter { !standIn.spared.contains($0) }
      array("anyOf") { writer in
        writer.object { $0.require(required) }
        writer.object { $0.require(left + [standIn.key]) }
      }
    } else if !required.isEmpty {
      require(required)
    }
    object("properties") { writer in
      for key in shape.keys {
        writer.object(key.name) { writer in
          let without = key.without.map { " (without it: \($0))" } ?? ""
          writer.member("description", key.about + without)
          writer.describe(key.shape)
        }
      }
    }
  }

  private mutating func require(_ names: [String]) {
    array("required") { writer in
      for name in names { writer.string(name) }
    }
  }

  /// Members of the object that is open.
  private mutating func describe(_ shape: Shape) {
    switch shape {
    case .text(let form):
      member("type", "string")
      describe(form)
    case .integer(let range):
      member("type", "integer")
      member("minimum", range.lowerBound)
      member("maximum", range.upperBound)
    case .boolean: member("type", "boolean")
    case .scalar(let form):
      array("type") { writer in
        for name in ["string", "number", "boolean"] { writer.string(name) }
      }
      describe(form)
    case .value: break
    case .list(let inner, let count):
      member("type", "array")
      if count.lowerBound > 0 { member("minItems", count.lowerBound) }
      member("maxItems", count.upperBound)
      object("items") { $0.describe(inner) }
    case .object(let shape):
      // Beside a reference other members do not count in this draft.
      array("allOf") { writer in writer.object { $0.reference(to: shape) } }
    case .map(let key, let inner, let count):
      member("type", "object")
      if count.lowerBound > 0 { member("minProperties", count.lowerBound) }
      member("maxProperties", count.upperBound)
      if let pattern = key.schemaPattern {
        object("propertyNames") { $0.member("pattern", pattern) }
      }
      object("additionalProperties") { $0.describe(inner) }
    case .either(let shapes):
      array("anyOf") { writer in
        for shape in shapes {
          writer.object { $0.describe(shape) }
        }
      }
    }
  }

  private mutating func describe(_ form: TextForm) {
    if case .choice(let words) = form {
      array("enum") { writer in
        for word in words { writer.string(word) }
      }
    } else if let pattern = form.schemaPattern {
      member("pattern", pattern)
    }
  }
}

extension TextForm {
  /// What a regular expression can say of the form; nil where it can say nothing.
  var schemaPattern: String? {
    switch self {
    case .jobName: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
    case .name, .sqlName: "^[a-z][a-z0-9_]{0,62}$"
    case .queryName: "^[^&=#?{}\\s]+$"
    case .base, .page: "^https?://"
    case .secretName: "^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
    case .secret: "^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}( \\$[A-Za-z_][A-Za-z0-9_]{0,63})?$"
    case .duration: "^(\(DurationText.schemaPattern))$"
    case .size: "^[0-9]{1,18}(KB|MB|GB|TB)$"
    case .windowForm:
      "^(time|time\\(3\\)|seconds|milliseconds|plain in UTC|(date|compact)( in [A-Za-z0-9_+/-]+)?)$"
    case .action:
      "^(fatal|key|skip|end|cap|empty|restart|gap|retry( [0-9]\\S*)?|defer( [a-z]\\S*)?( [0-9]\\S*)?)$"
    case .requestPath, .health: "^/"
    case .each: "^[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$"
    case .total: "^.+ (counted|steady|estimate|none)$"
    case .order: "^[a-z][a-z0-9_]* (rising|falling)$"
    case .when: "^(new|changed|all|run|stale (\(DurationText.schemaPattern)))$"
    case .status: "^([1-5]xx|[1-5][0-9][0-9](-[1-5][0-9][0-9])?)$"
    default: nil
    }
  }
}
