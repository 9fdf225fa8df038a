/// The least of deflate (RFC 1951) that a reader accepts: stored blocks, and runs of zeros.
enum Deflate {
  /// Stored blocks of at most 65,535 bytes; an empty input is one empty block.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + bytes.count / 65_535 * 5 + 8)
    var start = 0
    repeat {
      let part = bytes[start..<min(start + 65_535, bytes.count)]
      start = part.endIndex
      let count = UInt16(part.count)
      out.append(start == bytes.count ? 1 : 0)
      for number in [count, ~count] {
        out += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
      }
      out += part
    } while start < bytes.count
    return out
  }

  /// With the frame of zlib (RFC 1950).
  static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
    var (low, high) = (UInt32(1), UInt32(0))
    bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        // 5,552 bytes are the most whose sums fit into 32 bits.
        let end = min(index + 5552, bytes.count)
        while index < end {
          low &+= UInt32(bytes[index])
          high &+= low
          index += 1
        }
        low %= 65_521
        high %= 65_521
      }
    }
    let sum = high << 16 | low
    return [0x78, 0x01] + stored(bytes) + withUnsafeBytes(of: sum.bigEndian) { Array($0) }
  }

  /// With the frame of gzip (RFC 1952).
  static func gzipStored(_ bytes: [UInt8]) -> [UInt8] {
    gzipHead + stored(bytes) + gzipTail(crc: CRC32.of(bytes), count: bytes.count)
  }

  /// A gzip file of `count` zeros (at least 1), 1/159 of their size: the code for a run of 258
  /// takes 13 bits.
  static func gzipZeros(_ count: Int) -> [UInt8] {
    var bits = LeastBitsFirst()
    bits.append(0b011, 3)  // the last block, with the fixed codes
    bits.append(0b0000_1100, 8)  // literal 0: code 00110000, written from its first bit on
    let runs = (count - 1) / 258
    for _ in 0..<runs { bits.append(0b00000_10100011, 13) }  // length 258 (11000101), distance 1
    for _ in 0..<((count - 1) - runs * 258) { bits.append(0b0000_1100, 8) }
    bits.append(0, 7)  // end of block
    return gzipHead + bits.finished() + gzipTail(crc: CRC32.ofZeros(count), count: count)
  }

  private static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  private static func gzipTail(crc: UInt32, count: Int) -> [UInt8] {
    withUnsafeBytes(of: crc.littleEndian) { Array($0) }
      + withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian) { Array($0) }
  }
}

private struct LeastBitsFirst {
  private var out: [UInt8] = []
  private var word: UInt64 = 0
  private var count: UInt64 = 0

  mutating func append(_ bits: UInt64, _ length: UInt64) {
    word |= bits << count
    count += length
    while count >= 8 {
      out.append(UInt8(truncatingIfNeeded: word))
      word >>= 8
      count -= 8
    }
  }

  mutating func finished() -> [UInt8] {
    if count > 0 { out.append(UInt8(truncatingIfNeeded: word)) }
    return out
  }
}
