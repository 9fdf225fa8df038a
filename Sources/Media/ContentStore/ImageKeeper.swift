public import Base

/// A second place for images, which other machines share: an image that is there need not be here.
/// Calls block.
public protocol ImageKeeper: Sendable {
  /// The files that it has in one of the 256 folders: their paths, in the form of
  /// `StoredImage.path`.
  func paths(inFolder name: String) throws(ImageKeeperProblem) -> Set<String>
  /// Nil: it does not have it.
  func fetch(_ path: String) throws(ImageKeeperProblem) -> [UInt8]?
  /// Does nothing if the image is already there.
  func keep(_ path: String, _ bytes: [UInt8], mediaType: String) throws(ImageKeeperProblem)
  func remove(_ path: String) throws(ImageKeeperProblem)
}

public struct ImageKeeperProblem: Error, Sendable {
  let words: String
  let outcome: RunOutcome.Kind?

  /// - Parameter outcome: what it makes of a run; nil: a file that could not be written.
  public init(_ words: String, _ outcome: RunOutcome.Kind? = nil) {
    (self.words, self.outcome) = (words, outcome)
  }
}

extension ContentStore {
  /// As many as curl transfers at a time.
  private static let keptAtOnce = 16

  /// Only when this returns may rows name them.
  func keep(_ settled: [SettledImage]) async throws(MediaError) {
    guard let keeper else { return }
    let images = settled.map(\.image)
    try await queue.forEach(images.count, atOnce: Self.keptAtOnce) { (at) throws(MediaError) in
      try self.keep(images[at], by: keeper)
    }
  }

  func keep(_ image: StoredImage, by keeper: any ImageKeeper) throws(MediaError) {
    guard let bytes = try bytes(image.digest, image.kind, max: image.byteCount) else {
      throw MediaError(kind: .missing, action: "read", path: image.path)
    }
    try Self.kept(image.path, "keep") { () throws(ImageKeeperProblem) in
      try keeper.keep(image.path, bytes, mediaType: image.kind.mediaType)
    }
  }

  /// Those that are missing there as well.
  func alsoMissing(
    folder byte: UInt8, of images: [StoredImage]
  ) throws(MediaError) -> [StoredImage] {
    guard let keeper, !images.isEmpty else { return images }
    let name = StoredImage.folderName(byte)
    let there = try Self.kept(name, "list") { () throws(ImageKeeperProblem) in
      try keeper.paths(inFolder: name)
    }
    return images.filter { !there.contains($0.path) }
  }

  private static let fetchesMax = 3

  /// The keeper's copy of an image that is missing here; nil: it has none. A copy that does not match its name is
  /// fetched again, since it may have been cut short on its way; if it never matches, it is removed there.
  public func fetch(_ image: StoredImage) throws(MediaError) -> [UInt8]? {
    guard let keeper else { return nil }
    for _ in 0..<Self.fetchesMax {
      let bytes = try Self.kept(image.path, "fetch") { () throws(ImageKeeperProblem) in
        try keeper.fetch(image.path)
      }
      guard let bytes, SHA256Digest.of(bytes) != image.digest else { return bytes }
    }
    try removeKept(image)
    return nil
  }

  func removeKept(_ image: StoredImage) throws(MediaError) {
    guard let keeper else { return }
    try Self.kept(image.path, "remove") { () throws(ImageKeeperProblem) in
      try keeper.remove(image.path)
    }
  }

  private static func kept<Value>(
    _ path: String, _ action: String, _ body: () throws(ImageKeeperProblem) -> Value
  ) throws(MediaError) -> Value {
    do throws(ImageKeeperProblem) { return try body() } catch {
      throw MediaError(
        kind: .away, action: action, path: path, words: error.words, outcome: error.outcome)
    }
  }
}
