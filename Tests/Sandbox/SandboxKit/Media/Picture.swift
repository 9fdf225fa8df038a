/// The content of an image, whatever its format: a symmetric pattern of square cells in four colours.
struct Picture: Sendable {
  struct Colour: Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
  }

  /// The number of cells in each direction.
  let cells: Int
  /// The pixels of a cell's side; a multiple of 8, the block size of JPEG.
  let cellPixels: Int
  let palette: [Colour]
  private let pattern: [UInt8]
  private let salt: UInt64

  var side: Int { cells * cellPixels }

  init(salt: UInt64) {
    self.salt = salt
    var random = SeededRandom(salt, 0x7069_6374)
    let cells = 5 + random.below(4)
    self.cells = cells
    cellPixels = 8 * (1 + random.below(2))
    palette = (0..<4).map { _ in
      Colour(
        red: UInt8(random.below(256)), green: UInt8(random.below(256)),
        blue: UInt8(random.below(256)))
    }
    var pattern = [UInt8](repeating: 0, count: cells * cells)
    for row in 0..<cells {
      for column in 0...(cells / 2) {
        let colour = UInt8(random.below(4))
        pattern[row * cells + column] = colour
        pattern[row * cells + cells - 1 - column] = colour
      }
    }
    self.pattern = pattern
  }

  /// The palette index of a cell.
  func cell(_ row: Int, _ column: Int) -> UInt8 { pattern[row * cells + column] }

  /// The palette indices of one line of pixels.
  func line(_ y: Int) -> [UInt8] {
    let row = y / cellPixels
    return (0..<cells).flatMap { [UInt8](repeating: cell(row, $0), count: cellPixels) }
  }

  /// Meaningless bytes for the comments that pad a file to its size.
  func padding(_ count: Int) -> [UInt8] {
    var random = SeededRandom(salt, 0x7061_6464)
    var out: [UInt8] = []
    out.reserveCapacity(count + 8)
    while out.count < count { withUnsafeBytes(of: random.next().littleEndian) { out += $0 } }
    out.removeLast(out.count - count)
    return out
  }
}

/// The formats, with their endings and types.
enum PictureFormat: String, Sendable, CaseIterable {
  case png, jpeg, gif

  var type: String { "image/\(rawValue)" }

  /// Nil if the path's ending names no format.
  init?(path: String) {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    self.init(rawValue: ending == "jpg" ? "jpeg" : ending)
  }

  /// A complete file of about `bytes`, but never smaller than the picture needs.
  func file(_ picture: Picture, bytes: Int) -> [UInt8] {
    switch self {
    case .png: PNGFile.bytes(picture, target: bytes)
    case .jpeg: JPEGFile.bytes(picture, target: bytes)
    case .gif: GIFFile.bytes(picture, target: bytes)
    }
  }
}
