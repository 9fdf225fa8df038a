internal import Base

/// Texts of records, to be found where something else was written with them: in addresses, in sentences, in JSON.
/// A number of few digits is in everything, and names nothing.
public struct NamedTexts: Sendable {
  /// Words, which are found as such.
  private var words: Set<[UInt8]> = []
  /// What has other letters, by its longest part that no way of writing changes.
  private var parts: [[UInt8]] = []

  private static let wordMin = 4
  private static let partMin = 8

  public init(_ texts: [String] = []) { for text in texts { add(text) } }

  public var isEmpty: Bool { words.isEmpty && parts.isEmpty }

  public mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    if bytes.allSatisfy(Self.isOfWord) {
      let isNumber = bytes.allSatisfy { (48...57).contains($0) }
      if bytes.count >= (isNumber ? Self.wordMin + 2 : Self.wordMin) { words.insert(bytes) }
      return
    }
    let plain = bytes.split { $0 < 32 || [34, 38, 39, 47, 60, 62, 92].contains($0) }
    guard let longest = plain.max(by: { $0.count < $1.count }), longest.count >= Self.partMin
    else { return }
    parts.append(Array(longest))
  }

  public func areNamed(in text: some Collection<UInt8>) -> Bool {
    if !words.isEmpty,
      text.split(whereSeparator: { !Self.isOfWord($0) }).contains(where: {
        $0.count >= Self.wordMin && words.contains(Array($0))
      })
    {
      return true
    }
    return parts.contains { part in
      var rest = text[...]
      while let at = rest.firstIndex(of: part[0]) {
        rest = rest[at...]
        if rest.starts(with: part) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }

  /// An address is looked at as it was meant, too.
  func areNamed(in text: String?) -> Bool {
    guard let text else { return false }
    return areNamed(in: Array(text.utf8)) || areNamed(in: PercentEncoding.decoded(text))
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 32) || (48...57).contains(byte) || byte == 95 || byte == 45
      || byte >= 128
  }
}
