internal import Base

/// The SHA-256 of some bytes: the name of a stored file. Four words, so that it fits in registers
/// and costs no memory of its own.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  static let byteCount = 32
  static let hexCount = 64

  private var words = SIMD4<UInt64>()

  /// Nil unless there are exactly 32 bytes.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    for (index, byte) in bytes.enumerated() { put(byte, at: index) }
  }

  /// Reads 64 lower-case hexadecimal digits: one digest has one spelling, so a file has one name.
  public init?(hex: some StringProtocol) {
    guard hex.utf8.count == Self.hexCount else { return nil }
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
    let big = SIMD4(
      words.x.bigEndian, words.y.bigEndian, words.z.bigEndian, words.w.bigEndian)
    return withUnsafeBytes(of: big, body)
  }

  public var description: String { hex }

  /// Which of the 256 folders holds the file: the first byte.
  var folder: UInt8 { UInt8(words.x >> 56) }

  /// Spread evenly and independent of the folder: what a sample is drawn by.
  var sampleWord: UInt64 { words.w }

  private mutating func put(_ byte: UInt8, at index: Int) {
    words[index >> 3] |= UInt64(byte) << UInt64(56 - 8 * (index & 7))
  }
}
