internal import Base
internal import Transport

/// An object with pages: a mark, their size and count, and then all of them packed, each after its number.
enum PieceBytes {
  private static let mark = Array("TRAWLP1\n".utf8)
  /// Bytes of pages before packing: so much is in memory at a time.
  static let rawBytesMax = 16_000_000

  static func packed(_ numbers: [Int], of file: any PageSource, _ pageBytes: Int)
    throws(BucketError)
    -> [UInt8]
  {
    var raw: [UInt8] = []
    raw.reserveCapacity(numbers.count * (4 + pageBytes))
    for number in numbers {
      put(number, to: &raw)
      raw += try file.read(pageBytes, at: number * pageBytes)
    }
    var bytes = mark
    put(pageBytes, to: &bytes)
    put(numbers.count, to: &bytes)
    return bytes + Packing.packed(raw)
  }

  /// Writes each page to its place. Returns the digests of what was written, by number.
  static func unpack(
    _ bytes: [UInt8], _ pageBytes: Int, into file: PageFile
  ) throws(BucketError) -> [(number: Int, digest: UInt64)] {
    let head = mark.count + 8
    guard bytes.count > head, bytes.starts(with: mark), word(bytes, mark.count) == pageBytes,
      word(bytes, mark.count + 4) <= rawBytesMax / (4 + pageBytes),
      let raw = Packing.unpacked(
        bytes[head...], count: word(bytes, mark.count + 4) * (4 + pageBytes))
    else { throw .damaged("an object of the folder is not what was put") }
    var written: [(Int, UInt64)] = []
    for start in stride(from: 0, to: raw.count, by: 4 + pageBytes) {
      let number = word(raw, start)
      let page = raw[(start + 4)..<(start + 4 + pageBytes)]
      try file.write(page, at: number * pageBytes)
      written.append((number, PageDigests.digest(of: page, isFirst: number == 0)))
    }
    return written
  }

  private static func put(_ value: Int, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: UInt32(value).bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A big-endian number of four bytes.
  static func word(_ bytes: [UInt8], _ at: Int) -> Int {
    (0..<4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
  }
}
