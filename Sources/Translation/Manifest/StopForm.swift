/// What ends a list, besides a missing next page, which always does.
enum StopForm: Equatable {
  /// This place of the body is missing or false.
  case nothing([String])
  /// The place is true.
  case flag([String])
  /// The next page's token is this text.
  case token(String)
  /// A page without records, or whose list at this place is empty.
  case empty([String]?)
  /// A page with fewer records than usual.
  case short
  /// After as many pages as this place says.
  case reached([String])

  /// Each of them ends the list; nil if one is unknown.
  static func all(_ condition: Jinja, _ cursor: CursorForm) -> [StopForm]? {
    switch condition {
    case .binary("or", let left, let right):
      guard let one = all(left, cursor), let other = all(right, cursor) else { return nil }
      return one + other
    case .binary("and", let left, let right):
      // Both must hold; a condition that always ends the list makes no difference.
      return all(left, cursor) == [] || all(right, cursor) == [] ? [] : nil
    case .name("false"), .name("False"): return []
    default: return one(condition, cursor)
    }
  }

  private static let opposites = ["<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="]
  private static let mirrored = ["<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="]

  private static func one(_ condition: Jinja, _ cursor: CursorForm) -> [StopForm]? {
    switch condition {
    case .unary("not", .binary("in", .text(let name), let inner)),
      .binary("not in", .text(let name), let inner):
      if case .call(.member(let object, "keys"), _) = inner {
        return absent(.member(object, name), cursor)
      }
      return absent(.member(inner, name), cursor)
    case .unary("not", .binary(let sign, let left, let right)) where opposites[sign] != nil:
      return one(.binary(opposites[sign] ?? sign, left, right), cursor)
    case .unary("not", let inner) where !isLength(inner): return absent(inner, cursor)
    case .binary("is", let inner, let other) where ManifestText.isNothing(other),
      .binary("==", let inner, let other) where ManifestText.isNothing(other),
      .binary("is not", let inner, let other) where other == .name("defined"):
      return absent(inner, cursor)
    case .binary(let sign, let inner, .name("true")), .binary(let sign, let inner, .name("True")):
      guard sign == "!=" else {
        return ["==", "is"].contains(sign) ? body(inner).map { [.flag($0)] } : nil
      }
      return absent(inner, cursor)
    case .binary(let sign, let left, let right) where mirrored[sign] != nil:
      return compared(left, sign, right, cursor).map { [$0] }
    default: return body(condition).map { [.flag($0)] }
    }
  }

  private static func compared(
    _ left: Jinja, _ sign: String, _ right: Jinja, _ cursor: CursorForm
  ) -> StopForm? {
    if isLength(right), !isLength(left) {
      return compared(right, mirrored[sign] ?? sign, left, cursor)
    }
    let isNone =
      right == .number("0") && (sign == "==" || sign == "<=")
      || right == .number("1") && sign == "<"
    if isLength(left) {
      return isNone ? .empty(list(left)) : sign == "<" || sign == "<=" ? .short : nil
    }
    switch right {
    case .text(let text), .number(let text):
      if sign == "==", cursor.isToken(left) {
        // A job gives these two words another meaning.
        return text == "empty" || text == "repeat" ? nil : .token(text)
      }
      return isNone ? body(left).map { .nothing($0) } : nil
    default: break
    }
    let (now, last) = sign == "<=" ? (right, left) : (left, right)
    guard ["==", ">=", "<="].contains(sign), case .counted(let path, _) = cursor, body(now) == path
    else { return nil }
    return body(last).map { .reached($0) }
  }

  /// The number of records of a page.
  private static func isLength(_ expression: Jinja) -> Bool {
    switch expression {
    case .filter(_, "length", _), .filter(_, "count", _), .name("last_page_size"): true
    case .call(.name("len"), _): true
    default: false
    }
  }

  /// The list whose length it is, if it is in the answer.
  private static func list(_ length: Jinja) -> [String]? {
    switch length {
    case .filter(let inner, _, _): body(inner)
    case .call(_, let words): words.first.flatMap(body)
    default: nil
    }
  }

  private static func absent(_ expression: Jinja, _ cursor: CursorForm) -> [StopForm]? {
    guard let place = ManifestText.place(expression) else { return nil }
    switch place.root {
    case "headers": return cursor.isOf(header: place.steps.first) ? [] : nil
    case "response" where cursor.isWithin(place.steps): return []
    case "response" where !place.steps.isEmpty: return [.nothing(place.steps)]
    case "response", "last_record", "last_records", "last_page_size":
      return place.steps.isEmpty ? [.empty(nil)] : nil
    default: return nil
    }
  }

  private static func body(_ expression: Jinja) -> [String]? {
    ManifestText.steps(expression, in: "response")
  }
}
