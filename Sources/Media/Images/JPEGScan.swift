/// JPEG (ITU T.81): segments up to a start of scan, then coded data in which FF is always followed
/// by 00 or a marker. Complete only with its end-of-image marker.
struct JPEGScan: FormatScan {
  enum Awaited {
    case start
    case marker
    /// The byte after an FF.
    case code
    case frame
    case length(of: UInt8)
  }

  static let firstField = 2

  private let limits: ImageLimits
  var state = Awaited.start
  private var hasScan = false
  private(set) var facts: ImageFacts?

  init(limits: ImageLimits) { self.limits = limits }

  mutating func take(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    switch state {
    case .start: return go(.marker, .field(2))
    case .marker:
      if field[0] == 0xFF, field[1] != 0xFF { return try segment(field[1]) }
      // Fill bytes are legal before a marker; other bytes are not, but every decoder skips them.
      state = .code
      return field[1] == 0xFF ? .field(1) : .afterFF
    case .code:
      return try segment(field[0])
    case .frame:
      return try frame(field)
    case .length(let code):
      let length = field.big16(0)
      guard length >= 2 else { throw .malformed("a segment of \(length) bytes") }
      if code == 0xDA {
        hasScan = true
        return go(.code, .skip(length - 2, then: .afterFF))
      }
      return go(.marker, .skip(length - 2, then: .field(2)))
    }
  }

  private mutating func segment(_ code: UInt8) throws(ImageRefusal) -> ScanStep {
    switch code {
    case 0x00, 0x01, 0xD0...0xD7:
      // A stuffed FF of the coded data, or a marker without a segment.
      return go(.code, .afterFF)
    case 0xFF: return go(.code, .field(1))
    case 0xD8:
      throw .malformed("a second image begins inside the first")
    case 0xD9:
      guard hasScan else { throw .malformed("it ends before its picture") }
      return .end
    case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: return go(.frame, .field(8))
    case 0xDA where facts == nil:
      throw .malformed("the picture begins before its size")
    default:
      return go(.length(of: code), .field(2))
    }
  }

  /// Length, precision, height, width, components.
  private mutating func frame(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    let length = field.big16(0)
    let components = Int(field[7])
    guard facts == nil else { throw .malformed("two frames in one image") }
    guard (1...4).contains(components), length == 8 + 3 * components else {
      throw .malformed("a frame of \(length) bytes with \(components) components")
    }
    guard (2...16).contains(field[2]) else { throw .malformed("\(field[2]) bits a sample") }
    let (height, width) = (field.big16(3), field.big16(5))
    try limits.check(width: width, height: height)
    facts = ImageFacts(kind: .jpeg, width: width, height: height)
    return go(.marker, .skip(length - 8, then: .field(2)))
  }
}
