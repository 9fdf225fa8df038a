internal import Base

/// Texts of records, searched for in other stored text: addresses, sentences, JSON. A number of few
/// digits occurs everywhere and identifies nothing.
public struct NamedTexts: Sendable {
  /// Words, which are found literally.
  private var words: Set<[UInt8]> = []
  /// Texts with other characters, as the parts that are the same in every encoding: found in order,
  /// and near to each other.
  private var parts: [[ArraySlice<UInt8>]] = []

  private static let wordMin = 4
  private static let partsMin = 8
  /// Between two parts: `%2F%2F`, `\u0026`, `&quot;`
  private static let gapMax = 12

  public init(_ texts: [String] = []) { for text in texts { add(text) } }

  public var isEmpty: Bool { words.isEmpty && parts.isEmpty }

  public mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    if bytes.allSatisfy(Self.isOfWord) {
      let isNumber = bytes.allSatisfy { (48...57).contains($0) }
      if bytes.count >= (isNumber ? Self.wordMin + 2 : Self.wordMin) { words.insert(bytes) }
      return
    }
    let plain = bytes.split { !Self.isOfWord($0) && $0 != UInt8(ascii: ".") }
    guard plain.reduce(0, { $0 + $1.count }) >= Self.partsMin else { return }
    parts.append(plain)
  }

  public func areNamed(in text: some Collection<UInt8>) -> Bool {
    if !words.isEmpty,
      text.split(whereSeparator: { !Self.isOfWord($0) }).contains(where: {
        $0.count >= Self.wordMin && words.contains(Array($0))
      })
    {
      return true
    }
    return parts.contains { parts in
      var rest = text[...]
      while let at = rest.firstIndex(where: { $0 == parts[0].first }) {
        if Self.begin(parts, text[at...]) { return true }
        rest = text[at...].dropFirst()
      }
      return false
    }
  }

  private static func begin(
    _ parts: [ArraySlice<UInt8>], _ text: some Collection<UInt8>
  ) -> Bool {
    var rest = text.dropFirst(0)
    for (index, part) in parts.enumerated() {
      var gap = index == 0 ? 0 : gapMax
      while !rest.starts(with: part) {
        if gap == 0 || rest.isEmpty { return false }
        rest = rest.dropFirst()
        gap -= 1
      }
      rest = rest.dropFirst(part.count)
    }
    return true
  }

  /// An address is also searched in its decoded form.
  func areNamed(in text: String?) -> Bool {
    guard let text else { return false }
    return areNamed(in: Array(text.utf8)) || areNamed(in: PercentEncoding.decoded(text))
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 32) || (48...57).contains(byte) || byte == 95 || byte == 45
      || byte >= 128
  }
}
