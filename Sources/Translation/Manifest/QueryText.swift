/// A query within a text.
enum QueryText {
  /// Its pairs, as written; one without a name is ignored.
  static func pairs(_ text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&").compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return sides[0].isEmpty ? nil : (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
    }
  }
}
