internal import Base

/// The server's own words in an answer that is not a page: a status alone says little.
enum ServerWords {
  private static let places: [[String]] = [
    ["message"], ["error", "message"], ["error_description"], ["error"], ["detail"],
    ["meta", "msg"], ["msg"], ["reason"], ["title"],
  ]
  private static let shownMax = 160

  /// `: "Your plan has ended."`, or nothing.
  static func clause(_ body: AnswerBody) -> String {
    said(body).map { ": \"\($0)\"" } ?? ""
  }

  static func said(_ body: AnswerBody) -> String? {
    body.document.flatMap { said($0.root) }
  }

  static func said(_ root: JSONValue) -> String? {
    guard root.isObject else { return nil }
    let listed = root["errors"]?.elements.first { _ in true }
    return places.lazy.compactMap { place in
      place.reduce(Optional(root)) { $0?[$1] }?.string.flatMap(shown)
    }.first ?? listed.flatMap { ($0.string ?? $0["message"]?.string).flatMap(shown) }
  }

  /// All that an error says, for people and for programs, without what it may repeat of the request.
  static func all(_ body: AnswerBody) -> [String] {
    guard let root = body.document?.root, root.isObject else { return [] }
    let nodes = [root, root["error"], root["meta"]].compactMap { $0 }
    let lists = nodes.flatMap { [$0["errors"], $0["details"]] }.compactMap { $0 }
    // cut: the first ones say what all say.
    let listed = lists.flatMap { $0.elements.prefix(listedMax) }
    // GraphQL has the word for programs there.
    let further = listed.compactMap { $0["extensions"] }
    return (nodes + listed + further).flatMap { node in
      ([node] + names.compactMap { node[$0] }).compactMap { $0.string.map(withoutTags) }
    }
  }

  private static let names = [
    "message", "error_description", "detail", "msg", "reason", "title", "status", "code", "type",
    "error_code", "errorCode",
  ]
  private static let listedMax = 10
  private static let readMax = 2_000

  /// One line, without characters that would affect the surrounding text.
  private static func shown(_ text: String) -> String? {
    let text = withoutTags(text)
    // Cut, and an ellipsis says so.
    let line = text.harmless(upTo: shownMax, " ").trimmingBlanks
    if line.isEmpty { return nil }
    return text.isLonger(than: shownMax) ? "\(line)…" : line
  }

  /// Some words are links: `your <a href="/quota">quota</a>`. Only the beginning of a long text.
  private static func withoutTags(_ text: String) -> String {
    let text = text.harmless(upTo: readMax, " ")
    // Without an end of one, `<limit>` is a name.
    guard text.holds("</") else { return text }
    let parts = text.split(separator: "<", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { kept, part in
      let isTag = part.utf8.first.map { $0 == UInt8(ascii: "/") || (97...122).contains($0 | 32) }
      guard isTag == true, let end = part.utf8.firstIndex(of: UInt8(ascii: ">")) else {
        return "\(kept)<\(part)"
      }
      return kept + part[part.utf8.index(after: end)...]
    }
  }
}
