extension Column {
  /// Lets a column that is read by its own name also read a member whose folded name it is.
  public mutating func takeItsNamesake() {
    guard case .paths(let paths) = source, paths.count == 1, paths[0].isOneName,
      paths[0].text == name
    else { return }
    source = .paths([paths[0].asColumnName])
  }
}

extension JSONPath {
  /// The first value that the path leads to; if the path is a column's name, also the value of a member that would be
  /// folded to it.
  public func value(in record: JSONValue) -> JSONValue? {
    first(in: record) ?? (isColumnName ? Self.member(called: text, of: record, []) : nil)
  }

  /// Searches the record and the objects in it, whose depth the JSON reader bounds.
  private static func member(
    called name: String, of value: JSONValue, _ way: [String]
  ) -> JSONValue? {
    for member in value.members where !member.value.isNull {
      let own = way + [member.key.string ?? ""]
      let found =
        member.value.isObject
        ? Self.member(called: name, of: member.value, own)
        : PlainName.folded(own) == name ? member.value : nil
      if let found { return found }
    }
    return nil
  }
}
