internal import CSimdjson

extension JSONDocument {
  /// Longer texts are first checked for depth: simdjson indexes the whole text before it looks at the nesting, which
  /// costs 4 bytes of memory for each bracket of a bracket bomb. The check takes twice as long as parsing, and pages
  /// are far shorter.
  static let depthScanBytes = 8 << 20

  /// Reads one document. simdjson accepts what RFC 8259 and 64 bits allow; what it refuses goes to our own reader,
  /// which either repairs it (see `repairs`) or reports the exact error.
  public static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONDocument {
    try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
      try read(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads one document from borrowed memory, which it copies.
  public static func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONDocument {
    guard bytes.count <= bytesMax else {
      throw JSONError(.tooLarge, at: bytesMax, "the text is longer than \(bytesMax) bytes")
    }
    return try read(SourceText(copying: bytes))
  }

  /// Reads with our own reader alone; the tests compare it with simdjson.
  static func readTolerantly(_ bytes: [UInt8]) throws(JSONError) -> JSONDocument {
    let text = bytes.withUnsafeBytes { SourceText(copying: $0) }
    do throws(JSONError) {
      return try readTolerantly(text)
    } catch {
      text.free()
      throw error
    }
  }

  private static func read(_ text: SourceText) throws(JSONError) -> JSONDocument {
    do throws(JSONError) {
      if text.count > depthScanBytes {
        try measureDepth(UnsafeRawBufferPointer(start: text.start, count: text.count))
      }
      let skipped = text.byteOrderMarkCount
      let start = text.start.assumingMemoryBound(to: UInt8.self) + skipped
      let parsed = csimdjson_parse(start, text.count - skipped, depthMax)
      if parsed.code == CSIMDJSON_NO_MEMORY {
        throw JSONError(.memory, at: 0, "no memory for a document of \(text.count) bytes")
      }
      guard let handle = parsed.owner, let words = parsed.words, let strings = parsed.strings
      else { return try readTolerantly(text) }
      let tape = Tape(
        words: words, strings: strings, source: UnsafePointer(start),
        sourceCount: text.count - skipped)
      return JSONDocument(text: text, tape: tape, owner: .simdjson(handle))
    } catch {
      text.free()
      throw error
    }
  }

  /// Leaves `text` to the caller when it throws.
  private static func readTolerantly(_ text: SourceText) throws(JSONError) -> JSONDocument {
    let skipped = text.byteOrderMarkCount
    let start = text.start.assumingMemoryBound(to: UInt8.self) + skipped
    var reader = TolerantReader(
      UnsafeBufferPointer(start: start, count: text.count - skipped))
    do throws(JSONError) {
      try reader.read()
    } catch {
      throw JSONError(error.kind, at: error.offset + skipped, error.message)
    }
    let (tape, owner) = reader.finish()
    return JSONDocument(text: text, tape: tape, owner: owner, repairs: reader.repairs)
  }

  /// Refuses a text that nests too deep, in one pass without allocating. Other errors are left to the readers; the one
  /// level above the limit is for an empty list.
  static func measureDepth(_ text: UnsafeRawBufferPointer) throws(JSONError) {
    var depth = 0
    var inString = false
    var at = 0
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\""): inString.toggle()
      case UInt8(ascii: "\\") where inString: at += 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard !inString else { break }
        depth += 1
        if depth > depthMax + 1 {
          throw JSONError.depth(at: at)
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if !inString { depth -= 1 }
      default: break
      }
      at += 1
    }
  }
}

extension JSONError {
  static func depth(at offset: Int) -> JSONError {
    JSONError(.tooDeep, at: offset, "more than \(JSONDocument.depthMax) levels of nesting")
  }
}

extension SourceText {
  /// 3 if the text begins with the UTF-8 byte order mark, which is skipped, else 0.
  var byteOrderMarkCount: Int {
    guard count >= 3 else { return 0 }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    return bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
  }
}
