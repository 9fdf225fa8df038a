/// GIF 89a: 128 colours, four of them used, and codes of one byte each, since the code table is cleared before it would
/// need a ninth bit.
enum GIFFile {
  private static let clear: UInt8 = 0x80
  private static let end: UInt8 = 0x81
  /// After a clear, 126 codes fit before the table reaches 256 entries.
  private static let run = 126

  static func bytes(_ picture: Picture, target: Int) -> [UInt8] {
    let side = [UInt8(picture.side & 0xFF), UInt8(picture.side >> 8)]
    var out = Array("GIF89a".utf8) + side + side
    out += [0xF6, 0, 0]  // a global table of 2^7 colours
    for index in 0..<128 {
      let colour = picture.palette[index % picture.palette.count]
      out += [colour.red, colour.green, colour.blue]
    }
    var codes: [UInt8] = []
    var pixels: [UInt8] = []
    for y in 0..<picture.side { pixels += picture.line(y) }
    for start in stride(from: 0, to: pixels.count, by: run) {
      codes.append(clear)
      codes += pixels[start..<min(start + run, pixels.count)]
    }
    codes.append(end)
    let image = [0x2C, 0, 0, 0, 0] + side + side + [0, 7] + blocks(codes)
    let room = target - out.count - image.count - 4
    if room > 0 { out += [0x21, 0xFE] + blocks(picture.padding(room - room / 256)) }
    return out + image + [0x3B]
  }

  /// Sub-blocks of at most 255 bytes, ended by an empty one.
  private static func blocks(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count + bytes.count / 255 + 2)
    for start in stride(from: 0, to: bytes.count, by: 255) {
      let part = bytes[start..<min(start + 255, bytes.count)]
      out.append(UInt8(part.count))
      out += part
    }
    out.append(0)
    return out
  }
}
