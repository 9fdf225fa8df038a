/// The head of one request as received: bytes, from which text is made only on demand.
struct RequestHead: Sendable {
  let bytes: [UInt8]
  let method: String
  let target: String
  /// 0 for HTTP/1.0, whose connections close by default.
  let minorVersion: Int
  private let fields: [Field]

  private struct Field: Sendable {
    var name: Range<Int>
    var value: Range<Int>
  }

  /// Larger heads are answered with 431, and the connection closes.
  static let bytesMax = 64 << 10
  static let fieldsMax = 200

  enum Problem: Error { case malformed, tooManyFields, version }

  /// Reads a head including its empty line.
  init(_ bytes: [UInt8]) throws(Problem) {
    var lines = LineRanges(bytes)
    guard let start = lines.next() else { throw .malformed }
    let words = bytes[start].split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, let first = words[1].first else { throw .malformed }
    guard words[2].count == 8, words[2].starts(with: "HTTP/1.".utf8), let digit = words[2].last,
      digit == 0x30 || digit == 0x31
    else { throw .version }
    guard words[0].allSatisfy({ (0x41...0x5A).contains($0) }), first == 0x2F || first == 0x2A,
      words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw .malformed }
    var fields: [Field] = []
    fields.reserveCapacity(8)
    while let line = lines.next(), !line.isEmpty {
      guard let colon = bytes[line].firstIndex(of: 0x3A), colon > line.lowerBound,
        !Self.isBlank(bytes[line.lowerBound]), !Self.isBlank(bytes[colon - 1])
      else { throw .malformed }
      guard fields.count < Self.fieldsMax else { throw .tooManyFields }
      var value = (colon + 1)..<line.upperBound
      while let byte = bytes[value].first, Self.isBlank(byte) {
        value = (value.lowerBound + 1)..<value.upperBound
      }
      while let byte = bytes[value].last, Self.isBlank(byte) {
        value = value.lowerBound..<(value.upperBound - 1)
      }
      fields.append(Field(name: line.lowerBound..<colon, value: value))
    }
    self.bytes = bytes
    self.fields = fields
    method = String(decoding: words[0], as: UTF8.self)
    target = String(decoding: words[1], as: UTF8.self)
    minorVersion = Int(digit - 0x30)
  }

  /// The first value of a name, ignoring case.
  subscript(name: StaticString) -> String? {
    name.withUTF8Buffer { wanted in
      let field = fields.first { field in
        field.name.count == wanted.count
          && zip(bytes[field.name], wanted).allSatisfy { Self.folded($0) == Self.folded($1) }
      }
      return field.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }
  }

  /// The names as written, in order.
  var names: [String] { fields.map { String(decoding: bytes[$0.name], as: UTF8.self) } }

  /// Whether the connection stays open after the answer.
  var keepsAlive: Bool {
    guard let wish = self["Connection"]?.lowercased() else { return minorVersion == 1 }
    if wish.contains("close") { return false }
    return minorVersion == 1 || wish.contains("keep-alive")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}

/// The lines of a head without their ends; a bare line feed ends a line too.
private struct LineRanges {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Range<Int>? {
    guard let feed = bytes[index...].firstIndex(of: 0x0A) else { return nil }
    let end = feed > index && bytes[feed - 1] == 0x0D ? feed - 1 : feed
    defer { index = feed + 1 }
    return index..<end
  }
}
