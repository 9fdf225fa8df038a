/// A parameter's value as it was given: text, or the name of a stored list.
public enum GivenValue: Hashable, Sendable {
  /// Used literally. `@@x` is given for the text `@x`.
  case text(String)
  /// `@trending_words`, `@channels.id`: what that stream has stored in a column (nil: the one that it offers).
  case stored(stream: String, column: String?)

  public init(_ given: String) {
    if given.hasPrefix("@@") {
      self = .text(String(given.dropFirst()))
    } else if given.hasPrefix("@") {
      let parts = given.dropFirst().split(
        separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      self = .stored(
        stream: String(parts[0]), column: parts.count > 1 ? String(parts[1]) : nil)
    } else {
      self = .text(given)
    }
  }
}
