internal import Base

/// The functions that our own statements, and the expressions of job files, may call.
enum Functions {
  static func define(on connection: Connection) throws(SQLiteError) {
    let row = RowBuffer(columns: 1)
    try connection.define("trawl_hash", arguments: -1) { call in
      call.result(Int64(bitPattern: digest(of: call, by: row)))
    }
    // Arguments: the words so far, as digests read them, then values.
    try connection.define("trawl_words", arguments: -1) { call in
      call.result(blob: words(of: 1..<call.count, in: call, by: row))
    }
    // The same with names and values; NULL values are left out.
    try connection.define("trawl_pairs", arguments: -1) { call in
      let names = stride(from: 1, to: call.count - 1, by: 2).filter { call.kind($0 + 1) != .null }
      call.result(blob: words(of: names.flatMap { [$0, $0 + 1] }, in: call, by: row))
    }
    try connection.define("trawl_part", arguments: 1) { call in
      call.result(blob: call.withBytes(0) { bytes(part: Digest64.of($0)) })
    }
    // Arguments: parts, then the other values that the seal covers.
    try connection.define("trawl_sealed", arguments: -1) { call in
      let seal = digest(of: Array(1..<call.count) + [0], in: call, by: row)
      call.result(blob: call.withBytes(0) { bytes(seal) + $0 })
    }
    // The same by the words of the other values.
    try connection.define("trawl_sealed_words", arguments: 2) { call in
      var digest = Digest64()
      call.withBytes(1) { digest.add($0) }
      row.clear()
      row.set(0, from: call, 0)
      row.add(0, to: &digest)
      call.result(blob: call.withBytes(0) { bytes(digest.value) + $0 })
    }
    // Any query may call them: without an argument they are NULL.
    for name in ["trawl_words", "trawl_pairs", "trawl_sealed"] {
      try connection.define(name, arguments: 0) { _ in }
    }
    // Of wrong digests: a digest made from them is wrong too.
    try connection.define("trawl_doubtful", arguments: 1) { call in
      call.result(
        blob: call.withBytes(0) {
          $0.enumerated().map { $0.offset < TableDesign.partBytes ? ~$0.element : $0.element }
        })
    }
    try connection.define("trawl_digest", arguments: -1, isInnocuous: true) { call in
      call.result(Hexadecimal.text(digest(of: call, by: row)))
    }
    try connection.define("trawl_plain_url", arguments: 1, isInnocuous: true) { call in
      call.result(call.text(0).map(PlainURL.of))
    }
    try connection.define("trawl_unescape", arguments: 1, isInnocuous: true) { call in
      call.result(call.text(0).map(HTMLText.unescaped))
    }
  }

  /// The same digest as `RowBuffer.digest`, over values as they are stored.
  /// - Parameter row: of one column, which takes one argument after the other.
  static func digest(of call: FunctionCall, by row: RowBuffer) -> UInt64 {
    digest(of: 0..<call.count, in: call, by: row)
  }

  private static func digest(
    of arguments: some Sequence<Int>, in call: FunctionCall, by row: RowBuffer
  ) -> UInt64 {
    var digest = Digest64()
    for index in arguments {
      row.clear()
      row.set(0, from: call, index)
      row.add(0, to: &digest)
    }
    return digest.value
  }

  /// The words in the first argument, followed by those of these arguments.
  private static func words(
    of arguments: some Sequence<Int>, in call: FunctionCall, by row: RowBuffer
  ) -> [UInt8] {
    var words = call.withBytes(0) { Array($0) }
    for index in arguments {
      row.clear()
      row.set(0, from: call, index)
      row.withDigested(0) { words += $0 }
    }
    return words
  }

  /// In the byte order of digests in the file.
  static func bytes(_ digest: UInt64) -> [UInt8] {
    withUnsafeBytes(of: digest.littleEndian) { Array($0) }
  }

  /// Never zeros: they mean that no stream has filled the part.
  static func bytes(part digest: UInt64) -> [UInt8] { bytes(max(digest, 1)) }
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
