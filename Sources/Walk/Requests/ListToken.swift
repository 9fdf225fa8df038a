internal import Base

/// A token that is a list in the answer (`search_after`): it goes back into the body as one.
enum ListToken {
  private static let mark = "list "

  /// As a cursor keeps it: no text that an API sends looks so.
  static func text(_ list: JSONValue) -> String {
    mark + String(decoding: list.json, as: UTF8.self)
  }

  static func json(_ token: String) -> String? {
    token.hasPrefix(mark + "[") ? String(token.dropFirst(mark.utf8.count)) : nil
  }
}
