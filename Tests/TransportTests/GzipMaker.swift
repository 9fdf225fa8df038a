/// Makes gzip bodies byte by byte, so that the tests need no compression library.
enum GzipMaker {
  private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

  /// Uncompressed, but with the right checksum and length.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    precondition(bytes.count < 65536, "one stored block holds no more")
    let count = UInt16(bytes.count)
    return head + [1] + little(count) + little(~count) + bytes + little(crc(bytes))
      + little(UInt32(bytes.count))
  }

  /// The first bytes of a stream of zeros, and 13 bytes that each add 2064 zeros. With fixed codes a match of 258 bytes
  /// at distance 1 is `11000101 00000`: 13 bits.
  static let bomb: (start: [UInt8], more: [UInt8]) = {
    let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]  // last block, fixed code; a zero
    for _ in 0..<24 { bits += match }
    var bytes = [UInt8](repeating: 0, count: bits.count / 8)
    for index in 0..<(bytes.count * 8) { bytes[index / 8] |= bits[index] << UInt8(index % 8) }
    return (head + bytes[..<2], Array(bytes[2..<15]))
  }()

  static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0 as UInt32) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// 2090 bytes of JSON, compressed by zlib's best level (a block with its own codes).
  static let packed: [UInt8] = {
    let digits = Array(packedHex.utf8).map { $0 < 58 ? $0 - 48 : $0 - 87 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }()
  static let packedLength = 2090

  private static let packedHex =
    "1f8b080000000000020365954b8a55410c86b72267dc42a5f2ee45b80171504f69d0166c1c897bf742cb89a4"
    + "46970bf593aae4fb723effbe5ee6f55c9eae6f3fbebebc5ecfd7afb7f5f363b99eaed7f67d3dfe7f7afc7c28"
    + "d79fa7f7930e9ece423aeb0b55bdc31d31b414a114c1216ba3d43ba2ac29e229325b139980774454f2c52465"
    + "d4e65c32e8ceb073ca544e19506029ca91014a19cc753ad398adca9d21c4dc81fc1e4623c6a97706b9a68ce4"
    + "b66de87d4cb33b531552c6f2746c6f2445bf33e079f850f2f8ebaa6d94d522540e0a6aae3486546cdee37619"
    + "03a0fc2269ee9d68046ea4c75473eb6c429d7b066f7290e079444d8b356d2b88b303858305622a157847a8d0"
    + "c14faef4cf8630e8d1951cb2e349d036d0088798320d5873f3602fb1a56111091ca8e629f505ab580d8fd032"
    + "0f74f0c083d9608648d5330f44b9d26e3676b730a9c2b1172cbfc96d9032864a801908aeb97b28bbafb5c225"
    + "ce40b0e6314d4614f370c935032107108ad256a590c93c032147258056b9ef90c92003a1c793da9e3eb9854c"
    + "8a19083d9a470b8036874dc2c77e38c6b406d9f0123ab16620fc00c29a15aa3d7422cb40f8815eb5ae7d48e8"
    + "44e50042f35279ff50844d588f0501356f15aef26860d854e9d8107a40c4abba854c20c78220cb5302e78618"
    + "32d9f1ad80a3ce1e13c60a97320ce8f93d731572f130c96b868124774e070e2824ffdd2dc3c0c73e86a668be"
    + "1f267df90b795320f62a080000"
}
