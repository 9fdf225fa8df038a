internal import Glibc

/// A POSIX extended regular expression that a whole value must match. To compile one costs much, so it is done once.
public final class Pattern {
  private var compiled: regex_t

  static let lengthMax = 200
  /// The repetitions of nested `{m,n}` multiply, as does the memory of the compiled form.
  static let repetitionsMax = 1_000
  static let depthMax = 20
  /// Longer values are refused unread.
  public static let valueBytesMax = 2_000

  public struct Problem: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  public init(_ text: String) throws(Problem) {
    try Self.checkBounds(text)
    var compiled = regex_t()
    let code = regcomp(&compiled, "^(\(text))$", REG_EXTENDED | REG_NOSUB)
    guard code == 0 else {
      var words = [CChar](repeating: 0, count: 200)
      regerror(code, &compiled, &words, words.count)
      let end = words.firstIndex(of: 0) ?? words.count
      let said = String(decoding: words[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw Problem(description: "no POSIX extended regular expression: \(said)")
    }
    self.compiled = compiled
  }

  deinit { regfree(&compiled) }

  /// Whether the whole value matches.
  public func matches(_ value: String) -> Bool {
    value.utf8.count <= Self.valueBytesMax && !value.utf8.contains(0)
      && regexec(&compiled, value, 0, nil, 0) == 0
  }

  /// Refuses patterns that would take the C library unbounded memory or time, and brackets that would close the group
  /// we put around them.
  private static func checkBounds(_ text: String) throws(Problem) {
    let bytes = Array(text.utf8)
    if bytes.isEmpty { throw Problem(description: "the pattern is empty") }
    if bytes.count > lengthMax {
      throw Problem(description: "a pattern has at most \(lengthMax) bytes")
    }
    if bytes.contains(where: { $0 < 0x20 }) {
      throw Problem(description: "a pattern holds no control characters")
    }
    var depth = 0
    var product = 1
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\\"):
        index += 1
        if index < bytes.count, (49...57).contains(bytes[index]) {
          throw Problem(description: "a pattern may not refer back to a group (\\1)")
        }
      case UInt8(ascii: "["): index = endOfSet(bytes, from: index)
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth < 0 { throw Problem(description: "a ')' without its '('") }
      case UInt8(ascii: "{"):
        let digits = bytes[index...].prefix { $0 != UInt8(ascii: "}") }
        let bound = digits.split { !(48...57).contains($0) }.compactMap {
          Int(String(decoding: $0, as: UTF8.self))
        }.max()
        product *= max(1, min(bound ?? 1, repetitionsMax + 1))
      default: break
      }
      if depth > depthMax || product > repetitionsMax {
        throw Problem(description: "a pattern this nested or repeated costs too much")
      }
      index += 1
    }
  }

  /// The index of the `]` that ends a set, or of the last byte.
  private static func endOfSet(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    if index < bytes.count, bytes[index] == UInt8(ascii: "^") { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: "]") { index += 1 }
    while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
      let opensClass =
        bytes[index] == UInt8(ascii: "[") && index + 1 < bytes.count
        && ":.=".utf8.contains(bytes[index + 1])
      if opensClass {
        let mark = bytes[index + 1]
        index += 2
        while index + 1 < bytes.count,
          !(bytes[index] == mark && bytes[index + 1] == UInt8(ascii: "]"))
        {
          index += 1
        }
        index += 1
      }
      index += 1
    }
    return min(index, bytes.count - 1)
  }
}
