extension JSONPath {
  /// The path's segments as texts: keys and positions as they are, `*` for every element.
  public var steps: [String] {
    segments.map { segment in
      switch segment {
      case .key(let bytes), .number(_, let bytes): String(decoding: bytes, as: UTF8.self)
      case .every: "*"
      }
    }
  }
}

extension JSONPath {
  /// The names of the members that the path goes by; nil where it goes into lists.
  public var members: [String]? {
    segments.allSatisfy { if case .key = $0 { true } else { false } } ? steps : nil
  }

  /// The same, as far as the first list that it goes through.
  public var membersBeforeAll: [String]? {
    let front = segments.prefix { $0 != .every }
    return JSONPath("", segments: Array(front)).members
  }
}

extension JSONPath {
  /// As a job file writes the way: a key that is no plain word is in quotes.
  public static func text(of steps: [String]) -> String {
    steps.isEmpty ? "." : steps.map { isPlain($0) ? $0 : quoted($0) }.joined(separator: ".")
  }

  private static func quoted(_ key: String) -> String {
    "\"" + key.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }

  /// Whether a path can be written that leads to a member of this name.
  public static func isSayable(_ key: String) -> Bool {
    let path = try? JSONPath(text(of: [key]))  // no path: not sayable
    return !key.isEmpty && key != "*" && path?.steps == [key]
  }

  private static func isPlain(_ key: String) -> Bool {
    key == "*"
      || !key.isEmpty
        && key.utf8.allSatisfy {
          (97...122).contains($0 | 32) && $0 >= 65 || (48...57).contains($0)
            || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
  }
}
