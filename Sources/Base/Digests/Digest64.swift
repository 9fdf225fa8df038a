/// A 64-bit digest that is the same in every process and on every machine: SipHash-2-4 under a
/// fixed key. It distinguishes keys and rows; it is not a defence against forgery.
public struct Digest64: Sendable {
  private var v0: UInt64 = 0x736f_6d65_7073_6575 ^ 0x7472_6177_6c2d_6b65
  private var v1: UInt64 = 0x646f_7261_6e64_6f6d ^ 0x792d_6469_6765_7374
  private var v2: UInt64 = 0x6c79_6765_6e65_7261 ^ 0x7472_6177_6c2d_6b65
  private var v3: UInt64 = 0x7465_6462_7974_6573 ^ 0x792d_6469_6765_7374
  private var tail: UInt64 = 0
  private var count = 0

  public init() {}

  /// The digest of one run of bytes.
  public static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var digest = Digest64()
    digest.add(bytes)
    return digest.value
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    let whole: Void? = bytes.withContiguousStorageIfAvailable { add(UnsafeRawBufferPointer($0)) }
    if whole == nil { for byte in bytes { add(byte) } }
  }

  public mutating func add(_ buffer: UnsafeRawBufferPointer) {
    var index = 0
    while index < buffer.count, count & 7 != 0 {
      add(buffer[index])
      index += 1
    }
    // A local copy stays in registers.
    var state = self
    while index + 8 <= buffer.count {
      state.mix(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
      state.count += 8
    }
    self = state
    while index < buffer.count {
      add(buffer[index])
      index += 1
    }
  }

  public mutating func add(_ byte: UInt8) {
    tail |= UInt64(byte) << UInt64((count & 7) * 8)
    count += 1
    if count & 7 == 0 {
      mix(tail)
      tail = 0
    }
  }

  /// A length and then the bytes, so that ("ab", "c") and ("a", "bc") differ.
  public mutating func addField(_ bytes: some Collection<UInt8>) {
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { add($0) }
    add(bytes)
  }

  public mutating func addField(_ text: String) { addField(text.utf8) }

  /// The digest of everything added so far.
  public var value: UInt64 {
    var copy = self
    copy.mix(copy.tail | UInt64(truncatingIfNeeded: copy.count) << 56)
    copy.v2 ^= 0xff
    for _ in 0..<4 { copy.round() }
    return copy.v0 ^ copy.v1 ^ copy.v2 ^ copy.v3
  }

  private mutating func mix(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func round() {
    v0 = v0 &+ v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 = v2 &+ v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 = v0 &+ v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 = v2 &+ v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }
}
