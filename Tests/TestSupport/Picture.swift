/// Small whole images, with different bytes for each number.
public enum Picture {
  public static func gif(_ number: Int, padding: Int = 40) -> [UInt8] {
    var comment: [UInt8] = []
    var left = padding
    while left > 0 {
      let count = min(left, 200)
      comment += [UInt8(count)] + Array(repeating: UInt8(number & 0xFF), count: count)
      left -= count
    }
    let name = Array("picture \(number)".utf8)
    return Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 255, 255, 0, 0, 0]
      + [0x21, 0xFE, UInt8(name.count)] + name + comment + [0]
      + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
  }

  /// The start of a JPEG whose coded data never ends.
  public static let endlessJPEG: [UInt8] = [
    0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0,
    63, 0,
  ]
}
