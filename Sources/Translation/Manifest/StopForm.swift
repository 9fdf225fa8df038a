/// What ends a list.
enum StopForm: Equatable {
  /// This place of the body is missing, or false.
  case nothing([String])
  /// The place is true.
  case flag([String])
  /// By a header field.
  case field
  /// A page without records, and one with fewer than usual.
  case empty, short
  /// After as many pages as this place says.
  case reached([String])
  case never

  /// Each of them ends the list; nil if one is not known.
  static func all(_ condition: Jinja) -> [StopForm]? {
    switch condition {
    case .binary("or", let left, let right):
      guard let one = all(left), let other = all(right) else { return nil }
      return one + other
    case .binary("and", let left, let right):
      // Both must hold: one of them is the weaker promise, and the other shows when it ends.
      guard let one = all(left), let other = all(right) else { return nil }
      let paths = (one + other).filter { if case .nothing = $0 { true } else { false } }
      return paths.isEmpty ? one + other : paths
    case .name("false"), .name("False"), .name("true"), .name("True"): return [.never]
    default: return one(condition).map { [$0] }
    }
  }

  private static func one(_ condition: Jinja) -> StopForm? {
    switch condition {
    case .unary("not", .name("last_record")), .unary("not", .name("last_records")): return .empty
    case .unary("not", .binary("in", .text(let name), let inner)):
      return absent(.member(inner, name))
    case .unary("not", let inner):
      if let found = one(inner), case .flag(let path) = found { return .nothing(path) }
      return absent(inner)
    case .binary("is", let inner, let other) where ManifestText.isNothing(other),
      .binary("==", let inner, let other) where ManifestText.isNothing(other):
      return absent(inner)
    case .binary("is not", let inner, .name("defined")): return absent(inner)
    case .binary("not in", .text(let name), let inner):
      if case .call(.member(let object, "keys"), _) = inner { return absent(.member(object, name)) }
      return absent(.member(inner, name))
    case .binary("==", let inner, .name("true")), .binary("==", let inner, .name("True")),
      .binary("is", let inner, .name("true")), .binary("is", let inner, .name("True")):
      return body(inner).map { .flag($0) }
    case .binary("!=", let inner, .name("true")), .binary("!=", let inner, .name("True")):
      return absent(inner)
    case .binary("==", let length, .number("0")) where isLength(length),
      .binary("<", let length, .number("1")) where isLength(length):
      return .empty
    case .binary(let sign, let left, let right) where ["<", "<=", "==", ">=", ">"].contains(sign):
      return compared(left, right)
    case .filter(_, "length", _), .filter(_, "count", _): return nil
    default: return body(condition).map { .flag($0) }
    }
  }

  private static func compared(_ left: Jinja, _ right: Jinja) -> StopForm? {
    if isLength(left) || isLength(right) { return .short }
    if case .text = right { return absent(left) }
    if case .number("0") = right, let path = body(left) { return .nothing(path) }
    return body(left) == nil ? nil : body(right).map { .reached($0) }
  }

  /// The number of records of a page.
  private static func isLength(_ expression: Jinja) -> Bool {
    switch expression {
    case .filter(_, "length", _), .filter(_, "count", _), .name("last_page_size"): true
    case .call(.name("len"), _): true
    default: false
    }
  }

  private static func absent(_ expression: Jinja) -> StopForm? {
    if isLength(expression) { return .short }
    guard let place = ManifestText.place(expression) else { return nil }
    switch place.root {
    case "headers": return .field
    case "response": return place.steps.isEmpty ? .short : .nothing(place.steps)
    case "last_record", "last_records", "last_page_size": return .short
    default: return nil
    }
  }

  private static func body(_ expression: Jinja) -> [String]? {
    if case .binary(_, let inner, .number) = expression { return body(inner) }
    guard let place = ManifestText.place(expression), place.root == "response",
      !place.steps.isEmpty
    else { return nil }
    return place.steps
  }
}
