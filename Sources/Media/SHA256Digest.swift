internal import Base

/// The SHA-256 of some bytes: the name of a stored file. Four words, so that it fits in registers
/// and allocates no memory.
public struct SHA256Digest: Hashable, Sendable, Comparable, CustomStringConvertible {
  static let byteCount = 32
  static let hexCount = 64

  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// Nil unless there are exactly 32 bytes.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    words = (0, 0, 0, 0)
    for (index, byte) in bytes.enumerated() { put(byte, at: index) }
  }

  /// Reads 64 lower-case hexadecimal digits: one digest has one spelling, so a file has one name.
  public init?(hex: some StringProtocol) {
    guard hex.utf8.count == Self.hexCount else { return nil }
    words = (0, 0, 0, 0)
    var high: UInt8 = 0
    for (index, digit) in hex.utf8.enumerated() {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x61...0x66: value = digit - 0x61 + 10
      default: return nil
      }
      if index & 1 == 0 { high = value << 4 } else { put(high | value, at: index / 2) }
    }
  }

  public var bytes: [UInt8] { withBytes { Array($0) } }

  public var hex: String { withBytes { Hexadecimal.text($0) } }

  private func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    withUnsafeBytes(
      of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
  }

  public var description: String { hex }

  /// Which of the 256 folders has the file: the first byte.
  var folder: UInt8 { UInt8(words.0 >> 56) }

  /// Evenly distributed and independent of the folder: decides which sample a file is in.
  var sampleWord: UInt64 { words.3 }

  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// The order of the bytes, which is also that of the hexadecimal text.
  public static func < (left: Self, right: Self) -> Bool { left.words < right.words }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.3)
  }

  private mutating func put(_ byte: UInt8, at index: Int) {
    let part = UInt64(byte) << UInt64(56 - 8 * (index & 7))
    switch index >> 3 {
    case 0: words.0 |= part
    case 1: words.1 |= part
    case 2: words.2 |= part
    default: words.3 |= part
    }
  }
}
