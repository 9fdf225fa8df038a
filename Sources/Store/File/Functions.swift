internal import Base

/// The functions that our own statements, and the expressions of job files, may call.
enum Functions {
  static func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_hash", arguments: -1) { call in
      call.result(Int64(bitPattern: digest(of: call)))
    }
    try connection.define("trawl_part", arguments: -1) { call in
      call.result(blob: bytes(part: digest(of: call)))
    }
    // Arguments: the pairs so far, then names and values; NULL values are left out.
    try connection.define("trawl_pairs", arguments: -1) { call in
      var taken = call.withBytes(0) { Array($0) }
      for name in stride(from: 1, to: call.count - 1, by: 2) where call.kind(name + 1) != .null {
        append(call, name, to: &taken)
        append(call, name + 1, to: &taken)
      }
      call.result(blob: taken)
    }
    try connection.define("trawl_part_of_pairs", arguments: 1) { call in
      call.result(blob: call.withBytes(0) { bytes(part: Digest64.of($0)) })
    }
    // Arguments: parts, then the other values that the seal covers.
    try connection.define("trawl_sealed", arguments: -1) { call in
      let seal = digest(of: call, Array(1..<call.count) + [0])
      call.result(blob: call.withBytes(0) { bytes(seal) + $0 })
    }
    // Of wrong digests: a digest made from them is wrong too.
    try connection.define("trawl_doubtful", arguments: 1) { call in
      call.result(
        blob: call.withBytes(0) {
          $0.enumerated().map { $0.offset < TableDesign.partBytes ? ~$0.element : $0.element }
        })
    }
    try connection.define("trawl_digest", arguments: -1, isInnocuous: true) { call in
      call.result(Hexadecimal.text(digest(of: call)))
    }
    try connection.define("trawl_plain_url", arguments: 1, isInnocuous: true) { call in
      call.result(call.text(0).map(PlainURL.of))
    }
    try connection.define("trawl_unescape", arguments: 1, isInnocuous: true) { call in
      call.result(call.text(0).map(HTMLText.unescaped))
    }
  }

  /// Appends a value with its class and length, as digests take it.
  private static func append(_ call: FunctionCall, _ index: Int, to taken: inout [UInt8]) {
    let row = RowBuffer(columns: 1)
    row.clear()
    row.set(0, from: call, index)
    row.withDigested(0) { taken += $0 }
  }

  /// The same digest as `RowBuffer.digest`, over values as they are stored.
  static func digest(of call: FunctionCall) -> UInt64 { digest(of: call, 0..<call.count) }

  /// In the byte order of digests in the file.
  static func bytes(_ digest: UInt64) -> [UInt8] {
    withUnsafeBytes(of: digest.littleEndian) { Array($0) }
  }

  /// Never zeros: they mean that no stream has filled the part.
  static func bytes(part digest: UInt64) -> [UInt8] { bytes(max(digest, 1)) }

  private static func digest(of call: FunctionCall, _ arguments: some Sequence<Int>) -> UInt64 {
    var digest = Digest64()
    for index in arguments {
      let kind = call.kind(index)
      switch kind {
      case .null: add(kind, 0, to: &digest)
      case .integer:
        add(kind, 8, to: &digest)
        withUnsafeBytes(of: call.integer(index).littleEndian) { digest.add($0) }
      case .real:
        let value = call.real(index)
        add(kind, 8, to: &digest)
        withUnsafeBytes(of: (value == 0 ? 0 : value).bitPattern.littleEndian) { digest.add($0) }
      case .text, .blob:
        call.withBytes(index) { bytes in
          add(kind, bytes.count, to: &digest)
          digest.add(bytes)
          for _ in 0..<(-bytes.count & 7) { digest.add(UInt8(0)) }
        }
      }
    }
    return digest.value
  }

  private static func add(_ kind: SQLKind, _ count: Int, to digest: inout Digest64) {
    withUnsafeBytes(of: (UInt64(count) << 8 | UInt64(kind.rawValue)).littleEndian) {
      digest.add($0)
    }
  }
}

/// `trawl_plain_url`: a URL without its fragment and without tracking parameters, so that one page
/// has one key.
enum PlainURL {
  static func of(_ url: String) -> String {
    let bytes = Array(url.utf8)
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
    guard let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else {
      return String(decoding: bytes[..<end], as: UTF8.self)
    }
    let kept = bytes[(mark + 1)..<end].split(
      separator: UInt8(ascii: "&"), omittingEmptySubsequences: false
    ).filter { !isTracking($0) }
    var plain = Array(bytes[..<mark])
    if !kept.isEmpty {
      plain.append(UInt8(ascii: "?"))
      plain += kept.joined(separator: [UInt8(ascii: "&")])
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func isTracking(_ parameter: ArraySlice<UInt8>) -> Bool {
    let name = parameter.prefix { $0 != UInt8(ascii: "=") }
    return name.starts(with: "utm_".utf8) || name.elementsEqual("fbclid".utf8)
      || name.elementsEqual("gclid".utf8)
  }
}
