internal import CSimdjson

/// One JSON text, parsed once and never changed; it owns the text that all values point into.
public final class JSONDocument: Sendable {
  /// The deepest nesting that is read. An empty list or object adds no level.
  static let depthMax = 1_024
  /// The longest text that is read. A parsed document may take twelve times the text in memory.
  static let bytesMax = 256_000_000

  /// Strings and keys in which a bad byte or lone surrogate became U+FFFD.
  public var repairedStrings: Int { repairs.count }

  let tape: Tape
  /// In the order of the text.
  let repairs: [RepairedString]
  private let text: SourceText
  let owner: TapeOwner

  init(text: SourceText, tape: Tape, owner: TapeOwner, repairs: [RepairedString] = []) {
    self.repairs = repairs
    self.text = text
    self.tape = tape
    self.owner = owner
  }

  deinit {
    owner.free()
    text.free()
  }

  /// The document's top value.
  public var root: JSONValue { JSONValue(document: self, index: Tape.rootIndex) }

  /// Lends the original text, byte order mark included.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(start: text.start, count: text.count))
  }
}

/// The bytes of a document, followed by the zero bytes that simdjson reads past the end.
///
/// `@unchecked Sendable`: written once, before it is shared.
struct SourceText: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let count: Int

  init(copying bytes: UnsafeRawBufferPointer) {
    let padding = Int(CSIMDJSON_PADDING)
    count = bytes.count
    start = UnsafeMutableRawPointer.allocate(byteCount: count + padding, alignment: 64)
    if let from = bytes.baseAddress { start.copyMemory(from: from, byteCount: count) }
    (start + count).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
  }

  func free() { start.deallocate() }
}

/// Who frees the arrays of a tape.
///
/// `@unchecked Sendable`: the pointers are only handed back, once, by the document's deinit.
enum TapeOwner: @unchecked Sendable {
  case simdjson(UnsafeMutableRawPointer)
  case ours(
    words: UnsafeMutableBufferPointer<UInt64>, strings: UnsafeMutableBufferPointer<UInt8>)

  func free() {
    switch self {
    case .simdjson(let handle): csimdjson_free(handle)
    case .ours(let words, let strings):
      words.deallocate()
      strings.deallocate()
    }
  }
}
