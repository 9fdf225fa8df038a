extension JSONValue {
  /// The member of this object at a known place.
  public func member(at place: Int) -> JSONValue { JSONValue(document: document, index: place) }
}

/// Member names that are looked up together in one pass over an object. The objects of a list usually have their
/// members in the same order, so each name is expected where the one before it was found.
public struct MemberNames: Sendable {
  private let names: [[UInt8]]

  /// The place of each name in an object, by the name's index; -1: missing.
  public typealias Places = [Int]

  public init(_ names: [[UInt8]]) { self.names = names }

  /// Finds the first of duplicate members.
  public func find(in value: JSONValue, into places: inout Places) {
    if places.count != names.count { places = Places(repeating: -1, count: names.count) }
    places.withUnsafeMutableBufferPointer { places in
      for index in places.indices { places[index] = -1 }
      value.withTape { tape in
        guard tape.tag(value.index) == Tape.Tag.object else { return }
        let end = tape.close(value.index)
        var at = value.index + 1
        var expected = 0
        var missing = places.count
        while at < end, missing > 0 {
          if let found = number(of: tape.string(at), expected) {
            if places[found] < 0 {
              places[found] = at + 1
              missing -= 1
            }
            expected = found + 1
          }
          at = tape.next(at + 1)
        }
      }
    }
  }

  /// The names from the expected one on, then those before it.
  private func number(of name: UnsafeBufferPointer<UInt8>, _ expected: Int) -> Int? {
    for index in expected..<names.count where isName(name, index) { return index }
    for index in 0..<min(expected, names.count) where isName(name, index) { return index }
    return nil
  }

  private func isName(_ name: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    names[index].withUnsafeBufferPointer { Tape.equal($0, name) }
  }
}
