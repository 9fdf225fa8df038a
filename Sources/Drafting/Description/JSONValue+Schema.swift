internal import Base

/// How a description is read: null counts as missing, and a scalar has a text.
extension JSONValue {
  func at(_ key: String) -> JSONValue? {
    guard let found = self[key], !found.isNull else { return nil }
    return found
  }

  /// Nil if it is not an object.
  var pairs: [(key: String, value: JSONValue)]? {
    isObject ? members.map { ($0.key.string ?? "", $0.value) } : nil
  }

  /// Nil if it is not a list.
  var entries: [JSONValue]? { isArray ? Array(elements) : nil }

  var text: String? { string ?? rawNumber ?? boolean.map { String($0) } }
}
