public import Base

/// Receives one image from the network: hashes and checks each piece as it arrives. A small image
/// is kept in memory, so that it costs no file if its bytes are known; a larger one is written to
/// the temporary folder as it arrives. The transport's thread calls `begin` and `receive`; when its
/// answer has been handed over, the sender of the request calls `finish`.
public final class ImageDownload: BodySink, @unchecked Sendable {
  // Sendable: the transport releases it before the answer reaches the sender, so only one thread
  // uses it at a time.
  private let store: ContentStore
  private let limits: ImageLimits
  private var hasher = SHA256Hasher()
  private var scan: ImageScan?
  /// All bytes so far, while they are few.
  private var held: [UInt8] = []
  private var file: TemporaryFile?
  private var byteCount = 0
  private var failure: ImageFailure?

  /// A larger image is written as it arrives.
  static let heldBytesMax = 256_000

  init(into store: ContentStore, limits: ImageLimits) {
    self.store = store
    self.limits = limits
  }

  /// Refuses early if too much is announced. An encoded length says nothing about the decoded one.
  public func begin(_ fields: HeaderFields) {
    guard fields["Content-Encoding"] == nil, let text = fields["Content-Length"],
      let announced = Int(text)
    else { return }
    if announced > limits.bytesMax { failure = .refused(.tooManyBytes(max: limits.bytesMax)) }
    if (0...Self.heldBytesMax).contains(announced) { held.reserveCapacity(announced) }
  }

  public func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil else { return false }
    do {
      try take(bytes)
      return true
    } catch {
      give(up: error)
      return false
    }
  }

  /// The whole image, checked. Otherwise throws the content's refusal or the disk's error,
  /// including one that ended the transfer.
  public func finish() throws(ImageFailure) -> FinishedImage {
    if let failure { throw failure }
    do {
      return try complete()
    } catch {
      give(up: error)
      throw error
    }
  }

  private func complete() throws(ImageFailure) -> FinishedImage {
    guard byteCount > 0 else { throw .refused(.empty) }
    if scan == nil { try beginWithHeld() }
    guard let scan else { throw .refused(.empty) }
    let facts: ImageFacts
    do { facts = try scan.finish() } catch { throw .refused(error) }
    guard let digest = hasher.finish() else {
      throw .store(MediaError(kind: .noDigest, action: "name", path: ContentStore.folderName))
    }
    let content = file.map { FinishedImage.Content.file($0) } ?? .memory(held)
    file = nil
    held = []
    let image = StoredImage(
      digest: digest, byteCount: byteCount, kind: facts.kind, width: facts.width,
      height: facts.height)
    return FinishedImage(image, content)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(ImageFailure) {
    guard bytes.count > 0 else { return }
    guard bytes.count <= limits.bytesMax - byteCount else {
      throw .refused(.tooManyBytes(max: limits.bytesMax))
    }
    byteCount += bytes.count
    if scan != nil { return try keep(bytes) }
    if held.isEmpty, bytes.count >= ImageKind.signatureBytes { return try begin(with: bytes) }
    held.append(contentsOf: bytes)
    if held.count >= ImageKind.signatureBytes { try beginWithHeld() }
  }

  /// Begins with first bytes that came in small pieces, or are all that came.
  private func beginWithHeld() throws(ImageFailure) {
    let first = held
    held = []
    try first.withUnsafeBufferPointer { (bytes) throws(ImageFailure) in
      try begin(with: UnsafeRawBufferPointer(bytes))
    }
  }

  private func begin(with bytes: UnsafeRawBufferPointer) throws(ImageFailure) {
    guard let kind = ImageKind(startingWith: bytes) else { throw .refused(.otherFormat) }
    do { try store.checkWhole() } catch { throw .store(error) }
    scan = ImageScan(kind, limits: limits)
    try keep(bytes)
  }

  /// The hot path: three passes over a piece that is in the cache.
  private func keep(_ bytes: UnsafeRawBufferPointer) throws(ImageFailure) {
    hasher.add(bytes)
    do { try scan?.feed(bytes) } catch { throw .refused(error) }
    do { try hold(bytes) } catch { throw .store(error) }
  }

  private func hold(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
    if let file { return try file.write(bytes) }
    guard held.count + bytes.count > Self.heldBytesMax else {
      return held.append(contentsOf: bytes)
    }
    let file = try store.temporaryFile()
    try file.write(held)
    try file.write(bytes)
    held = []
    self.file = file
  }

  /// The file is removed at once, with the last reference to it: on a full disk others wait for its
  /// space.
  private func give(up reason: ImageFailure) {
    failure = reason
    file = nil
    held = []
  }
}

/// Why a download produced nothing.
public enum ImageFailure: Error, Equatable, Sendable {
  /// The content's fault: remembered, and requested again after growing times.
  case refused(ImageRefusal)
  /// The disk's fault: the run must stop.
  case store(MediaError)
}
