internal import Base

/// A key of several columns as a person writes it: a JSON list of texts and numbers.
enum KeyList {
  static func read(_ text: String) -> [String]? {
    // What is no JSON is no list: the caller says what would be right.
    guard let document = try? JSONDocument.read(Array(text.utf8)), document.root.isArray else {
      return nil
    }
    let parts = document.root.elements.map { $0.string ?? $0.wholeNumberText }
    guard !parts.contains(where: { $0 == nil }) else { return nil }
    return parts.compactMap { $0 }
  }
}

extension JSONValue {
  fileprivate var wholeNumberText: String? { integer.map { "\($0)" } }
}
