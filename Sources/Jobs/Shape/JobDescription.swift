internal import Base

/// The language of job files for those who write them, as a JSON Schema for editors. `FormatManual` has it as a manual page.
enum JobDescription {
  /// `jobs/job.schema.json`
  static var schema: String {
    var writer = JSONWriter(pretty: true)
    writer.object { writer in
      writer.member("$schema", "http://json-schema.org/draft-07/schema#")
      writer.member("title", "A job file of Trawl")
      writer.array("allOf") { writer in writer.object { $0.reference(to: JobShape.job) } }
      writer.object("definitions") { writer in
        for shape in objects {
          writer.object(shape.name) { $0.describe(shape) }
        }
      }
    }
    writer.newline()
    return writer.text
  }

  /// Every kind of object, each once, in the order in which a reader meets them.
  static let objects: [ObjectShape] = {
    var found: [ObjectShape] = []
    var waiting = [JobShape.job]
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
  /// The objects that may be here.
  fileprivate var objects: [ObjectShape] {
    switch self {
    case .object(let shape): [shape]
    case .list(let inner, _), .map(_, let inner, _): inner.objects
    case .either(let shapes): shapes.flatMap(\.objects)
    case .text, .integer, .boolean, .scalar, .value: []
    }
  }
}
