import Testing

@testable import Media

/// Images made to harm programs that open them.
@Suite("Hostile images")
struct HostileImageTests {
  private static func png(width: Int, height: Int, depth: UInt8 = 8, colour: UInt8 = 6) -> [UInt8] {
    Array(SampleImage.plainPNG[..<16]) + SampleImage.bigEndian(width)
      + SampleImage.bigEndian(height) + [depth, colour, 0, 0, 0]
      + Array(SampleImage.plainPNG[29...])
  }

  private static func refusal(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) -> String {
    do {
      _ = try ImageFacts.of(bytes, limits: limits)
      return "accepted"
    } catch {
      return error.code
    }
  }

  @Test(
    "a canvas beyond the limit is refused from its first bytes",
    arguments: [(65_535, 65_535), (50_000_001, 1), (1, 50_000_001), (0x7FFF_FFFF, 0x7FFF_FFFF)])
  func pixels(width: Int, height: Int) {
    let bytes = Self.png(width: width, height: height)
    #expect(throws: ImageRefusal.tooManyPixels) { try ImageFacts.of(Array(bytes[..<33])) }
  }

  @Test("the limit itself is allowed")
  func atTheLimit() throws {
    #expect(try ImageFacts.of(Self.png(width: 10_000, height: 5_000)).width == 10_000)
  }

  @Test(
    "a size of nothing is malformed, and so are colour and depth that do not go together",
    arguments: [
      (0, 5, 8, 6), (5, 0, 8, 6), (2, 2, 3, 2), (2, 2, 16, 3), (2, 2, 1, 6), (2, 2, 8, 5),
    ] as [(Int, Int, UInt8, UInt8)])
  func malformed(width: Int, height: Int, depth: UInt8, colour: UInt8) {
    let bytes = Self.png(width: width, height: height, depth: depth, colour: colour)
    #expect(Self.refusal(bytes) == "malformed")
  }

  @Test("an animation of ten thousand frames is refused, of two thousand not")
  func frames() throws {
    // Screen of 1 x 1 without a table; then one tiny picture over and over.
    let screen = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
    let picture: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
    func gif(_ count: Int) -> [UInt8] {
      screen + Array(repeatElement(picture, count: count).joined()) + [0x3B]
    }
    #expect(Self.refusal(gif(10_000)) == "too-many-frames")
    #expect(try ImageFacts.of(gif(2_000)).width == 1)
    #expect(Self.refusal(gif(0)) == "malformed")
  }

  @Test("a frame larger than the limit is refused inside a small canvas")
  func hugeFrame() {
    let screen = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
    let picture: [UInt8] = [0x2C, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 2, 0, 0x3B]
    #expect(Self.refusal(screen + picture) == "too-many-pixels")
  }

  @Test("an empty screen takes the first picture's extent")
  func emptyScreen() throws {
    let screen = Array("GIF89a".utf8) + [0, 0, 0, 0, 0, 0, 0]
    let picture: [UInt8] = [0x2C, 1, 0, 2, 0, 3, 0, 4, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
    let facts = try ImageFacts.of(screen + picture)
    #expect((facts.width, facts.height) == (4, 6))
  }

  @Test("a signature alone proves nothing")
  func signatureOnly() {
    #expect(Self.refusal([0xFF, 0xD8, 0xFF] + Array("<script>".utf8)) == "cut")
    #expect(Self.refusal([0xFF, 0xD8, 0xFF, 0xD9]) == "malformed")
    // Read as a size, the text is 29,500 x 29,283.
    #expect(Self.refusal(Array("GIF89a<script>alert(1)</script>".utf8)) == "too-many-pixels")
    let disguised = Array(SampleImage.plainPNG[..<8]) + Array("<svg></svg>".utf8)
    #expect(Self.refusal(disguised) == "malformed")
  }

  @Test("a second image that begins inside the first is malformed")
  func twoImages() {
    let (png, jpeg) = (SampleImage.plainPNG, SampleImage.baselineJPEG)
    #expect(Self.refusal(Array(png[..<33] + png[8...])) == "malformed")
    #expect(Self.refusal(Array(jpeg[..<2] + jpeg)) == "malformed")
  }

  @Test("a frame header inside an APP segment is not the size")
  func thumbnail() throws {
    // A segment that holds a whole small JPEG, as cameras write it.
    let inner = SampleImage.cmykJPEG
    let length = inner.count + 2
    let segment: [UInt8] = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + inner
    let outer = SampleImage.baselineJPEG
    let facts = try ImageFacts.of(Array(outer[..<2]) + segment + Array(outer[2...]))
    #expect((facts.width, facts.height) == (9, 4))
  }

  @Test("a WebP container that announces more than the cap is refused at once")
  func announced() {
    let head = Array("RIFF".utf8) + SampleImage.littleEndian(0x7FFF_FFFF) + Array("WEBP".utf8)
    #expect(Self.refusal(head) == "too-many-bytes")
  }

  @Test("a WebP chunk cannot reach beyond its container")
  func chunkBeyond() {
    var bytes = SampleImage.lossyWebP
    bytes[16] = 0xFF
    #expect(Self.refusal(bytes) == "malformed")
  }
}
