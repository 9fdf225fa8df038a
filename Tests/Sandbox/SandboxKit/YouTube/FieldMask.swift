internal import Base

/// `fields=items(id,snippet/title),nextPageToken`: which parts of an answer are wanted, as in Google's APIs.
struct FieldMask: Equatable {
  /// By name; nil: everything below it. `*` is any name.
  private var names: [String: FieldMask?]

  /// Nil for an invalid text: an unclosed bracket, or a missing name.
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

  /// One name after a slash, and what follows it.
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

  /// Writes the wanted parts of the document. A list remains one, of the parts of its elements.
  func write(_ value: JSONValue, to json: inout JSONWriter) {
    switch value.kind {
    case .array:
      json.array { json in for element in value.elements { write(element, to: &json) } }
    case .object:
      json.object { json in
        for member in value.members {
          let name = member.key.string ?? ""
          guard let inner = names[name] ?? names["*"] else { continue }
          // A value without parts cannot have the wanted ones.
          if inner != nil, !member.value.isObject, !member.value.isArray { continue }
          json.key(name)
          if let inner { inner.write(member.value, to: &json) } else { json.value(member.value) }
        }
      }
    default: json.value(value)
    }
  }
}
