internal import Base

/// The meaning of a manifest's template, piece by piece: a small set of known forms.
enum ManifestPiece: Equatable {
  case text(String)
  /// A value that the user gives, and its default if there is none.
  case setting([String], fallback: String?)
  /// A value of the partition: of a list, or of the parent's record, or a member of it.
  case slice(String, inner: [String] = [])
  /// A value of the parent's own partition.
  case outerSlice(String)
  /// A member of the parent's record.
  case extra(String)
  case start(format: String?)
  case end(format: String?)
  /// A value computed from settings in a way that no job can express.
  case computed([String], String)
  /// The token of the next page, and the value sent for the first.
  case token(first: String?)
  /// One or the other, depending on a setting.
  indirect case either(SettingTest, [ManifestPiece], [ManifestPiece])
  case unknown(String)

  /// Nil: it is not text.
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
  var isComputed: Bool { if case .computed = self { true } else { false } }
}

/// A condition on a setting: that it is set, or equals this.
struct SettingTest: Equatable {
  var path: [String]
  var value: String?
  var isNegated = false

  init?(_ condition: Jinja) {
    switch condition {
    case .unary("not", let inner):
      guard var test = SettingTest(inner) else { return nil }
      test.isNegated.toggle()
      self = test
    case .binary(let sign, let left, .text(let text)) where sign == "==" || sign == "!=":
      guard let place = ManifestText.place(left), place.root == "config" else { return nil }
      (path, value, isNegated) = (place.steps, text, sign == "!=")
    default:
      guard let place = ManifestText.presence(condition), place.root == "config",
        !place.steps.isEmpty
      else { return nil }
      path = place.steps
    }
  }
}

/// Reads templates and paths of a manifest. Nothing is evaluated.
enum ManifestText {
  static func pieces(_ text: String, _ parameters: YAMLNode? = nil) -> [ManifestPiece] {
    var pieces: [ManifestPiece] = []
    for part in JinjaTemplate.parts(text) {
      switch part {
      case .text(let text): pieces.append(.text(text))
      case .expression(let source, let expression):
        pieces += expression.map { meaning($0, source, parameters) } ?? [.unknown(source)]
      }
    }
    return joined(pieces)
  }

  private static func joined(_ pieces: [ManifestPiece]) -> [ManifestPiece] {
    pieces.reduce(into: []) { whole, piece in
      if case .text(let more) = piece, case .text(let text)? = whole.last {
        whole[whole.count - 1] = .text(text + more)
      } else if piece != .text("") {
        whole.append(piece)
      }
    }
  }

  // MARK: meaning

  private static func meaning(
    _ expression: Jinja, _ source: String, _ parameters: YAMLNode?
  ) -> [ManifestPiece] {
    let unknown = [ManifestPiece.unknown(source)]
    switch expression {
    case .text(let text): return [.text(text)]
    case .number(let number): return [.text(number)]
    case .name("none"), .name("None"), .name("null"): return []
    case .filter(let inner, let name, _)
    where ["string", "int", "urlencode", "trim", "lower", "upper", "safe"].contains(name):
      return meaning(inner, source, parameters)
    case .binary("+", let left, let right), .binary("~", let left, let right):
      let both = [left, right].flatMap { meaning($0, source, parameters) }
      if both.contains(where: \.isUnknown) {
        return ofSettings(expression).map { [.computed($0, source)] } ?? unknown
      }
      // Each is a different text, and one value cannot be all of them.
      return both.filter(\.isComputed).count > 1 ? unknown : both
    case .binary("or", let left, let right):
      return choice(meaning(left, source, parameters), meaning(right, source, parameters))
    case .choice(let value, let condition, let other):
      return conditional(value, condition, other, source, parameters)
    case .call(.name("format_datetime"), let words) where !words.isEmpty:
      return moment(words, source, parameters)
    case .call(.member(.text(let mark), "join"), let words) where words.count == 1:
      if case .list(let entries) = words[0] {
        let texts = entries.compactMap(plain)
        return texts.count == entries.count ? [.text(texts.joined(separator: mark))] : unknown
      }
      return meaning(words[0], source, parameters)
    case .filter(let inner, "join", _): return meaning(inner, source, parameters)
    case .entry(let inner, .binary("+", .text(let one), .text(let other))):
      return meaning(.entry(inner, .text(one + other)), source, parameters)
    case .call(.member(let inner, let name), _)
    where ["strip", "rstrip", "lower", "upper"].contains(name) && place(expression) == nil:
      return meaning(inner, source, parameters)
    case .call(.member(let inner, "strftime"), let words):
      let found = meaning(inner, source, parameters)
      var format: String?
      if case .text(let text)? = words.first { format = text }
      if case .start? = found.first, found.count == 1 { return [.start(format: format)] }
      if case .end? = found.first, found.count == 1 { return [.end(format: format)] }
    default: break
    }
    if let place = place(expression) {
      // A job's setting is not a list: one entry of a list becomes a separate setting.
      if place.root == "config", let at = place.steps.firstIndex(where: { Int($0) != nil }), at > 0
      {
        return [.computed(Array(place.steps[..<at]), source)]
      }
      if let found = meaning(place, parameters) { return found }
    }
    if let path = ofSettings(expression) { return [.computed(path, source)] }
    return unknown
  }

