@testable import Base
@testable import Jobs

/// The language of job files for those who write them, as a JSON Schema for editors: `jobs/job.schema.json`.
enum JobSchema {
  static var text: String {
    var writer = JSONWriter(pretty: true)
    writer.object { writer in
      writer.member("$schema", "http://json-schema.org/draft-07/schema#")
      writer.member("title", "A job file of Trawl")
      writer.array("allOf") { writer in writer.object { $0.reference(to: JobShape.job) } }
      writer.object("definitions") { writer in
        for shape in JobShape.objects {
          writer.object(shape.name) { $0.describe(shape) }
        }
      }
    }
    writer.newline()
    return writer.text
  }

  private static let name = "^[a-z][a-z0-9_]{0,62}$"
  private static let duration = "0|(?=[0-9])([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?"
  private static let secret = "^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}"

  /// What a regular expression can say of a form, by the form's words; the others say nothing.
  fileprivate static let patterns: [String: String] = {
    let known: [(TextForm, String)] = [
      (.jobName, "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"), (.name, name), (.sqlName, name),
      (.queryName, "^[^&=#?{}\\s]+$"), (.base, "^https?://"), (.page, "^https?://"),
      (.secretName, "\(secret)$"),
      (.secret, "\(secret)( \\$[A-Za-z_][A-Za-z0-9_]{0,63})?$"), (.duration, "^(\(duration))$"),
      (.size, "^[0-9]{1,18}(KB|MB|GB|TB)$"),
      (
        .windowForm,
        "^(time|time\\(3\\)|seconds|milliseconds|plain in UTC|(date|compact)( in [A-Za-z0-9_+/-]+)?)$"
      ),
      (
        .action,
        "^(fatal|key|skip|end|cap|empty|restart|gap|retry( [0-9]\\S*)?|defer( [a-z]\\S*)?( [0-9]\\S*)?)$"
      ),
      (.requestPath, "^/"), (.health, "^/"),
      (.each, "^[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$"),
      (.total, "^.+ (counted|steady|estimate|none)$"),
      (.order, "^[a-z][a-z0-9_]* (rising|falling)$"),
      (.when, "^(new|changed|all|run|stale (\(duration)))$"),
      (.status, "^([1-5]xx|[1-5][0-9][0-9](-[1-5][0-9][0-9])?)$"),
    ]
    return Dictionary(uniqueKeysWithValues: known.map { ($0.words, $1) })
  }()
}

/// The shapes as JSON Schema, as far as it can express them.
extension JSONWriter {
  fileprivate mutating func reference(to shape: ObjectShape) {
    member("$ref", "#/definitions/\(shape.name)")
  }

  fileprivate mutating func describe(_ shape: ObjectShape) {
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

  /// Members of the open object.
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
      // This draft ignores members beside a reference.
      array("allOf") { writer in writer.object { $0.reference(to: shape) } }
    case .map(let key, let inner, let count):
      member("type", "object")
      if count.lowerBound > 0 { member("minProperties", count.lowerBound) }
      member("maxProperties", count.upperBound)
      if let pattern = JobSchema.patterns[key.words] {
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
    if !form.choices.isEmpty {
      member("enum", form.choices)
    } else if let pattern = JobSchema.patterns[form.words] {
      member("pattern", pattern)
    }
  }
}
