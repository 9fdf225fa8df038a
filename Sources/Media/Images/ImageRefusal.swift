/// Why bytes were not kept. The reason is in the content, so requesting it again soon is useless.
public enum ImageRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  case empty
  case notAnImage(ForeignKind)
  case tooManyBytes(max: Int)
  case tooManyPixels(width: Int, height: Int, max: Int)
  case tooManyFrames(max: Int)
  /// The format says that more bytes must follow.
  case cut(String)
  case malformed(String)

  /// A short word for tables and reports; it never changes.
  public var code: String {
    switch self {
    case .empty: "empty"
    case .notAnImage: "not-an-image"
    case .tooManyBytes: "too-many-bytes"
    case .tooManyPixels: "too-many-pixels"
    case .tooManyFrames: "too-many-frames"
    case .cut: "cut"
    case .malformed: "malformed"
    }
  }

  public var description: String {
    switch self {
    case .empty: "the answer has no bytes"
    case .notAnImage(let kind): "not a JPEG, PNG, GIF or WebP image, but \(kind.rawValue)"
    case .tooManyBytes(let max): "larger than the \(max) bytes that an image may have"
    case .tooManyPixels(let width, let height, let max):
      "\(width) x \(height) is more than the \(max) pixels that an image may have"
    case .tooManyFrames(let max): "more than the \(max) frames that an image may have"
    case .cut(let what): "cut off: \(what)"
    case .malformed(let what): "damaged: \(what)"
    }
  }
}
