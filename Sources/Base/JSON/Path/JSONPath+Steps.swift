extension JSONPath {
  /// The path's segments as texts: keys and positions as they are, `*` for every element, `[-1]` and `[rel=next]`.
  public var steps: [String] { segments.map(\.step) }

  /// The steps up to the first choice of a list element, or all of them.
  public var stepsBeforeChoice: [String] { Array(steps.prefix(choice ?? segments.count)) }

  /// Whether the list of a choice exists but has no such element.
  public func choosesNone(in value: JSONValue) -> Bool {
    guard let choice else { return false }
    let list = self[..<choice].first(in: value)
    return list?.isArray == true && first(in: value) == nil
  }

  private var choice: Int? {
    segments.firstIndex { segment in
      switch segment {
      case .last, .chosen: true
      case .key, .number, .every: false
      }
    }
  }
}

extension JSONPath {
  /// The member names that the path consists of; nil if it goes into lists.
  public var members: [String]? {
    segments.allSatisfy { if case .key = $0 { true } else { false } } ? steps : nil
  }

  /// The member names up to the first `*`.
  public var membersBeforeAll: [String]? { beforeAll.members }

  /// The path up to the first `*`.
  public var beforeAll: JSONPath { self[..<(segments.firstIndex(of: .every) ?? segments.count)] }
}

extension JSONPath {
  /// The path in the notation of a job file: a key that is not a plain word is quoted.
  public static func text(of steps: [String]) -> String {
    if steps.isEmpty { return "." }
    return steps.reduce("") { text, step in
      if isChoice(step) { return text + step }
      return text + (text.isEmpty ? "" : ".") + (isPlain(step) ? step : quoted(step))
    }
  }

  /// `[-1]`, `[rel=next]`
  private static func isChoice(_ step: String) -> Bool {
    // Not a path: an ordinary name.
    guard step.utf8.first == UInt8(ascii: "["), let path = try? JSONPath(step) else { return false }
    return path.segments.count == 1 && path.choice == 0
  }

  private static func quoted(_ key: String) -> String {
    "\"" + key.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }

  /// Whether a path can lead to a member of this name.
  public static func isSayable(_ key: String) -> Bool {
    let path = try? JSONPath(text(of: [key]))  // no path: not sayable
    return !key.isEmpty && key != "*" && path?.steps == [key] && path?.choice == nil
  }

  private static func isPlain(_ key: String) -> Bool {
    key == "*"
      || !key.isEmpty
        && key.utf8.first != UInt8(ascii: "-")
        && key.utf8.allSatisfy {
          (97...122).contains($0 | 32) && $0 >= 65 || (48...57).contains($0)
            || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
  }
}
