internal import Base

/// The meaning of a manifest's template, piece by piece, from a small set of known forms.
enum ManifestPiece: Equatable {
  case text(String)
  /// A value that the user supplies, and its default.
  case setting([String], fallback: String?)
  /// A list that the user supplies, as one text.
  case list([String], joinedBy: String)
  /// A value of the partition: from a list, or of the parent's record, or a member of it.
  case slice(String, inner: [String] = [])
  /// A value of the parent's own partition.
  case outerSlice(String)
  /// A member of the parent's record.
  case extra(String)
  case start(format: String?)
  case end(format: String?)
  /// Computed from these settings in a way that no job can express.
  case computed([[String]], String)
  /// The token of the next page, and its value for the first.
  case token(first: String?)
  /// One or the other, depending on a setting.
  indirect case either(SettingTest, [ManifestPiece], [ManifestPiece])
  /// A form that addresses always have: there the first, elsewhere the second.
  indirect case inAddress([ManifestPiece], elsewhere: [ManifestPiece])
  case unknown(String)

  /// Nil if it is not text.
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
  /// Its source is the whole expression.
  var isComputed: Bool {
    switch self {
    case .computed, .inAddress: true
    default: false
    }
  }
}

/// A condition on a setting: that it is set, or has this value.
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

/// Reads templates and paths of a manifest, without evaluating them.
enum ManifestText {
  static func pieces(_ text: String, _ parameters: YAMLNode? = nil) -> [ManifestPiece] {
    var pieces: [ManifestPiece] = []
    let parts = JinjaTemplate.parts(text)
    for part in parts {
      switch part {
      case .text(let text): pieces.append(.text(text))
      case .expression(let source, let expression):
        let found = expression.map { meaning($0, source, parameters) } ?? [.unknown(source)]
        // None means no text, but between texts it becomes a word.
        pieces += parts.count > 1 && mayBeNothing(found) ? [.unknown(source)] : found
      }
    }
    return joined(pieces)
  }

  private static func mayBeNothing(_ pieces: [ManifestPiece]) -> Bool {
    if case .either(_, let one, let other)? = pieces.first { return one.isEmpty || other.isEmpty }
    return pieces.isEmpty
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
    let unknown =
      ofSettings(expression).map { [.computed($0, source)] } ?? [ManifestPiece.unknown(source)]
    switch expression {
    case .text(let text): return [.text(text)]
    case .number(let number): return [.text(number)]
    case .name("none"), .name("None"), .name("null"): return []
    case .filter(let inner, let name, []) where ["string", "safe"].contains(name):
      return meaning(inner, source, parameters)
    case .filter(let inner, let name, let words) where name != "join":
      if let found = formed(meaning(inner, source, parameters), name, words, unknown) {
        return found
      }
    case .binary("+", let left, let right), .binary("~", let left, let right):
      let sides = [left, right].map { meaning($0, source, parameters) }
      let both = sides.flatMap(\.self)
      // Numbers are added: only text among them makes it a concatenation.
      guard isText(expression), !both.contains(where: \.isUnknown), !sides.contains([]) else {
        return unknown
      }
      guard both.contains(where: \.isComputed) else { return both }
      // The sum becomes one value, and slashes in a value are encoded.
      return both.contains { $0.text?.holds("/") ?? false } ? [.unknown(source)] : unknown
    case .binary("or", let left, let right):
      return choice(meaning(left, source, parameters), meaning(right, source, parameters))
        ?? unknown
    case .choice(let value, let condition, let other):
      return conditional(value, condition, other, source, parameters) ?? unknown
    case .call(.name("format_datetime"), let words):
      return moment(words, source, parameters) ?? unknown
    case .call(.member(let inner, "strftime"), let words):
      return moment([inner] + words, source, parameters) ?? unknown
    case .call(.member(let mark, "join"), let words) where words.count == 1:
      return joined(words[0], mark) ?? unknown
    case .filter(let inner, "join", let words) where words.count < 2:
      return joined(inner, words.first ?? .text("")) ?? unknown
    case .entry(let inner, .binary("+", .text(let one), .text(let other))):
      return meaning(.entry(inner, .text(one + other)), source, parameters)
    case .call(.member(let inner, let name), let words)
    where name.hasSuffix("strip") || name == "lower" || name == "upper":
      return formed(meaning(inner, source, parameters), name, words, unknown) ?? unknown
    default: break
    }
    if let place = lookup(expression) {
      // A job's setting is not a list: one entry of a list becomes a separate setting.
      if place.root == "config", let at = place.steps.firstIndex(where: { Int($0) != nil }), at > 0
      {
        return [.computed([Array(place.steps[..<at])], source)]
      }
      if let found = meaning(place, parameters) { return found }
    }
    return unknown
  }

