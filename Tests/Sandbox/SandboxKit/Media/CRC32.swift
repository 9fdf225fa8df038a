/// The checksum of PNG and gzip.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    ~table.withUnsafeBufferPointer { table in
      bytes.withUnsafeBufferPointer { bytes in
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes { crc = table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
        return crc
      }
    }
  }

  /// Of so many zero bytes, without looking at each: one zero byte is a linear map of the register
  /// over single bits, and squaring the map doubles the bytes it stands for.
  static func ofZeros(_ count: Int) -> UInt32 {
    var map = (0..<32).map { bit -> UInt32 in
      let register = UInt32(1) << bit
      return table[Int(register & 0xFF)] ^ (register >> 8)
    }
    var crc: UInt32 = 0xFFFF_FFFF
    var left = count
    while left > 0 {
      if left & 1 == 1 { crc = apply(map, crc) }
      map = map.map { apply(map, $0) }
      left >>= 1
    }
    return ~crc
  }

  private static func apply(_ map: [UInt32], _ register: UInt32) -> UInt32 {
    map.indices.reduce(0) { $0 ^ (register >> $1 & 1 == 1 ? map[$1] : 0) }
  }
}
