/// An image in the store, as a row remembers it.
public struct StoredImage: Hashable, Sendable {
  public var digest: SHA256Digest
  public var byteCount: Int
  public var kind: ImageKind
  public var width: Int
  public var height: Int

  /// Relative to the data folder: `media/ab/abcd….jpg`.
  public var path: String { "\(ContentStore.folderName)/\(folderName)/\(fileName)" }

  var fileName: String { Self.fileName(digest, kind) }
  var folderName: String { Self.folderName(digest.folder) }

  static func fileName(_ digest: SHA256Digest, _ kind: ImageKind) -> String {
    "\(digest.hex).\(kind.fileExtension)"
  }

  static func folderName(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0\(digits)" : digits
  }
}

/// A complete, checked download: not durable, and without its name until it is settled. Releasing
/// it removes it.
public final class FinishedImage: Sendable {
  /// Where its bytes are.
  enum Content: Sendable {
    case memory([UInt8])
    case file(TemporaryFile)
  }

  public let image: StoredImage
  let content: Content

  init(_ image: StoredImage, _ content: Content) { (self.image, self.content) = (image, content) }

  public var isOpenFile: Bool {
    if case .file = content { true } else { false }
  }
}
