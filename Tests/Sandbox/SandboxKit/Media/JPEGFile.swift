/// Baseline JPEG (ITU T.81): each block has one colour, so only its first coefficient is coded.
enum JPEGFile {
  static func bytes(_ picture: Picture, target: Int) -> [UInt8] {
    let side = [UInt8(picture.side >> 8), UInt8(picture.side & 0xFF)]
    var head: [UInt8] = [0xFF, 0xD8]
    head += [0xFF, 0xE0, 0, 16] + "JFIF\0".utf8 + [1, 1, 0, 0, 1, 0, 1, 0, 0]
    // All steps are 8: the first coefficient of a flat block is then its value minus 128.
    head += [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 8, count: 64)
    head += [0xFF, 0xC0, 0, 17, 8] + side + side
    head += [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
    head += [0xFF, 0xC4, 0, 31, 0x00] + categoryCounts + (0...11).map { UInt8($0) }
    // One symbol, "no further coefficient", with the code 0.
    head += [0xFF, 0xC4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
    var scan: [UInt8] = [0xFF, 0xDA, 0, 12, 3, 1, 0x00, 2, 0x00, 3, 0x00, 0, 63, 0]
    scan += coded(picture)
    return head + comments(picture, target - head.count - scan.count - 2) + scan + [0xFF, 0xD9]
  }

  /// The number of codes of each length from 1 to 16: table K.3 of the standard, whose symbols are the categories 0 to
  /// 11 in order.
  private static let categoryCounts: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]

  /// Code and length of each category, assigned as in the standard.
  private static let categoryCodes: [(code: Int, length: Int)] = {
    var codes: [(code: Int, length: Int)] = []
    var code = 0
    for (index, count) in categoryCounts.enumerated() {
      for _ in 0..<count {
        codes.append((code, index + 1))
        code += 1
      }
      code <<= 1
    }
    return codes
  }()

  private static func coded(_ picture: Picture) -> [UInt8] {
    let colours = picture.palette.map(components)
    let blocksPerCell = picture.cellPixels / 8
    var bits = BitWriter()
    var last = [0, 0, 0]
    for row in 0..<picture.cells * blocksPerCell {
      for column in 0..<picture.cells * blocksPerCell {
        let colour = colours[Int(picture.cell(row / blocksPerCell, column / blocksPerCell))]
        for component in 0..<3 {
          let difference = colour[component] - last[component]
          last[component] = colour[component]
          let magnitude = abs(difference)
          let category = Int.bitWidth - magnitude.leadingZeroBitCount
          bits.append(categoryCodes[category].code, categoryCodes[category].length)
          bits.append(difference < 0 ? difference + (1 << category) - 1 : difference, category)
          bits.append(0, 1)
        }
      }
    }
    return bits.finished()
  }

  /// Y, Cb and Cr, each less 128, as JFIF defines them.
  private static func components(_ colour: Picture.Colour) -> [Int] {
    let (red, green, blue) = (Double(colour.red), Double(colour.green), Double(colour.blue))
    let values = [
      0.299 * red + 0.587 * green + 0.114 * blue - 128,
      -0.168736 * red - 0.331264 * green + 0.5 * blue,
      0.5 * red - 0.418688 * green - 0.081312 * blue,
    ]
    return values.map { min(127, max(-128, Int($0.rounded()))) }
  }

  private static func comments(_ picture: Picture, _ room: Int) -> [UInt8] {
    guard room > 4 else { return [] }
    var out: [UInt8] = []
    var rest = picture.padding(room - 4 * (room / 65_000 + 1))[...]
    while !rest.isEmpty {
      let part = rest.prefix(65_000)
      out += [0xFF, 0xFE, UInt8((part.count + 2) >> 8), UInt8((part.count + 2) & 0xFF)] + part
      rest = rest.dropFirst(65_000)
    }
    return out
  }
}

/// Writes bits, most significant first; a byte of ones is followed by a zero, as in a JPEG scan.
private struct BitWriter {
  private var out: [UInt8] = []
  private var word = 0
  private var count = 0

  mutating func append(_ bits: Int, _ length: Int) {
    guard length > 0 else { return }
    word = word << length | (bits & ((1 << length) - 1))
    count += length
    while count >= 8 {
      let byte = UInt8(truncatingIfNeeded: word >> (count - 8))
      out.append(byte)
      if byte == 0xFF { out.append(0) }
      count -= 8
    }
    word &= (1 << count) - 1
  }

  /// Pads the last byte with ones.
  mutating func finished() -> [UInt8] {
    if count > 0 { append((1 << (8 - count)) - 1, 8 - count) }
    return out
  }
}
