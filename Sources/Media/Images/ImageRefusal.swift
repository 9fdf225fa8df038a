/// Why bytes were not kept. The reason is in the content, so requesting it again soon is useless.
public enum ImageRefusal: Error, Equatable, Sendable {
  case empty
  case otherFormat
  case tooManyBytes(max: Int)
  case tooManyPixels
  case tooManyFrames
  /// The format says that more bytes must follow.
  case cut
  case malformed(String)

  /// A short word for tables and reports; it never changes.
  public var code: String {
    switch self {
    case .empty: "empty"
    case .otherFormat: "not-jpeg-png-gif-webp"
    case .tooManyBytes: "too-many-bytes"
    case .tooManyPixels: "too-many-pixels"
    case .tooManyFrames: "too-many-frames"
    case .cut: "cut"
    case .malformed: "malformed"
    }
  }
}
