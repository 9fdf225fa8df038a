/// Paths into an answer, a record, a setting or a partition.
extension ManifestText {
  struct Place: Equatable {
    var root: String
    var steps: [String]
    /// The text to use if there is no value.
    var fallback: String?
  }

  /// `response.get('a', {}).b`, `response['a']['b'] or none`, …: a place without a default.
  static func place(_ expression: Jinja) -> Place? {
    lookup(expression).flatMap { ($0.fallback ?? "").isEmpty ? $0 : nil }
  }

  /// The steps of a place below this root.
  static func steps(_ expression: Jinja, in root: String) -> [String]? {
    place(expression).flatMap { $0.root == root && !$0.steps.isEmpty ? $0.steps : nil }
  }

  private static func place(_ expression: Jinja, step: String) -> Place? {
    place(expression).map { Place(root: $0.root, steps: $0.steps + [step]) }
  }

  private static func place(_ found: Place?, else other: Jinja?) -> Place? {
    guard var found, found.fallback == nil else { return nil }
    guard let other else { return found }
    found.fallback = plain(other)
    return found.fallback != nil || isNothing(other) ? found : nil
  }

  /// A place, perhaps with a default.
  static func lookup(_ expression: Jinja) -> Place? {
    switch expression {
    case .name(let name): return Place(root: name, steps: [])
    case .member(let inner, let name): return place(inner, step: name)
    case .entry(let inner, .text(let name)): return place(inner, step: name)
    case .entry(let inner, .number(let number)): return place(inner, step: number)
    case .entry(let inner, .unary("-", .number("1"))): return place(inner, step: "-1")
    case .call(.member(let inner, "get"), let words):
      guard case .text(let name)? = words.first, words.count < 3 else { return nil }
      return place(place(inner, step: name), else: words.count > 1 ? words[1] : nil)
    case .filter(let inner, let name, let words):
      switch name {
      case "default", "d":
        // None is a value there: only a second argument replaces it.
        if case .call = inner, words.count < 2 { return nil }
        return place(lookup(inner), else: words.first ?? .text(""))
      case "string", "int": return words.isEmpty ? lookup(inner) : nil
      case "last": return place(inner, step: "-1")
      case "first": return place(inner, step: "0")
      default: return nil
      }
    case .binary("or", let inner, let other): return place(lookup(inner), else: other)
    case .choice(let value, let condition, let other):
      guard let found = place(value), other.map(isNothing) ?? true else { return nil }
      // The condition tests this place, or something that contains it.
      guard let asked = presence(condition), asked.root == found.root,
        found.steps.starts(with: asked.steps)
      else { return nil }
      return found
    default: return nil
    }
  }

  /// What a condition requires to be present: `x`, `x is not none`, `'b' in response.a`.
  static func presence(_ condition: Jinja) -> Place? {
    switch condition {
    case .binary("in", .text(let name), let inner):
      if case .call(.member(let object, "keys"), _) = inner { return place(object, step: name) }
      return place(inner, step: name)
    case .binary("is not", let inner, let other) where isNothing(other): return place(inner)
    case .binary("is", let inner, .name("defined")): return place(inner)
    case .binary("!=", let inner, let other) where isNothing(other): return place(inner)
    case .binary("and", let left, let right):
      guard let one = presence(left), let other = presence(right), one.root == other.root
      else { return nil }
      let (short, long) = one.steps.count < other.steps.count ? (one, other) : (other, one)
      return long.steps.starts(with: short.steps) ? long : nil
    default: return place(condition)
    }
  }

  static func isNothing(_ expression: Jinja) -> Bool {
    switch expression {
    case .name("none"), .name("None"), .name("null"), .text(""), .list([]), .map: true
    case .name("false"), .name("False"): true
    default: false
    }
  }

  static func plain(_ expression: Jinja) -> String? {
    switch expression {
    case .text(let text): text
    case .number(let number): number
    default: nil
    }
  }
}
