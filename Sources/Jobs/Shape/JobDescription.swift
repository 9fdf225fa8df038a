internal import Base

/// The language of job files for those who write them: as a JSON Schema for editors, and as tables.
enum JobDescription {
  /// `jobs/job.schema.json`
  static var schema: String {
    var writer = JSONWriter(pretty: true)
    writer.object { writer in
      writer.member("$schema", "http://json-schema.org/draft-07/schema#")
      writer.member("title", "A job file of Trawl")
      writer.object("if") { writer in
        writer.array("required") { $0.string("use") }
      }
      writer.object("then") { $0.reference(to: JobShape.ownSettings) }
      writer.object("else") { $0.reference(to: JobShape.job) }
      writer.object("definitions") { writer in
        for shape in objects {
          writer.object(shape.name) { $0.describe(shape) }
        }
      }
    }
    writer.newline()
    return writer.text
  }

  /// The tables of `jobs/README.md`, one for each kind of object.
  static var reference: String {
    objects.map(\.table).joined(separator: "\n")
  }

  /// The table of functions that expressions may use.
  static var functions: String {
    let own = ExpressionRules.ownFunctions.map { "- `\($0.name)(x)`: \($0.about)" }
    let others = ExpressionRules.functions.map { "`\($0)`" }.joined(separator: ", ")
    return "Of SQLite: \(others). Of Trawl:\n\n\(own.joined(separator: "\n"))\n"
  }

  /// Every kind of object, each once, in the order in which a reader meets them.
  static let objects: [ObjectShape] = {
    var found: [ObjectShape] = []
    var waiting = [JobShape.job, JobShape.ownSettings]
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      if found.contains(where: { $0.name == next.name }) { continue }
      found.append(next)
      waiting += next.keys.flatMap(\.shape.objects)
    }
    return found
  }()
}

extension Shape {
  /// The objects that may stand here.
  fileprivate var objects: [ObjectShape] {
    switch self {
    case .object(let shape): [shape]
    case .list(let inner, _), .map(_, let inner, _): inner.objects
    case .either(let shapes): shapes.flatMap(\.objects)
    case .text, .integer, .boolean, .scalar, .value: []
    }
  }
}

extension ObjectShape {
  fileprivate var table: String {
    var lines = [
      "### \(name)", "", about, "", "| key | what it says | without it |", "|---|---|---|",
    ]
    for key in keys {
      let isSpared = standIn?.spared.contains(key.name) == true
      let needed = "**needed**" + (isSpared ? ", or `\(standIn?.key ?? "")`" : "")
      let without = key.isRequired ? needed : key.without ?? ""
      let words = "\(key.about). Takes \(key.shape.words)."
      lines.append("| `\(key.name)` | \(Self.cell(words)) | \(Self.cell(without)) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A bar would end the cell.
  private static func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
