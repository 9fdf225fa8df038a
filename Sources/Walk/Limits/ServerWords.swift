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

  /// One line, without characters that would affect the surrounding text.
  private static func shown(_ text: String) -> String? {
    // Cut, and an ellipsis says so.
    let line = text.harmless(upTo: shownMax, " ").trimmingBlanks
    if line.isEmpty { return nil }
    return text.isLonger(than: shownMax) ? "\(line)…" : line
  }
}
