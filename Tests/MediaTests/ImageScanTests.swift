import Testing

@testable import Media

struct Sample: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  let facts: ImageFacts

  init(_ name: String, _ bytes: [UInt8], _ kind: ImageKind, _ w: Int, _ h: Int) {
    self.name = name
    self.bytes = bytes
    facts = ImageFacts(kind: kind, width: w, height: h)
  }

  var testDescription: String { name }

  static let all = [
    Sample("baseline JPEG", SampleImage.baselineJPEG, .jpeg, 9, 4),
    Sample("progressive JPEG", SampleImage.progressiveJPEG, .jpeg, 9, 4),
    Sample("CMYK JPEG", SampleImage.cmykJPEG, .jpeg, 3, 2),
    Sample("PNG", SampleImage.plainPNG, .png, 7, 5),
    Sample("animated PNG", SampleImage.movingPNG, .png, 5, 5),
    Sample("GIF", SampleImage.stillGIF, .gif, 6, 3),
    Sample("animated GIF", SampleImage.movingGIF, .gif, 4, 4),
    Sample("lossy WebP", SampleImage.lossyWebP, .webp, 7, 5),
    Sample("lossless WebP", SampleImage.losslessWebP, .webp, 7, 5),
    Sample("extended WebP", SampleImage.extendedWebP, .webp, 7, 5),
    Sample("animated WebP", SampleImage.movingWebP, .webp, 8, 6),
  ]
}

@Suite("Reading an image's structure")
struct ImageScanTests {
  @Test("format and size are read", arguments: Sample.all)
  func facts(sample: Sample) throws {
    #expect(try ImageFacts.of(sample.bytes) == sample.facts)
  }

  @Test("the pieces may be cut anywhere", arguments: Sample.all)
  func pieces(sample: Sample) throws {
    for size in 1...sample.bytes.count {
      var scan = ImageScan(sample.facts.kind, limits: ImageLimits())
      var at = 0
      while at < sample.bytes.count {
        let end = min(at + size, sample.bytes.count)
        try sample.bytes[at..<end].withUnsafeBytes { try scan.feed($0) }
        at = end
      }
      let facts = try scan.finish()
      #expect(facts == sample.facts, "pieces of \(size)")
    }
  }

  @Test("cut at any byte it is refused", arguments: Sample.all)
  func cut(sample: Sample) {
    for count in 1..<sample.bytes.count {
      #expect(throws: ImageRefusal.self, "\(count) bytes") {
        try ImageFacts.of(Array(sample.bytes[..<count]))
      }
    }
    // Without its last byte, it is reported as cut and not as something else.
    #expect {
      try ImageFacts.of(Array(sample.bytes.dropLast()))
    } throws: { ($0 as? ImageRefusal)?.code == "cut" }
  }

  @Test("bytes after the end are let pass", arguments: Sample.all)
  func trailing(sample: Sample) throws {
    #expect(try ImageFacts.of(sample.bytes + Array("PK\u{3}\u{4} and more".utf8)) == sample.facts)
  }

  @Test("no change of one byte makes it trap or grow", arguments: Sample.all)
  func flips(sample: Sample) {
    for index in sample.bytes.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = sample.bytes
        bytes[index] = value
        // Any result but a trap will do; what is accepted is within the limits.
        guard let facts = try? ImageFacts.of(bytes) else { continue }
        #expect(facts.width > 0 && facts.height > 0)
        #expect(facts.width * facts.height <= 50_000_000)
      }
    }
  }

  @Test(
    "what is no image is refused",
    arguments: [
      "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "<?xml version='1.0'?><rss/>",
      "\u{FEFF}  <!DOCTYPE HTML><html>", "{\"error\": \"no such image\"}", "Not Found",
      "%PDF-1.7 and so on", "PK\u{3}\u{4}and so on", "\u{0}\u{0}\u{0}\u{20}ftypavif",
      "RIFF\u{1}\u{0}\u{0}\u{0}WAVEfmt", "GIF88a??????????", "\u{0}\u{1}\u{2}\u{3}",
    ])
  func foreign(text: String) {
    #expect(throws: ImageRefusal.otherFormat) { try ImageFacts.of(Array(text.utf8)) }
  }
}
