/// What an image's own bytes say about it.
struct ImageFacts: Equatable, Sendable {
  var kind: ImageKind
  var width: Int
  var height: Int
  /// 1 for a still picture.
  var frames: Int = 1

  /// Reads a whole image in memory.
  static func of(
    _ bytes: [UInt8], limits: ImageLimits = ImageLimits()
  ) throws(ImageRefusal) -> ImageFacts {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= limits.bytesMax else { throw .tooManyBytes(max: limits.bytesMax) }
    let outcome = bytes.withUnsafeBytes { (all) -> Result<ImageFacts, ImageRefusal> in
      Result { () throws(ImageRefusal) in try read(all, limits: limits) }
    }
    return try outcome.get()
  }

  private static func read(
    _ all: UnsafeRawBufferPointer, limits: ImageLimits
  ) throws(ImageRefusal) -> ImageFacts {
    guard let kind = ImageKind(startingWith: all) else {
      let head = all.prefix(ForeignKind.headBytesMax)
      throw .notAnImage(ForeignKind(startingWith: UnsafeRawBufferPointer(rebasing: head)))
    }
    var scan = ImageScan(kind, limits: limits)
    try scan.feed(all)
    return try scan.finish()
  }
}

extension ImageLimits {
  /// Checks a canvas or a frame against the limits.
  func check(width: Int, height: Int) throws(ImageRefusal) {
    guard width > 0, height > 0 else { throw .malformed("a size of \(width) x \(height)") }
    // Both are below 2^32, so the product fits.
    guard width <= pixelsMax / height else {
      throw .tooManyPixels(width: width, height: height, max: pixelsMax)
    }
  }

  func check(frames: Int) throws(ImageRefusal) {
    guard frames <= framesMax else { throw .tooManyFrames(max: framesMax) }
  }
}
