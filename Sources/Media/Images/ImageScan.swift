internal import Glibc

/// What a format needs of the following bytes: skip so many, then this.
struct ScanStep {
  enum Then {
    /// The next so many bytes at once (at most `ImageScan.fieldBytesMax`).
    case field(Int)
    /// Skip everything up to and including the next FF byte, then one byte.
    case afterFF
    /// The image ends here.
    case end
  }

  var skip: Int
  var then: Then

  static func field(_ count: Int) -> ScanStep { ScanStep(skip: 0, then: .field(count)) }
  static func skip(_ count: Int, then: Then) -> ScanStep { ScanStep(skip: count, then: then) }
  static let afterFF = ScanStep(skip: 0, then: .afterFF)
  static let end = ScanStep(skip: 0, then: .end)
}

/// The structure of one format, read field by field. Pure: bytes in, step out.
protocol FormatScan: Sendable {
  associatedtype Awaited
  /// What the next field is.
  var state: Awaited { get set }
  /// The size of its first field, in bytes.
  static var firstField: Int { get }
  init(limits: ImageLimits)
  /// Known once the size has been read.
  var facts: ImageFacts? { get }
  mutating func take(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep
}

extension FormatScan {
  /// Moves on to another field.
  mutating func go(_ next: Awaited, _ step: ScanStep) -> ScanStep {
    state = next
    return step
  }
}

/// Walks through an image's structure while its bytes stream past, in pieces cut anywhere. Reads
/// the size and finds the end; decodes nothing and keeps at most one field.
struct ImageScan: Sendable {
  private var format: any FormatScan
  private var step: ScanStep
  private var field = InlineArray<32, UInt8>(repeating: 0)
  private var fieldCount = 0

  init(_ kind: ImageKind, limits: ImageLimits) {
    let type: any FormatScan.Type =
      switch kind {
      case .jpeg: JPEGScan.self
      case .png: PNGScan.self
      case .gif: GIFScan.self
      case .webp: WebPScan.self
      }
    format = type.init(limits: limits)
    step = .field(type.firstField)
  }

  /// Takes the next piece. Bytes after the image's own end are ignored: they are kept as sent.
  mutating func feed(_ piece: UnsafeRawBufferPointer) throws(ImageRefusal) {
    var at = 0
    // Each turn takes at least one byte or ends, so there are at most as many turns as bytes.
    while at < piece.count {
      if step.skip > 0 {
        let passed = min(step.skip, piece.count - at)
        step.skip -= passed
        at += passed
        continue
      }
      switch step.then {
      case .end: return
      case .afterFF:
        guard let found = memchr(piece.baseAddress! + at, 0xFF, piece.count - at) else { return }
        at = UnsafeRawPointer(found) - piece.baseAddress! + 1
        step = .field(1)
      case .field(let count):
        at = try takeField(of: count, from: piece, at: at)
      }
    }
  }

  /// The facts of a complete image; a truncated one is refused.
  func finish() throws(ImageRefusal) -> ImageFacts {
    guard case .end = step.then, step.skip == 0 else { throw .cut }
    guard let facts = format.facts else { throw .malformed("it names no size") }
    return facts
  }

  /// Directly from the piece if the whole field is in it; gathered if it was split.
  private mutating func takeField(
    of count: Int, from piece: UnsafeRawBufferPointer, at: Int
  ) throws(ImageRefusal) -> Int {
    if fieldCount == 0, piece.count - at >= count {
      step = try format.take(UnsafeRawBufferPointer(rebasing: piece[at..<at + count]))
      return at + count
    }
    let taken = min(count - fieldCount, piece.count - at)
    for offset in 0..<taken { field[fieldCount + offset] = piece[at + offset] }
    fieldCount += taken
    guard fieldCount == count else { return at + taken }
    fieldCount = 0
    let whole = field
    let next = withUnsafeBytes(of: whole) { bytes in
      Result { () throws(ImageRefusal) in
        try format.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
    }
    step = try next.get()
    return at + taken
  }
}
