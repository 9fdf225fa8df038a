public import Base

/// Who may see a secret: one origin. For a secret that obtains tokens, also the one origin that gets them.
public struct KeyBond: Equatable, Sendable, CustomStringConvertible {
  public let origin: Origin
  /// Nil: requests carry the secret itself.
  public let tokensFor: Origin?

  public init(_ origin: Origin, tokensFor: Origin? = nil) {
    self.origin = origin
    self.tokensFor = tokensFor
  }

  /// As in a key's file.
  public var description: String {
    "\(origin)" + (tokensFor.map { " for tokens of \($0)" } ?? "")
  }

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard let origin = words.first.flatMap(Self.origin) else { return nil }
    self.origin = origin
    switch words.count {
    case 1: tokensFor = nil
    case 5 where words[1...3] == ["for", "tokens", "of"]:
      guard let other = Self.origin(words[4]) else { return nil }
      tokensFor = other
    default: return nil
    }
  }

  private static func origin(_ text: String) -> Origin? {
    // An invalid address binds to nothing, and the caller says so.
    guard let address = try? WebAddress(text), address.path == "/", address.query == nil else {
      return nil
    }
    return address.origin
  }
}
