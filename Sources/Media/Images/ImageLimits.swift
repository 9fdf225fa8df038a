internal import Base

/// The maximum size of one image. Nothing is decoded here; the limits protect programs that decode
/// it.
public struct ImageLimits: Equatable, Sendable {
  /// Bytes of the file. Thumbnails have 4 to 400 KB, animated ones a few MB.
  public var bytesMax = MediaSettings.fileBytes
  /// Width times height of the canvas and of every frame: 50 megapixels decode to 200 MB.
  var pixelsMax = 50_000_000
  /// Pictures in one animation: a minute at 33 per second.
  var framesMax = 2_000

  public init() {}
}
