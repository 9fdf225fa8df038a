internal import Base

/// The members of a table's records that have their own columns, by their paths: objects within a
/// record are flattened, lists and single values are members to store. Names that are data rather
/// than members (numbers, digests, addresses) are recognized by the name alone, and maps by their
/// number of members, so that a record is stored the same way whatever came before it.
final class MemberTree {
  private let name: [UInt8]
  private var children: [MemberTree] = []
  /// The number of its found column.
  private var column: Int?
  /// A declared column reads it: nothing is found here.
  private var isTaken = false
  /// Declared columns that take the member they would be named after if no member has their name.
  private let named: Set<String>

  /// An object within a record with more members is a map, whose names are data.
  static let membersMax = 50

  init(named: Set<String>) { (name, self.named) = ([], named) }

  private init(_ name: [UInt8]) { (self.name, named) = (name, []) }

  func add(_ steps: [String], column: Int?) {
    guard let first = steps.first else {
      if let column { self.column = column } else { isTaken = true }
      return
    }
    let bytes = Array(first.utf8)
    let child = children.first { $0.name == bytes } ?? MemberTree(bytes)
    if !children.contains(where: { $0 === child }) { children.append(child) }
    child.add(Array(steps.dropFirst()), column: column)
  }

  enum Visit {
    /// The value of a found column, by its number.
    case known(Int)
    /// A member without a column so far.
    case new
    /// A member that gets none: its names are data.
    case data
  }

  /// Calls `body` for each member of a record that no declared column reads, with the names that
  /// lead to it. A member without a value is skipped; so is an object without members.
  func visit(_ record: JSONValue, _ body: (Visit, [JSONValue], JSONValue) -> Void) {
    var way: [JSONValue] = []
    var taken: Set<String> = []
    Self.visit(record, self, &way, isMap: false) { visit, way, value in
      if case .known = visit {} else if !named.isEmpty, isTaken(way, in: record, &taken) { return }
      body(visit, way, value)
    }
  }

  /// Of duplicate members, only the first is taken.
  private func isTaken(
    _ way: [JSONValue], in record: JSONValue, _ taken: inout Set<String>
  ) -> Bool {
    let name = PlainName.folded(way.compactMap(\.string))
    return named.contains(name) && record[name] == nil && taken.insert(name).inserted
  }

  /// The reader of the answer limits the nesting, and so the recursion.
  private static func visit(
    _ value: JSONValue, _ tree: MemberTree?, _ way: inout [JSONValue], isMap: Bool,
    _ body: (Visit, [JSONValue], JSONValue) -> Void
  ) {
    var expected = 0
    for member in value.members where !member.value.isNull {
      let own = tree?.child(member.key, &expected)
      if own?.isTaken == true { continue }
      let isObject = member.value.isObject
      if isObject, member.value.count == 0 { continue }
      way.append(member.key)
      if isMap || own == nil && member.key.withUTF8(isData) == true {
        body(.data, way, member.value)
      } else if isObject {
        visit(member.value, own, &way, isMap: member.value.count > membersMax, body)
      } else {
        body(own?.column.map { .known($0) } ?? .new, way, member.value)
      }
      way.removeLast()
    }
  }

  /// Records of one API usually have their members in the same order.
  private func child(_ key: JSONValue, _ expected: inout Int) -> MemberTree? {
    let count = children.count
    let start = expected
    let found = key.withUTF8 { name -> Int? in
      for step in 0..<count {
        let index = start + step < count ? start + step : start + step - count
        if children[index].name.elementsEqual(name) { return index }
      }
      return nil
    }
    guard let found, let index = found else { return nil }
    expected = index + 1 < count ? index + 1 : 0
    return children[index]
  }

  /// `4711`, `2026-01-31`, `8f14e45fceea167a`, `me@example.com`: no API uses such member names.
  static func isData(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let hasLetter = name.contains { (97...122).contains($0 | 32) || $0 >= 0x80 }
    if !hasLetter || name.dropFirst().contains(UInt8(ascii: "@")) { return true }
    let isDigest = name.allSatisfy {
      (48...57).contains($0) || (97...102).contains($0 | 32) || $0 == UInt8(ascii: "-")
    }
    return isDigest && name.count >= 16 && name.contains { (48...57).contains($0) }
      || String(decoding: name, as: UTF8.self).holds("://")
  }
}
