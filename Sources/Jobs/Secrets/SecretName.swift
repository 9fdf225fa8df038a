/// Names of secrets and of the environment variables that may hold them.
enum SecretName {
  /// A file name: letters, digits, `-`, `_` and `.`, not a hidden one.
  static func isWellFormed(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || "-_.".utf8.contains($0)
      }
  }

  /// What tokens of well-known servers begin with.
  private static let marks = [
    "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-", "sk-", "sk_live_", "sk_test_", "xoxb-",
    "xoxp-", "AKIA", "AIza", "eyJ", "hf_", "ya29.",
  ]

  /// It is not shown to anybody.
  static func looksLikeSecret(_ text: String) -> Bool {
    text.utf8.count >= 20 && text.utf8.contains { (48...57).contains($0) }
      && marks.contains(where: text.hasPrefix)
  }

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