  /// The first setting of an expression that depends on nothing else.
  private static func ofSettings(_ expression: Jinja) -> [String]? {
    var paths: [[String]] = []
    return gather(expression, &paths) ? paths.first : nil
  }

  private static func gather(_ expression: Jinja, _ paths: inout [[String]]) -> Bool {
    if let place = place(expression), place.root == "config" {
      paths.append(place.steps)
      return !place.steps.isEmpty
    }
    switch expression {
    case .text, .number, .map: return true
    case .name(let name): return ["none", "None", "true", "false", "slice"].contains(name)
    case .member(let inner, _), .unary(_, let inner): return gather(inner, &paths)
    case .entry(let inner, let key): return gather(inner, &paths) && gather(key, &paths)
    case .call(.name(let name), let words):
      return ["timestamp", "format_datetime", "str_to_datetime", "min", "max"].contains(name)
        && words.allSatisfy { gather($0, &paths) }
    case .call(let inner, let words), .filter(let inner, _, let words):
      return gather(inner, &paths) && words.allSatisfy { gather($0, &paths) }
    case .binary(_, let left, let right): return gather(left, &paths) && gather(right, &paths)
    case .choice(let value, let condition, let other):
      return gather(value, &paths) && gather(condition, &paths)
        && (other.map { gather($0, &paths) } ?? true)
    case .list(let entries): return entries.allSatisfy { gather($0, &paths) }
    }
  }

  /// The first of these with a value: a setting, or else a text.
  private static func choice(
    _ first: [ManifestPiece], _ second: [ManifestPiece]
  ) -> [ManifestPiece] {
    guard case .setting(let path, let fallback)? = first.first, first.count == 1 else {
      return first.isEmpty ? second : first
    }
    switch second.first {
    case nil: return [.setting(path, fallback: fallback ?? "")]
    case .text(let text)? where second.count == 1:
      return [.setting(path, fallback: fallback ?? text)]
    default: return first
    }
  }

  private static func conditional(
    _ value: Jinja, _ condition: Jinja, _ other: Jinja?, _ source: String,
    _ parameters: YAMLNode?
  ) -> [ManifestPiece] {
    let first = meaning(value, source, parameters)
    let second = other.map { meaning($0, source, parameters) } ?? []
    switch first.first {
    case .start?, .end?:
      // If it has no value, the whole list is requested.
      if first.count == 1 { return first }
    case .setting? where first.count == 1 && second.contains(where: \.isUnknown):
      if let asked = presence(condition), asked.root == "config" { return first }
    default: break
    }
    if let asked = presence(condition), let own = place(value), asked.root == own.root,
      asked.steps == own.steps
    {
      return choice(first, second)
    }
    guard !(first + second).contains(where: \.isUnknown), let test = SettingTest(condition) else {
      return [.unknown(source)]
    }
    return [.either(test, first, second)]
  }

  private static func moment(
    _ words: [Jinja], _ source: String, _ parameters: YAMLNode?
  ) -> [ManifestPiece] {
    let inner = meaning(words[0], source, parameters)
    guard inner.count == 1 else { return [.unknown(source)] }
    var format: String?
    if words.count > 1, case .text(let text) = words[1] { format = text }
    return switch inner[0] {
    case .start: [.start(format: format)]
    case .end: [.end(format: format)]
    case .setting(let path, _) where format.map(Self.isPart) ?? false: [.computed(path, source)]
    case .setting: inner
    default: [.unknown(source)]
    }
  }

