import Base

extension JSONValue {
  /// The elements of a member that is a list; none where there is no such member.
  func list(_ name: String) -> [JSONValue] { self[name].map { Array($0.elements) } ?? [] }

  /// The names of an object's members.
  var names: [String] { members.compactMap { $0.key.string } }
}
