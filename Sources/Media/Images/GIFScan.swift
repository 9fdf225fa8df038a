/// GIF 87a and 89a: a screen, then extensions and pictures made of sub-blocks, up to the trailer.
/// Complete only with the trailer.
struct GIFScan: FormatScan {
  enum Awaited { case screen, block, label, picture, codeSize, subBlock }

  static let firstField = 13

  private let limits: ImageLimits
  var state = Awaited.screen
  private var frames = 0
  private(set) var facts: ImageFacts?

  init(limits: ImageLimits) { self.limits = limits }

  mutating func take(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    switch state {
    case .screen:
      return try screen(field)
    case .block:
      return try block(field[0])
    case .label: return go(.subBlock, .field(1))
    case .picture:
      return try picture(field)
    case .codeSize:
      guard (1...11).contains(field[0]) else { throw .malformed("a code size of \(field[0])") }
      return go(.subBlock, .field(1))
    case .subBlock:
      guard field[0] > 0 else { return go(.block, .field(1)) }
      return .skip(Int(field[0]), then: .field(1))
    }
  }

  /// Signature, width, height, flags, background, aspect.
  private mutating func screen(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    let (width, height) = (field.little16(6), field.little16(8))
    // Some encoders leave the screen empty; then the first picture's size counts.
    if width > 0, height > 0 {
      try limits.check(width: width, height: height)
      facts = ImageFacts(kind: .gif, width: width, height: height)
    }
    return go(.block, .skip(Self.tableBytes(field[10]), then: .field(1)))
  }

  private mutating func block(_ introducer: UInt8) throws(ImageRefusal) -> ScanStep {
    switch introducer {
    case 0x21: return go(.label, .field(1))
    case 0x2C:
      return go(.picture, .field(9))
    case 0x3B:
      guard frames > 0 else { throw .malformed("it ends before its picture") }
      return .end
    default:
      throw .malformed("a block of the unknown kind \(introducer)")
    }
  }

  /// Left, top, width, height, flags.
  private mutating func picture(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    let (width, height) = (field.little16(4), field.little16(6))
    try limits.check(width: width, height: height)
    frames += 1
    try limits.check(frames: frames)
    if facts == nil {
      let (right, bottom) = (field.little16(0) + width, field.little16(2) + height)
      try limits.check(width: right, height: bottom)
      facts = ImageFacts(kind: .gif, width: right, height: bottom)
    }
    return go(.codeSize, .skip(Self.tableBytes(field[8]), then: .field(1)))
  }

  /// A colour table has 3 bytes for each of 2 to 256 colours.
  private static func tableBytes(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }
}
