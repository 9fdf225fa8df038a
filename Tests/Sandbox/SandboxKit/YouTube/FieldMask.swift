internal import Base

/// `fields=items(id,snippet/title),nextPageToken`: what of an answer is wanted, as Google's APIs read it.
struct FieldMask: Equatable {
  /// By name; nil: all that is below it. `*` stands for every name.
  private var names: [String: FieldMask?]

  /// Nil where the text is none: a bracket that is not closed, or a name that is missing.
  init?(_ text: String) {
    var rest = Array(text.unicodeScalars.filter { $0 != " " })[...]
    guard let mask = FieldMask.list(&rest), rest.isEmpty else { return nil }
    self = mask
  }

  private init(names: [String: FieldMask?]) { self.names = names }

  private static func list(_ rest: inout ArraySlice<Unicode.Scalar>) -> FieldMask? {
    var names: [String: FieldMask?] = [:]
    while true {
      var name = ""
      while let next = rest.first, !"(),/".unicodeScalars.contains(next) {
        name.unicodeScalars.append(next)
        rest.removeFirst()
      }
      guard !name.isEmpty else { return nil }
      var inner: FieldMask?
      if rest.first == "/" {
        rest.removeFirst()
        guard let below = path(&rest) else { return nil }
        inner = below
      } else if rest.first == "(" {
        rest.removeFirst()
        guard let below = list(&rest), rest.first == ")" else { return nil }
        rest.removeFirst()
        inner = below
      }
      if let known = names[name] {
        names[name] = .some(known.flatMap { known in inner.map { known.joined(with: $0) } })
      } else {
        names[name] = .some(inner)
      }
      guard rest.first == "," else { return FieldMask(names: names) }
      rest.removeFirst()
    }
  }

  /// One name behind a slash, with what is behind that.
  private static func path(_ rest: inout ArraySlice<Unicode.Scalar>) -> FieldMask? {
    var own: [Unicode.Scalar] = []
    var depth = 0
    while let next = rest.first, depth > 0 || (next != "," && next != ")") {
      depth += next == "(" ? 1 : next == ")" ? -1 : 0
      own.append(next)
      rest.removeFirst()
    }
    var text = own[...]
    guard let mask = list(&text), text.isEmpty else { return nil }
    return mask
  }

  private func joined(with other: FieldMask) -> FieldMask {
    FieldMask(
      names: names.merging(other.names) { one, two in
        one.flatMap { one in two.map { one.joined(with: $0) } }
      })
  }

  /// The document with what is wanted of it. A list stays one, of its elements' parts.
  func write(_ value: JSONValue, to json: inout JSONWriter) {
    switch value.kind {
    case .array:
      json.array { json in for element in value.elements { write(element, to: &json) } }
    case .object:
      json.object { json in
        for member in value.members {
          let name = member.key.string ?? ""
          guard let inner = names[name] ?? names["*"] else { continue }
          // What has no parts has none that are wanted.
          if inner != nil, !member.value.isObject, !member.value.isArray { continue }
          json.key(name)
          if let inner { inner.write(member.value, to: &json) } else { json.value(member.value) }
        }
      }
    default: json.value(value)
    }
  }
}
