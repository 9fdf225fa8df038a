internal import Base

/// The text of a secret from a file or the user, checked without ever being shown.
enum KeyText {
  struct Parts: Equatable {
    let secret: Secret
    /// Who may see it according to the file.
    var bond: KeyBond?
    /// For a successor: a digest of the secret before it, which is elsewhere.
    var follows: String?
  }

  /// One line with the secret, and maybe a second one: `origin https://api.example.com`. A successor has a
  /// third: `follows DIGEST`.
  static func read(_ bytes: [UInt8]) throws(SecretKeepingProblem) -> Parts {
    var lines = trimmed(bytes).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var follows: String?
    if lines.count == 3, lines[2].starts(with: "follows ".utf8) {
      follows = String(decoding: lines.removeLast().dropFirst(8), as: UTF8.self)
    }
    if lines.count == 2, lines[1].starts(with: "origin ".utf8) {
      let text = String(decoding: lines[1].dropFirst(7), as: UTF8.self)
      guard let bond = KeyBond(text) else {
        throw SecretKeepingProblem(
          "its second line names no origin such as https://api.example.com")
      }
      return Parts(
        secret: try secret(Array(trimmed(lines[0] + [10]))), bond: bond, follows: follows)
    }
    return Parts(secret: try secret(trimmed(bytes)))
  }

  /// One line of plain characters.
  static func secret(_ bytes: [UInt8]) throws(SecretKeepingProblem) -> Secret {
    if bytes.isEmpty { throw SecretKeepingProblem("it is empty") }
    if bytes.count > Secret.bytesMax {
      throw SecretKeepingProblem("it has more than \(Secret.bytesMax) bytes")
    }
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw SecretKeepingProblem(
        "it holds line ends, control characters or letters that no key has; one line is due")
    }
    if bytes.first == 0x20 || bytes.last == 0x20 {
      throw SecretKeepingProblem("it begins or ends with a blank")
    }
    return Secret(String(decoding: bytes, as: UTF8.self))
  }

  /// Without one trailing line end: editors and `echo` add one.
  static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.last == UInt8(ascii: "\n") else { return bytes }
    let rest = bytes.dropLast()
    return Array(rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest)
  }
}
