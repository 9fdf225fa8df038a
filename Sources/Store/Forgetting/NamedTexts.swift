internal import Base

/// Texts of records, to be found in other stored text. Short numbers occur everywhere, so they are left out; a
/// lowercase word counts only as a whole value.
public struct NamedTexts: Sendable {
  /// All texts; found as whole values.
  private var values: Set<[UInt8]> = []
  /// Distinctive words; found anywhere.
  private var words: Set<[UInt8]> = []
  /// Texts with other characters, split into the parts that are the same in every encoding; found in order and close
  /// together.
  private var parts: [[ArraySlice<UInt8>]] = []

  private static let wordMin = 4
  private static let partsMin = 5
  /// Some texts were too short to search for.
  public private(set) var lacksSome = false
  /// Between two parts: `%2F%2F`, `\u0026`, `&quot;`
  private static let gapMax = 12

  public init(_ texts: [String] = []) { for text in texts { add(text) } }

  public var isEmpty: Bool { values.isEmpty }

  public mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    let isNumber = bytes.allSatisfy { (48...57).contains($0) }
    guard bytes.count >= (isNumber ? Self.wordMin + 2 : Self.wordMin) else {
      lacksSome = true
      return
    }
    values.insert(bytes)
    if bytes.allSatisfy(Self.isOfWord) {
      if !bytes.allSatisfy({ (97...122).contains($0) }) { words.insert(bytes) }
      return
    }
    let plain = bytes.split { !Self.isOfWord($0) && $0 != UInt8(ascii: ".") }
    guard plain.reduce(0, { $0 + $1.count }) >= Self.partsMin else { return }
    parts.append(plain)
  }

  // MARK: whole values

  /// Their forms in stored text.
  var spellings: [String] {
    let texts = values.map { String(decoding: $0, as: UTF8.self) }
    let json = texts.map { text in String([text].jsonText.dropFirst(2).dropLast(2)) }
    return (texts + json + texts.map(PercentEncoding.encoded)).distinctBytes
  }

  /// Whether a stored value is one of them, or holds one as a whole: a path segment or a parameter of
  /// an address, a value of JSON, or what a sentence has in quotes or parentheses.
  public func areHeld(by text: String?) -> Bool {
    guard let text, !values.isEmpty else { return false }
    var bytes = Array(text.utf8)[...]
    if values.contains(Array(bytes)) { return true }
    if let first = bytes.first, "[{".utf8.contains(first), let root = JSONValue(text: text) {
      return areHeld(by: root)
    }
    bytes = Self.behindHost(bytes)
    return bytes.split(whereSeparator: "/?&#;()\"'".utf8.contains).contains { part in
      let isParameter = part.firstIndex(of: UInt8(ascii: "=")).map { part.index(after: $0) }
      let text = String(decoding: part[(isParameter ?? part.startIndex)...], as: UTF8.self)
      let value = PercentEncoding.decoded(text, plusIsSpace: true)
      // One of a batch, or a file name without its extension.
      return values.contains(value) || values.contains(PercentEncoding.decoded(text))
        || value.split(whereSeparator: ",|".utf8.contains).contains { values.contains(Array($0)) }
        || values.contains(Array(value.prefix { $0 != UInt8(ascii: ".") }))
    }
  }

  private func areHeld(by value: JSONValue) -> Bool {
    switch value.kind {
    case .object: value.members.contains { areHeld(by: $0.value) }
    case .array: value.elements.contains(where: areHeld)
    case .string: areHeld(by: value.string)
    default: values.contains(value.json)
    }
  }

  /// Also finds texts with special characters in any encoding; ignores the host.
  func areNamed(inAddress text: String?) -> Bool {
    guard let text else { return false }
    return areHeld(by: text) || haveParts(in: Self.behindHost(Array(text.utf8)[...]))
  }

  private static func behindHost(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let scheme = bytes.firstRange(of: Array("://".utf8)) else { return bytes }
    return bytes[scheme.upperBound...].drop { !"/?#".utf8.contains($0) }
  }

  // MARK: running text

  public func areNamed(in text: some Collection<UInt8>) -> Bool {
    if !words.isEmpty,
      text.split(whereSeparator: { !Self.isOfWord($0) }).contains(where: {
        $0.count >= Self.wordMin && words.contains(Array($0))
      })
    {
      return true
    }
    return haveParts(in: text)
  }

  /// Whether one of them is a word of the text, even a common one.
  public func areWords(of text: some Collection<UInt8>) -> Bool {
    text.split(whereSeparator: { !Self.isOfWord($0) }).contains { values.contains(Array($0)) }
  }

  private func haveParts(in text: some Collection<UInt8>) -> Bool {
    parts.contains { parts in
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

  private static func isOfWord(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 32) || (48...57).contains(byte) || byte == 95 || byte == 45
      || byte >= 128
  }
}
