internal import Base

/// The decoded parameters of a query, in order; a `+` is a space.
struct Query: Sendable {
  let pairs: [(name: String, value: String)]

  init(_ text: Substring) {
    pairs = text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
  }

  /// The first value of a name, compared byte by byte.
  subscript(name: String) -> String? {
    pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// A whole number of at most 18 digits; nil for anything else.
  func int(_ name: String) -> Int? {
    guard let text = self[name], text.utf8.count <= 18 else { return nil }
    return Int(text)
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decoded(text, plusIsSpace: true), as: UTF8.self)
  }
}
