internal import Base

/// Names of secrets and of the environment variables that may hold them.
public enum SecretName {
  /// A file name: letters, digits, `-`, `_` and `.`, not hidden.
  public static func isWellFormed(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || "-_.".utf8.contains($0)
      }
  }

  /// Prefixes of well-known servers' tokens.
  private static let marks = [
    "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-", "sk-", "sk_live_", "sk_test_", "xoxb-",
    "xoxp-", "AKIA", "AIza", "eyJ", "hf_", "ya29.",
  ]

  public static func looksLikeSecret(_ text: String) -> Bool {
    text.utf8.count >= 20 && text.utf8.contains { (48...57).contains($0) }
      && marks.contains(where: text.hasPrefix)
  }

  /// Whether a part of a path is a secret, alone or as in `/bot123456:…`.
  public static func isIn(path: String) -> Bool {
    path.split(separator: "/").map(String.init).contains { part in
      looksLikeSecret(part) || part.utf8.count >= 20 && part.hasPrefix("bot") && part.holds(":")
    }
  }

  /// Whether a value sent under a name is a secret, as in `api_key=…`. Under ambiguous names only if it is as long as a
  /// key, and not in a body, where `key` may name a member.
  public static func isSecret(
    _ text: String, called name: String, inBody: Bool = false
  ) -> Bool {
    let letters = String(
      decoding: name.lowercased().utf8.filter { (97...122).contains($0) }, as: UTF8.self)
    let isKey =
      text.utf8.count >= 16 && text.utf8.contains { (48...57).contains($0) }
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return looksLikeSecret(text)
      || text.utf8.count >= 6 && certain.contains { letters.hasSuffix($0) }
      || !inBody && isKey && perhaps.contains(letters)
  }

  private static let certain = [
    "apikey", "apitoken", "accesstoken", "authtoken", "authorization", "clientsecret",
    "clientassertion", "refreshtoken", "secretkey", "privatekey", "privatetoken", "password",
  ]
  private static let perhaps = ["key", "token", "secret", "appid", "cookie"]

  /// `shop-key`, `shop-key $SHOP_KEY`: a name, and a variable that may hold it.
  static func read(_ text: String) -> (name: String, variable: String?)? {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first, isWellFormed(name) else { return nil }
    if words.count == 1 { return (name, nil) }
    let variable = String(words[1].dropFirst())
    let isOne = words.count == 2 && words[1].hasPrefix("$") && isEnvironmentName(variable)
    return isOne ? (name, variable) : nil
  }

  private static func isEnvironmentName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
    return name.utf8.count <= 64
      && name.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == UInt8(ascii: "_")
      }
  }
}