  private static func isText(_ sum: Jinja) -> Bool {
    switch sum {
    case .text, .binary("~", _, _): true
    case .binary("+", let left, let right): isText(left) || isText(right)
    default: false
    }
  }

  /// The text after a filter or a method; nil if that is unknown.
  private static func formed(
    _ inner: [ManifestPiece], _ name: String, _ words: [Jinja], _ unknown: [ManifestPiece]
  ) -> [ManifestPiece]? {
    switch inner.first {
    case .start?, .end?, .token?: if name == "int", words.isEmpty, inner.count == 1 { return inner }
    case .text(let text)? where words.isEmpty && inner.count == 1:
      switch name {
      case "int" where Int(text).map(String.init) == text: return inner
      case "lower": return [.text(text.lowercased())]
      case "upper": return [.text(text.uppercased())]
      case "trim", "strip": return [.text(text.trimmingBlanks)]
      default: break
      }
    default: break
    }
    switch (name, inner.first) {
    case ("urlencode", _?), ("trim", .setting?), ("strip", .setting?), ("rstrip", .setting?):
      return inner.count > 1 ? unknown : [.inAddress(inner, elsewhere: unknown)]
    case ("default", _), ("d", _): return nil
    default: return unknown
    }
  }

  /// Joins the entries of a list into one text.
  private static func joined(_ list: Jinja, _ mark: Jinja) -> [ManifestPiece]? {
    guard case .text(let mark) = mark else { return nil }
    if case .list(let entries) = list {
      let texts = entries.compactMap(plain)
      return texts.count == entries.count ? [.text(texts.joined(separator: mark))] : nil
    }
    return steps(list, in: "config").map { [.list($0, joinedBy: mark)] }
  }

  /// The settings in an expression that depends on nothing else.
  private static func ofSettings(_ expression: Jinja) -> [[String]]? {
    var paths: [[String]] = []
    return gather(expression, &paths) && !paths.isEmpty ? paths : nil
  }

  private static func gather(_ expression: Jinja, _ paths: inout [[String]]) -> Bool {
    if let place = lookup(expression), place.root == "config" {
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
    case .call(.member(let inner, _), let words), .call(let inner, let words),
      .filter(let inner, _, let words):
      return gather(inner, &paths) && words.allSatisfy { gather($0, &paths) }
    case .binary(_, let left, let right): return gather(left, &paths) && gather(right, &paths)
    case .choice(let value, let condition, let other):
      return gather(value, &paths) && gather(condition, &paths)
        && (other.map { gather($0, &paths) } ?? true)
    case .list(let entries): return entries.allSatisfy { gather($0, &paths) }
    }
  }

  /// The first of these with a value; nil if that cannot be determined.
  private static func choice(
    _ first: [ManifestPiece], _ second: [ManifestPiece]
  ) -> [ManifestPiece]? {
    guard first.count == 1 else { return first.isEmpty ? second : nil }
    let other = second.isEmpty ? "" : second.count == 1 ? second[0].text : nil
    switch first[0] {
    case .start, .end: return first
    case .text(let text) where !text.isEmpty: return first
    case .text: return second
    case .setting(let path, let fallback):
      return other.map { [.setting(path, fallback: fallback ?? $0)] }
    case .token(let fallback):
      return other.map { [.token(first: fallback ?? ($0.isEmpty ? nil : $0))] }
    default: return other == "" ? first : nil
    }
  }

  private static func conditional(
    _ value: Jinja, _ condition: Jinja, _ other: Jinja?, _ source: String,
    _ parameters: YAMLNode?
  ) -> [ManifestPiece]? {
    let first = meaning(value, source, parameters)
    let second = other.map { meaning($0, source, parameters) } ?? []
    guard !(first + second).contains(where: \.isUnknown) else { return nil }
    if let asked = presence(condition) {
      if let own = lookup(value), asked.root == own.root, asked.steps == own.steps {
        return choice(first, second)
      }
      // Without a window's state the whole list is requested.
      let isOfWindow = ["stream_interval", "stream_slice", "stream_state"].contains(asked.root)
      switch first.first {
      case .start?, .end?:
        if first.count == 1, isOfWindow, second.allSatisfy({ $0 == .text("") }) { return first }
      default: break
      }
    }
    return SettingTest(condition).map { [.either($0, first, second)] }
  }

  /// A formatted time; a time from settings is computed.
  private static func moment(
    _ words: [Jinja], _ source: String, _ parameters: YAMLNode?
  ) -> [ManifestPiece]? {
    guard words.count > 1, case .text(let format) = words[1] else { return nil }
    let inner = meaning(words[0], source, parameters)
    guard inner.count == 1 else { return nil }
    return switch inner[0] {
    case .start: [.start(format: format)]
    case .end: [.end(format: format)]
    default: nil
    }
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
      guard (place.fallback ?? "").isEmpty else { return nil }
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
}
