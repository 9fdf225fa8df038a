/// PNG (RFC 2083) and its animated form: chunks of length, type, data and checksum, from IHDR to
/// IEND. Complete only with IEND and its checksum.
struct PNGScan: FormatScan {
  enum Awaited { case signature, chunk, header, animation, frame, end }

  static let firstField = 8

  private let limits: ImageLimits
  var state = Awaited.signature
  private var hasData = false
  /// fcTL chunks; a still picture has none.
  private var frames = 0
  private(set) var facts: ImageFacts?

  init(limits: ImageLimits) { self.limits = limits }

  mutating func take(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    switch state {
    case .signature: return go(.chunk, .field(8))
    case .chunk:
      return try chunk(field)
    case .header:
      return try header(field)
    case .animation:
      try limits.check(frames: field.big32(0))
      return nextChunk(after: 8, of: 8)
    case .frame:
      return try frame(field)
    case .end:
      // The checksum of an empty IEND is always the same.
      guard field.big32(0) == 0xAE42_6082 else { throw .malformed("the IEND check sum is wrong") }
      return .end
    }
  }

  private mutating func chunk(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    let length = field.big32(0)
    guard length <= 0x7FFF_FFFF else { throw .malformed("a chunk of \(length) bytes") }
    for index in 4..<8 {
      guard (0x41...0x5A).contains(field[index] & 0xDF) else {
        throw .malformed("a chunk whose type is not four letters")
      }
    }
    guard facts != nil else {
      guard field.begins(with: "IHDR", at: 4), length == 13 else {
        throw .malformed("it does not begin with IHDR")
      }
      return go(.header, .field(13))
    }
    if field.begins(with: "IDAT", at: 4) {
      hasData = true
    } else if field.begins(with: "IEND", at: 4) {
      guard length == 0 else { throw .malformed("an IEND chunk of \(length) bytes") }
      guard hasData else { throw .malformed("it ends before its picture") }
      return go(.end, .field(4))
    } else if field.begins(with: "IHDR", at: 4) {
      throw .malformed("two headers in one image")
    } else if field.begins(with: "acTL", at: 4), length == 8 {
      return go(.animation, .field(8))
    } else if field.begins(with: "fcTL", at: 4), length == 26 {
      return go(.frame, .field(26))
    }
    return nextChunk(after: 0, of: length)
  }

  /// Width, height, depth, colour, compression, filter, interlace.
  private mutating func header(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    let (width, height) = (field.big32(0), field.big32(4))
    guard Self.depths(ofColour: field[9]).contains(field[8]) else {
      throw .malformed("\(field[8]) bits with colour type \(field[9])")
    }
    guard field[10] == 0, field[11] == 0, field[12] <= 1 else {
      throw .malformed("an unknown compression, filter or interlace method")
    }
    try limits.check(width: width, height: height)
    facts = ImageFacts(kind: .png, width: width, height: height)
    return nextChunk(after: 13, of: 13)
  }

  /// Sequence, width, height, x, y and more.
  private mutating func frame(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    frames += 1
    try limits.check(frames: frames)
    try limits.check(width: field.big32(4), height: field.big32(8))
    return nextChunk(after: 26, of: 26)
  }

  /// Skips the rest of the data and the four bytes of the checksum.
  private mutating func nextChunk(after taken: Int, of length: Int) -> ScanStep {
    return go(.chunk, .skip(length - taken + 4, then: .field(8)))
  }

  private static func depths(ofColour type: UInt8) -> [UInt8] {
    switch type {
    case 0: [1, 2, 4, 8, 16]
    case 2, 4, 6: [8, 16]
    case 3: [1, 2, 4, 8]
    default: []
    }
  }
}
