internal import Base

/// Collects the head of one answer from libcurl's lines and checks it: libcurl itself takes the last of two lengths and
/// trusts a closed connection.
struct HeadReader {
  enum Problem: Equatable { case tooLarge, malformed(String) }

  /// All header fields of a hop together.
  static let bytesMax = 256_000

  private(set) var bytes = 0
  private(set) var status: Int?
  private(set) var fields = HeaderFields()
  private(set) var isComplete = false
  private(set) var framing = Framing.untilClose
  private(set) var isGzip = false
  private var pending: HeaderField?
  private var isHTTP2 = false

  /// How the end of the body is known: by its length, by the protocol, or not at all.
  enum Framing: Equatable { case length(Int), marked, untilClose }

  /// Takes one line with its end. Interim heads (1xx) are dropped; lines after the head are trailers, which count
  /// against the limit and are dropped too.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Problem? {
    bytes += line.count
    if bytes > Self.bytesMax { return .tooLarge }
    if isComplete { return nil }
    var text = line
    while let last = text.last, last == 10 || last == 13 {
      text = UnsafeRawBufferPointer(rebasing: text.dropLast())
    }
    if text.starts(with: "HTTP/".utf8), status == nil { return readStatus(text) }
    guard let status else { return .malformed("its first line is not HTTP") }
    if text.isEmpty {
      flush()
      if (100..<200).contains(status) {
        self.status = nil
        fields = HeaderFields()
        return nil
      }
      isComplete = true
      return judge(status)
    }
    if text.first == 32 || text.first == 9 {
      pending?.value += " " + String(decoding: text, as: UTF8.self).trimmingBlanks
      return pending == nil ? .malformed("its first field begins with a blank") : nil
    }
    flush()
    guard let colon = text.firstIndex(of: 58) else {
      return .malformed("a line of its head has no colon")
    }
    let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
    guard FieldRules.isName(name) else {
      return .malformed("a field of its head has no right name")
    }
    let value = String(decoding: text[(colon + 1)...], as: UTF8.self).trimmingBlanks
    pending = HeaderField(String(decoding: name, as: UTF8.self), value)
    return nil
  }

  private mutating func flush() {
    if let pending { fields.append(pending) }
    pending = nil
  }

  private mutating func readStatus(_ line: UnsafeRawBufferPointer) -> Problem? {
    let words = line.split(separator: 32, maxSplits: 2, omittingEmptySubsequences: true)
    guard words.count >= 2, words[1].count == 3,
      let code = Int(String(decoding: words[1], as: UTF8.self)), (100...999).contains(code)
    else { return .malformed("its status line is not HTTP") }
    status = code
    isHTTP2 = words[0].dropFirst(5).first.map { $0 >= UInt8(ascii: "2") } ?? false
    return nil
  }

  private mutating func judge(_ status: Int) -> Problem? {
    let codings = Self.list(fields.values("Transfer-Encoding"))
    guard codings.allSatisfy({ $0 == "chunked" || $0 == "identity" }) else {
      return .malformed("it uses a transfer encoding that was not requested")
    }
    let lengths = Self.list(fields.values("Content-Length"))
    if lengths.contains(where: { $0 != lengths.first }) {
      return .malformed("it names two different lengths")
    }
    var length: Int?
    if let text = lengths.first {
      guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) else {
        return .malformed("its length is not a number")
      }
      length = number
    }
    if status == 204 || status == 304 {
      framing = .marked
      return nil
    }
    if !isHTTP2, codings.contains("chunked") {
      framing = .marked
    } else {
      framing = length.map { .length($0) } ?? (isHTTP2 ? .marked : .untilClose)
    }
    return judgeEncoding()
  }

  private mutating func judgeEncoding() -> Problem? {
    // Some servers name the letters' encoding here, or none.
    let encodings = Self.list(fields.values("Content-Encoding"))
      .filter { !["identity", "none", "utf-8"].contains($0) }
    if encodings.isEmpty { return nil }
    guard encodings == ["gzip"] || encodings == ["x-gzip"] else {
      // Only these: another word could be a secret that the server repeats.
      let named = encodings.filter { ["br", "compress", "deflate", "gzip", "zstd"].contains($0) }
      let names = named.isEmpty ? "" : " (\(named.joined(separator: ", ")))"
      return .malformed("it is packed in a way that was not requested\(names)")
    }
    isGzip = true
    return nil
  }

  /// The elements of comma-separated fields, in lower case.
  private static func list(_ values: [String]) -> [String] {
    // Nearly always a single number.
    if values.count == 1, values[0].utf8.allSatisfy({ (48...57).contains($0) }) {
      return values[0].isEmpty ? [] : values
    }
    return values.flatMap { $0.split(separator: ",") }
      .map { String($0).trimmingBlanks.lowercased() }
      .filter { !$0.isEmpty }
  }
}
