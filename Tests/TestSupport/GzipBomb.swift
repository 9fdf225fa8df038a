/// A gzip body of 80 KB that unpacks to a 13 MB JPEG, made bit by bit.
public enum GzipBomb {
  public static let packed: [UInt8] = {
    let start = Picture.endlessJPEG + [0]
    let count = UInt8(start.count)
    // A stored block that is not the last one; then the last one, with fixed codes.
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    bytes += [0, count, 0, ~count, 0xFF] + start
    // A match of 258 bytes at distance 1, in bit order.
    let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    var bits: [UInt8] = [1, 1, 0]
    for _ in 0..<50_000 { bits += match }
    var packed = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() { packed[index / 8] |= bit << UInt8(index % 8) }
    return bytes + packed
  }()
}
