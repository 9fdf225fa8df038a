public import Model

/// Takes one image from the network into the temporary folder: hashes, checks and writes each piece
/// as it comes, and keeps none. The transport's thread calls `begin` and `receive`; when its answer
/// has been handed over, whoever sent the request calls `finish`.
public final class ImageDownload: BodySink, @unchecked Sendable {
  // Sendable: the transport lets go before the answer reaches the sender, so one thread at a time.
  private let store: ContentStore
  private let limits: ImageLimits
  private var hasher = SHA256Hasher()
  private var scan: ImageScan?
  private var kind = ImageKind.jpeg
  private var file: TemporaryFile?
  private var byteCount = 0
  private var failure: ImageFailure?
  /// The first bytes, until they tell what this is.
  private var head = InlineArray<64, UInt8>(repeating: 0)
  private var headCount = 0

  init(into store: ContentStore, limits: ImageLimits) {
    self.store = store
    self.limits = limits
  }

  /// Refuses early what announces too much. An encoded length says nothing about the decoded one.
  public func begin(_ fields: HeaderFields) {
    guard fields["Content-Encoding"] == nil, let text = fields["Content-Length"],
      let announced = Int(text), announced > limits.bytesMax
    else { return }
    failure = .refused(.tooManyBytes(max: limits.bytesMax))
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

  /// The whole image, checked. The content's refusal or the disk's error otherwise, also the one
  /// that ended the transfer.
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
    if scan == nil { try recogniseHead(isAll: true) }
    guard let scan, let file else { throw .refused(.empty) }
    let facts: ImageFacts
    do { facts = try scan.finish() } catch { throw .refused(error) }
    guard let digest = hasher.finish() else {
      throw .store(MediaError(.noDigest, action: "name", path: file.path))
    }
    self.file = nil
    let image = StoredImage(
      digest: digest, byteCount: byteCount, kind: facts.kind, width: facts.width,
      height: facts.height)
    return FinishedImage(image, frames: facts.frames, file: file)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(ImageFailure) {
    guard bytes.count > 0 else { return }
    guard bytes.count <= limits.bytesMax - byteCount else {
      throw .refused(.tooManyBytes(max: limits.bytesMax))
    }
    byteCount += bytes.count
    if scan != nil { return try keep(bytes) }
    if headCount == 0, let kind = ImageKind(startingWith: bytes),
      bytes.count >= ImageKind.signatureBytes
    {
      try open(kind)
      return try keep(bytes)
    }
    let taken = min(64 - headCount, bytes.count)
    for index in 0..<taken { head[headCount + index] = bytes[index] }
    headCount += taken
    try recogniseHead(isAll: false)
    if taken < bytes.count { try keep(UnsafeRawBufferPointer(rebasing: bytes[taken...])) }
  }

  /// Opens the file as soon as the gathered bytes tell the format, and refuses when they never will.
  private func recogniseHead(isAll: Bool) throws(ImageFailure) {
    let whole = head
    let count = headCount
    let outcome = withUnsafeBytes(of: whole) { all -> Result<Void, ImageFailure> in
      let bytes = UnsafeRawBufferPointer(rebasing: all[..<count])
      return Result { () throws(ImageFailure) in
        if let kind = ImageKind(startingWith: bytes) {
          try open(kind)
          try keep(bytes)
        } else if isAll || count == all.count {
          throw .refused(.notAnImage(ForeignKind(startingWith: bytes)))
        }
      }
    }
    try outcome.get()
  }

  private func open(_ kind: ImageKind) throws(ImageFailure) {
    do { file = try store.temporaryFile() } catch { throw .store(error) }
    scan = ImageScan(kind, limits: limits)
  }

  /// The hot path: three passes over a piece that lies in the cache, and no allocation.
  private func keep(_ bytes: UnsafeRawBufferPointer) throws(ImageFailure) {
    hasher.add(bytes)
    do { try scan?.feed(bytes) } catch { throw .refused(error) }
    do { try file?.write(bytes) } catch { throw .store(error) }
  }

  /// The file goes at once, with the last hold on it: on a full disk others wait for its space.
  private func give(up reason: ImageFailure) {
    failure = reason
    file = nil
  }
}

/// Why a download brought nothing.
public enum ImageFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The content's fault: remembered, and asked again at growing distance.
  case refused(ImageRefusal)
  /// The disk's fault: the run must stop.
  case store(MediaError)

  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .store(let error): error.description
    }
  }
}
