/// The flat form of a parsed document that both readers build: simdjson's documented tape.
///
/// Word 0 is the root. Each word has its tag in the top 8 bits and a payload of 56 bits: for a list
/// or object the word after its end (low 32 bits) and its count (24 bits, saturated), for a string
/// its place in `strings` (32-bit length, bytes, zero byte), for a number its place in the source;
/// the number's value is the next word.
///
/// `@unchecked Sendable`: all memory is written before the tape is shared and never again; the one `JSONDocument` that
/// owns it frees it once no value is left.
struct Tape: @unchecked Sendable {
  let words: UnsafePointer<UInt64>
  let strings: UnsafePointer<UInt8>
  /// The base of the numbers' offsets: the text without its byte order mark.
  let source: UnsafePointer<UInt8>
  let sourceCount: Int

  /// The position of the document's top value.
  static let rootIndex = 1
  static let payloadMask: UInt64 = (1 << 56) - 1
  static let countMask: UInt64 = 0xFF_FFFF

  enum Tag {
    static let root = UInt8(ascii: "r")
    static let object = UInt8(ascii: "{")
    static let objectEnd = UInt8(ascii: "}")
    static let array = UInt8(ascii: "[")
    static let arrayEnd = UInt8(ascii: "]")
    static let string = UInt8(ascii: "\"")
    static let signed = UInt8(ascii: "l")
    static let unsigned = UInt8(ascii: "u")
    static let double = UInt8(ascii: "d")
    /// Ours: a number beyond 64 bits or beyond `Double`; its word holds the nearest double.
    static let huge = UInt8(ascii: "h")
    static let yes = UInt8(ascii: "t")
    static let no = UInt8(ascii: "f")
    static let null = UInt8(ascii: "n")
  }

  static func word(_ tag: UInt8, _ payload: Int) -> UInt64 {
    UInt64(tag) << 56 | UInt64(truncatingIfNeeded: payload)
  }

  func tag(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: words[index] >> 56) }

  func payload(_ index: Int) -> Int { Int(truncatingIfNeeded: words[index] & Tape.payloadMask) }

  /// The place after the value at `index`.
  func next(_ index: Int) -> Int {
    let word = words[index]
    switch UInt8(truncatingIfNeeded: word >> 56) {
    case Tag.object, Tag.array: return Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
    case Tag.signed, Tag.unsigned, Tag.double, Tag.huge: return index + 2
    default: return index + 1
    }
  }

  /// The place of the closing word of the list or object at `index`.
  func close(_ index: Int) -> Int { Int(truncatingIfNeeded: words[index] & 0xFFFF_FFFF) - 1 }

  /// Members or elements of the object or list at `index`.
  func count(_ index: Int) -> Int {
    let stored = Int(truncatingIfNeeded: (words[index] >> 32) & Tape.countMask)
    guard stored == Int(Tape.countMask) else { return stored }
    let isObject = tag(index) == Tag.object
    let end = close(index)
    var counted = 0
    var at = index + 1
    while at < end {
      at = next(isObject ? at + 1 : at)
      counted += 1
    }
    return counted
  }

  /// The bytes of the string at `index`.
  func string(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = strings + payload(index)
    let length = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    return UnsafeBufferPointer(start: start + 4, count: Int(length))
  }

  /// The text of the number at `index`, as it was written.
  func number(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = payload(index)
    var end = start
    while end < sourceCount, Tape.isNumberByte(source[end]) { end += 1 }
    return UnsafeBufferPointer(start: source + start, count: end - start)
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The value of the first member named `key`, in the order of the text.
  func member(_ key: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
    guard tag(object) == Tag.object else { return nil }
    let end = close(object)
    var at = object + 1
    while at < end {
      if Tape.equal(string(at), key) { return at + 1 }
      at = next(at + 1)
    }
    return nil
  }

  /// The element at `position` of the list.
  func element(_ position: Int, of array: Int) -> Int? {
    guard tag(array) == Tag.array, position >= 0 else { return nil }
    let end = close(array)
    var at = array + 1
    var passed = 0
    while at < end {
      if passed == position { return at }
      at = next(at)
      passed += 1
    }
    return nil
  }

  /// The first element of the list with a member of this name and text.
  func element(with key: [UInt8], _ text: [UInt8], of array: Int) -> Int? {
    guard tag(array) == Tag.array else { return nil }
    let end = close(array)
    var at = array + 1
    while at < end {
      if let value = key.withUnsafeBufferPointer({ member($0, of: at) }), tag(value) == Tag.string,
        text.withUnsafeBufferPointer({ Tape.equal(string(value), $0) })
      {
        return at
      }
      at = next(at)
    }
    return nil
  }

  /// Whether both hold the same bytes: identifiers are never compared by canonical equivalence.
  static func equal(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool
  {
    guard one.count == other.count else { return false }
    guard let left = UnsafeRawPointer(one.baseAddress),
      let right = UnsafeRawPointer(other.baseAddress)
    else { return true }
    var at = 0
    while at &+ 8 <= one.count {
      if left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      {
        return false
      }
      at &+= 8
    }
    while at < one.count {
      if one[at] != other[at] { return false }
      at &+= 1
    }
    return true
  }
}
