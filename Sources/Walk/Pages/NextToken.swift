internal import Base

/// A next state of several parameters (`continue: { cmcontinue: …, continue: "-||" }`), as a token:
/// `cmcontinue=…&continue=-%7C%7C`.
enum NextState {
  /// Nil if a value is not a text, number or boolean.
  static func token(_ state: JSONValue) -> String? {
    var pairs: [String] = []
    for member in state.members {
      guard let name = member.key.string, !name.isEmpty else { return nil }
      if member.value.isNull { continue }
      guard let value = text(member.value) else { return nil }
      pairs.append("\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))")
    }
    return pairs.joined(separator: "&")
  }

  static func pairs(_ token: String) -> [(name: String, value: String)] {
    token.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  private static func text(_ value: JSONValue) -> String? {
    value.string ?? value.rawNumber ?? value.boolean.map { $0 ? "true" : "false" }
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decoded(text), as: UTF8.self)
  }
}

extension WebAddress {
  /// The parameters of its query that have an equals sign, decoded.
  var pairs: [(name: String, value: String)] {
    (query ?? "").split(separator: "&").filter { $0.contains("=") }.flatMap {
      NextState.pairs(String($0))
    }
  }
}

/// A token that is a list in the answer (`search_after`), sent back as a list in the body.
enum ListToken {
  private static let mark = "list "

  /// As stored in a cursor: no text from an API looks like it.
  static func text(_ list: JSONValue) -> String {
    mark + String(decoding: list.json, as: UTF8.self)
  }

  static func json(_ token: String) -> String? {
    token.hasPrefix(mark + "[") ? String(token.dropFirst(mark.utf8.count)) : nil
  }
}
