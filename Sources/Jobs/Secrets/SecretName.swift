/// Names of secrets and of the environment variables that may hold them.
enum SecretName {
  /// A file name: letters, digits, `-`, `_` and `.`, not a hidden one.
  static func isWellFormed(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || "-_.".utf8.contains($0)
      }
  }

  static func isEnvironmentName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
    return name.utf8.count <= 64
      && name.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == UInt8(ascii: "_")
      }
  }
}
