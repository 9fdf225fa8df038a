/// WebP (RFC 9649): a RIFF container whose size is known at once, and chunks of which the first
/// says lossy, lossless or extended. Complete only with all the bytes that the container announces.
struct WebPScan: FormatScan {
  enum Awaited { case container, chunk, lossy, lossless, extended, frame }

  static let firstField = 12

  private let limits: ImageLimits
  var state = Awaited.container
  /// Bytes of the container that are still to come.
  private var bytesLeft = 0
  /// Bytes of the current chunk, with its pad byte.
  private var chunkBytes = 0
  private var hasPicture = false
  private var frames = 0
  private(set) var facts: ImageFacts?

  init(limits: ImageLimits) { self.limits = limits }

  mutating func take(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    switch state {
    case .container:
      let size = field.little32(4)
      guard size >= 4 + 8 else { throw .malformed("a container of \(size) bytes") }
      guard size <= limits.bytesMax - 8 else { throw .tooManyBytes(max: limits.bytesMax) }
      bytesLeft = size - 4
      return go(.chunk, .field(8))
    case .chunk:
      return try chunk(field)
    case .lossy:
      guard field[3] == 0x9D, field[4] == 0x01, field[5] == 0x2A else {
        throw .malformed("a lossy picture without its start code")
      }
      let (width, height) = (field.little16(6) & 0x3FFF, field.little16(8) & 0x3FFF)
      return try picture(width: width, height: height, taken: 10)
    case .lossless:
      guard field[0] == 0x2F else { throw .malformed("a lossless picture without its signature") }
      let packed = field.little32(1)
      return try picture(
        width: (packed & 0x3FFF) + 1, height: (packed >> 14 & 0x3FFF) + 1, taken: 5)
    case .extended:
      let (width, height) = (field.little24(4) + 1, field.little24(7) + 1)
      try limits.check(width: width, height: height)
      facts = ImageFacts(kind: .webp, width: width, height: height)
      return try nextChunk(taken: 10)
    case .frame:
      frames += 1
      try limits.check(frames: frames)
      try limits.check(width: field.little24(6) + 1, height: field.little24(9) + 1)
      hasPicture = true
      return try nextChunk(taken: 16)
    }
  }

  private mutating func chunk(_ field: UnsafeRawBufferPointer) throws(ImageRefusal) -> ScanStep {
    bytesLeft -= 8
    let length = field.little32(4)
    // Some encoders omit the last pad byte.
    chunkBytes = length == bytesLeft ? length : length + length & 1
    guard chunkBytes <= bytesLeft else { throw .malformed("a chunk that is larger than the file") }
    if field.begins(with: "VP8 ") { return try open(.lossy, fieldBytes: 10) }
    if field.begins(with: "VP8L") { return try open(.lossless, fieldBytes: 5) }
    if facts == nil {
      guard field.begins(with: "VP8X") else { throw .malformed("its first chunk is not a picture") }
      return try open(.extended, fieldBytes: 10)
    }
    if field.begins(with: "ANMF") { return try open(.frame, fieldBytes: 16) }
    return try nextChunk(taken: 0)
  }

  private mutating func open(_ next: Awaited, fieldBytes: Int) throws(ImageRefusal) -> ScanStep {
    guard chunkBytes >= fieldBytes else { throw .malformed("a chunk of \(chunkBytes) bytes") }
    state = next
    return .field(fieldBytes)
  }

  private mutating func picture(
    width: Int, height: Int, taken: Int
  ) throws(ImageRefusal) -> ScanStep {
    try limits.check(width: width, height: height)
    hasPicture = true
    if facts == nil { facts = ImageFacts(kind: .webp, width: width, height: height) }
    return try nextChunk(taken: taken)
  }

  private mutating func nextChunk(taken: Int) throws(ImageRefusal) -> ScanStep {
    bytesLeft -= chunkBytes
    state = .chunk
    let rest = chunkBytes - taken
    guard bytesLeft < 8 else { return .skip(rest, then: .field(8)) }
    guard hasPicture else { throw .malformed("it ends before its picture") }
    return .skip(rest + bytesLeft, then: .end)
  }
}
