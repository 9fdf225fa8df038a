/// What an image's own bytes say about it.
struct ImageFacts: Equatable, Sendable {
  var kind: ImageKind
  var width: Int
  var height: Int
}

extension ImageLimits {
  /// Checks a canvas or a frame against the limits.
  func check(width: Int, height: Int) throws(ImageRefusal) {
    guard width > 0, height > 0 else { throw .malformed("a size of \(width) x \(height)") }
    // Both are below 2^32, so the product fits.
    guard width <= pixelsMax / height else { throw .tooManyPixels }
  }

  func check(frames: Int) throws(ImageRefusal) {
    guard frames <= framesMax else { throw .tooManyFrames }
  }
}
