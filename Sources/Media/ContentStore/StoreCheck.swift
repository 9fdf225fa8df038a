/// What `verify` found wrong with one entry of the store.
public struct MediaFinding: Equatable, Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable, CaseIterable {
    /// A row names it, and it does not exist.
    case missing
    case empty
    /// The bytes do not match the name, or cannot be read, or it is not a regular file.
    case wrong
    /// No row names it.
    case stray
    /// Nor is it named like a picture: somebody else put it there, and nothing removes it.
    case foreign
  }

  public var kind: Kind
  /// Relative to the data folder; bytes that are not text are replaced.
  public var path: String
  public var detail: String
  /// The image that a row expects there.
  public var image: StoredImage?
  /// Where it is: the folder's first byte, and the exact name, which need not be text.
  let folder: UInt8
  let name: [CChar]

  public var description: String {
    switch kind {
    case .missing, .empty: "\(path): \(kind.rawValue)"
    case .wrong: "\(path): wrong, \(detail)"
    case .stray, .foreign: "\(path): \(detail)"
    }
  }
}

/// What was checked in one of the 256 folders.
public struct FolderCheck: Equatable, Sendable {
  public var findings: [MediaFinding] = []
  public var filesRead = 0
  public var bytesRead = 0
}

/// Part `part` of `count` of all files, always the same ones: `count` runs with all parts read
/// every file once.
public struct StoreSample: Equatable, Sendable {
  public static let all = StoreSample()

  private var part: UInt64 = 0
  private var count: UInt64 = 1

  private init() {}

  /// `1/7` to `7/7`.
  public init(part: Int, of count: Int) {
    self.part = UInt64(part - 1)
    self.count = UInt64(count)
  }

  func holds(_ digest: SHA256Digest) -> Bool { digest.sampleWord % count == part }
}
