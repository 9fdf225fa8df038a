internal import Base

/// The head of one request.
struct RequestHead: Sendable {
  let method: String
  let target: String
  /// As written, in order.
  let fields: [(name: String, value: String)]

  /// Larger heads are answered with 431, and the connection closes.
  static let bytesMax = 64 << 10

  enum Problem: Error { case malformed, version }

  /// Reads a head including its empty line; a bare line feed ends a line too.
  init(_ bytes: [UInt8]) throws(Problem) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { $0.last == 0x0D ? $0.dropLast() : $0 }.prefix { !$0.isEmpty }
    let words = lines.first?.split(separator: 0x20, omittingEmptySubsequences: false) ?? []
    guard words.count == 3, let first = words[1].first else { throw .malformed }
    guard words[2].elementsEqual("HTTP/1.1".utf8) else { throw .version }
    guard !words[0].isEmpty, words[0].allSatisfy({ (0x41...0x5A).contains($0) }),
      first == 0x2F || first == 0x2A, words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw .malformed }
    var fields: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { throw .malformed }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      guard name == name.trimmingBlanks else { throw .malformed }
      fields.append(
        (name, String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingBlanks))
    }
    self.fields = fields
    method = String(decoding: words[0], as: UTF8.self)
    target = String(decoding: words[1], as: UTF8.self)
  }

  /// The first value of a name, ignoring case.
  subscript(name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// Whether the connection stays open after the answer.
  var keepsAlive: Bool { self["Connection"]?.lowercased().contains("close") != true }
}
