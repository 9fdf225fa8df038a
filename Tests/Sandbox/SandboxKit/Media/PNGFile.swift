/// PNG (ISO 15948): palette, one byte a pixel, deflate in stored blocks.
enum PNGFile {
  static func bytes(_ picture: Picture, target: Int) -> [UInt8] {
    var out: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let side = UInt32(picture.side)
    append("IHDR", bigEndian(side) + bigEndian(side) + [8, 3, 0, 0, 0], to: &out)
    append("PLTE", picture.palette.flatMap { [$0.red, $0.green, $0.blue] }, to: &out)
    var raw: [UInt8] = []
    for y in 0..<picture.side {
      raw.append(0)  // no filter
      raw += picture.line(y)
    }
    append("IDAT", GzipPacker.packed(raw, level: 0, isFramedByZlib: true), to: &out)
    // The padding chunk and the last chunk need 12 bytes each.
    let room = target - out.count - 24
    if room > 0 { append("paDd", picture.padding(room), to: &out) }
    append("IEND", [], to: &out)
    return out
  }

  private static func append(_ type: String, _ body: [UInt8], to out: inout [UInt8]) {
    out += bigEndian(UInt32(body.count))
    let checked = Array(type.utf8) + body
    out += checked
    out += bigEndian(GzipPacker.checksum(checked))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
