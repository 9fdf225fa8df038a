internal import Base

extension YAMLNode {
  /// The same document as JSON. A plain scalar that is neither a number nor a word of JSON becomes
  /// a text.
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

  /// Whether JSON would write the number like this: not `007` or `.5`.
  private static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, first == 45 || (48...57).contains(first) else {
      return false
    }
    // What is not a document is not a number.
    return (try? JSONDocument.read(Array(text.utf8)))?.root.isNumber ?? false
  }
}
