internal import Base

/// The columns that are read from a record, and the names by which they look into it.
struct FieldMap: Sendable {
  let fields: [Field]
  /// Each name once, in the order of the columns.
  let names: MemberNames
  /// Where each column looks.
  let lookups: [Lookup]

  enum Lookup {
    /// The member with the name of this number.
    case member(Int)
    /// The same, or the member that a column of this name would be named after.
    case named(Int)
    /// Inside that member, by the rest of its path.
    case behind(Int)
    /// In several places, or not in the record.
    case elsewhere
  }

  init(_ fields: [Field]) {
    self.fields = fields
    var known: [[UInt8]] = []
    lookups = fields.map { field in
      guard case .paths(let paths) = field.source, paths.count == 1, let name = paths[0].firstName
      else { return .elsewhere }
      let number = known.firstIndex(of: name) ?? known.count
      if number == known.count { known.append(name) }
      if paths[0].isColumnName { return .named(number) }
      return paths[0].isOneName ? .member(number) : .behind(number)
    }
    names = MemberNames(known)
  }
}
