internal import Base

/// How a page is sorted, as `trawl_pages` stores it: `[7,3]`, `["b","a"]`; `[]` means out of order.
enum StoredOrder {
  static func text(_ order: PageOrder?) -> String? {
    guard let order else { return nil }
    guard case .sorted(let first, let last) = order else { return "[]" }
    let values = [first, last].map { value -> SQLValue in
      switch value {
      case .number(let number): .integer(number)
      case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
      }
    }
    return values.jsonText
  }

  /// Text that Trawl did not write counts as out of order.
  static func order(_ text: String?) -> PageOrder? {
    guard let text else { return nil }
    guard let root = JSONValue(text: text), root.count == 2,
      let first = root[0].flatMap(value), let last = root[1].flatMap(value)
    else { return .unsorted }
    return .sorted(first: first, last: last)
  }

  private static func value(_ value: JSONValue) -> SortValue? {
    value.integer.map { .number($0) } ?? value.string.map { .text(Array($0.utf8)) }
  }
}

/// What an answer says of more of its list, as `trawl_pages` keeps it: `[["next","more","…",null]]`.
enum SignText {
  static func text(_ signs: [UnreadSign]) -> String? {
    guard !signs.isEmpty else { return nil }
    return signs.map { sign -> [SQLValue] in
      [.text(sign.place), .text(sign.kind.rawValue), .text(sign.value), SQLValue(sign.number)]
        + (sign.isInHead ? ["head"] : [])
    }.jsonText
  }

  /// Skips entries that are not known, as in a row that others have changed.
  static func signs(_ text: String?) -> [UnreadSign] {
    let root = text.flatMap(JSONValue.init(text:)) ?? .nothing
    return root.elements.compactMap { row in
      guard let place = row[0]?.string,
        let kind = row[1]?.string.flatMap(UnreadSign.Kind.init(rawValue:))
      else { return nil }
      var sign = UnreadSign(
        place, kind, row[2]?.string ?? "", number: row[3]?.integer.flatMap { Int(exactly: $0) })
      sign.isInHead = row[4]?.isString("head") ?? false
      return sign
    }
  }
}