  /// A format with only part of a day.
  private static func isPart(_ format: String) -> Bool {
    !(format.holds("%Y") && format.holds("%d")) && !format.holds("%s")
  }

  private static func meaning(_ place: Place, _ parameters: YAMLNode?) -> [ManifestPiece]? {
    let steps = place.steps
    switch place.root {
    case "config" where !steps.isEmpty:
      return [.setting(steps, fallback: place.fallback)]
    case "parameters" where steps.count == 1:
      if let value = parameters?[steps[0]]?.text { return pieces(value, nil) }
      return place.fallback.map { [.text($0)] }
    case "next_page_token" where steps == ["next_page_token"]:
      return [.token(first: place.fallback)]
    case "stream_interval", "stream_slice", "stream_partition", "stream_state":
      return slice(place.root, steps)
    default: return nil
    }
  }

  private static func slice(_ root: String, _ steps: [String]) -> [ManifestPiece]? {
    guard let first = steps.first, root != "stream_state" else { return nil }
    if root != "stream_partition", steps.count == 1 {
      if ["start_time", "start_date"].contains(first) { return [.start(format: nil)] }
      if ["end_time", "end_date"].contains(first) { return [.end(format: nil)] }
    }
    switch (first, steps.count) {
    case ("_partition", 2...), ("partition", 2...): return slice(root, Array(steps.dropFirst()))
    case ("extra_fields", 2): return [.extra(steps[1])]
    case ("parent_slice", 2): return [.outerSlice(steps[1])]
    case ("parent_slice", _), ("extra_fields", _), ("cursor_slice", _): return nil
    default: return [.slice(first, inner: Array(steps.dropFirst()))]
    }
  }

  // MARK: places

  struct Place: Equatable {
    var root: String
    var steps: [String]
    /// A text that is used if there is no value.
    var fallback: String?
  }

  /// `response.get('a', {}).b`, `response['a']['b'] or none`, …
  static func place(_ expression: Jinja) -> Place? {
    switch expression {
    case .name(let name): return Place(root: name, steps: [])
    case .member(let inner, let name): return place(inner)?.with(name)
    case .entry(let inner, .text(let name)): return place(inner)?.with(name)
    case .entry(let inner, .number(let number)): return place(inner)?.with(number)
    case .entry(let inner, .unary("-", .number("1"))): return place(inner)?.with("-1")
    case .call(.member(let inner, "get"), let words):
      guard case .text(let name)? = words.first, var found = place(inner)?.with(name) else {
        return nil
      }
      found.fallback = words.count > 1 ? plain(words[1]) : nil
      return found
    case .filter(let inner, let name, let words):
      switch name {
      case "default", "d":
        var found = place(inner)
        found?.fallback = words.first.flatMap(plain)
        return found
      case "string", "int", "float", "urlencode", "trim": return place(inner)
      case "last": return place(inner)?.with("-1")
      case "first": return place(inner)?.with("0")
      default: return nil
      }
    case .binary("or", let inner, let other):
      var found = place(inner)
      if let text = plain(other) { found?.fallback = text } else if !isNothing(other) { return nil }
      return found
    case .choice(let value, let condition, let other):
      guard let found = place(value), other.map(isNothing) ?? true else { return nil }
      // Whether it, or something that contains it, is present.
      guard let asked = presence(condition), asked.root == found.root,
        Array(found.steps.prefix(asked.steps.count)) == asked.steps
      else { return nil }
      return found
    default: return nil
    }
  }

  /// What a condition requires to be present: `x`, `x is not none`, `'b' in response.a`.
  static func presence(_ condition: Jinja) -> Place? {
    switch condition {
    case .binary("in", .text(let name), let inner):
      if case .call(.member(let object, "keys"), _) = inner { return place(object)?.with(name) }
      return place(inner)?.with(name)
    case .binary("is not", let inner, let other) where isNothing(other): return place(inner)
    case .binary("is", let inner, .name("defined")): return place(inner)
    case .binary("!=", let inner, let other) where isNothing(other): return place(inner)
    case .binary("and", let left, let right):
      guard let one = presence(left), let other = presence(right) else { return nil }
      return one.steps.count >= other.steps.count ? one : other
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

  private static func plain(_ expression: Jinja) -> String? {
    switch expression {
    case .text(let text): text
    case .number(let number): number
    default: nil
    }
  }
}

extension ManifestText.Place {
  func with(_ step: String) -> Self { Self(root: root, steps: steps + [step]) }
}
