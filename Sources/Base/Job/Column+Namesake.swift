extension Column {
  /// Read as a member of its name, it takes the one that it would be called after, too.
  public mutating func takeItsNamesake() {
    guard case .paths(let paths) = source, paths.count == 1, paths[0].isOneName,
      paths[0].text == name
    else { return }
    source = .paths([paths[0].asColumnName])
  }
}

extension JSONPath {
  /// The first value that the path leads to; where it is what a column is called, also that which such a column
  /// would be called after.
  public func value(in record: JSONValue) -> JSONValue? {
    first(in: record) ?? (isColumnName ? Self.member(called: text, of: record, []) : nil)
  }

  /// Of the record or of objects within, whose levels are bounded by the reader of the answer.
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
