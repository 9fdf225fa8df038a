internal import Base

/// What an answer says about more of its list, as `trawl_pages` stores it:
/// `[["next","more","…",null]]`.
enum SignText {
  static func text(_ signs: [UnreadSign]) -> String? {
    guard !signs.isEmpty else { return nil }
    return signs.map { sign -> [SQLValue] in
      [.text(sign.place), .text(sign.kind.rawValue), .text(sign.value), SQLValue(sign.number)]
        + (sign.isInHead ? ["head"] : [])
    }.jsonText
  }

  /// From a row that somebody else changed, unknown words are ignored.
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
