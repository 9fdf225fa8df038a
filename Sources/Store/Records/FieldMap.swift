internal import JSON

/// The columns that are read from a record, and the names under which they look into it.
struct FieldMap: Sendable {
  let fields: [Field]
  /// Each name once, in the order of the columns.
  let names: MemberNames
  /// Of each column the number of its name; nil: it looks elsewhere, or in several places.
  let nameOf: [Int?]

  init(_ fields: [Field]) {
    self.fields = fields
    var known: [[UInt8]] = []
    nameOf = fields.map { field in
      guard case .paths(let paths) = field.source, paths.count == 1, let name = paths[0].firstName
      else { return nil }
      if let number = known.firstIndex(of: name) { return number }
      known.append(name)
      return known.count - 1
    }
    names = MemberNames(known)
  }
}
