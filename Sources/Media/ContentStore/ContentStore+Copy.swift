internal import Glibc

/// The result of copying images from one store into another.
public struct ImageCopies: Equatable, Sendable {
  public var present = 0
  public var linked = 0
  public var copied = 0
  /// The bytes of those that were copied.
  public var bytes = 0
  /// Rows name them, but the file is missing or has other bytes.
  public var missing: [String] = []

  public static func += (all: inout ImageCopies, more: ImageCopies) {
    all.present += more.present
    all.linked += more.linked
    all.copied += more.copied
    all.bytes += more.bytes
    all.missing += more.missing
  }

  public init() {}
}

/// Copies images into this store: those that one of its 256 folders lacks are hard-linked if both are on one file
/// system, else copied. Files on both sides are read and checked against their names; wrong ones here are set aside.
/// Durable on return, except for the name of `media` itself.
extension ContentStore {
  public func bring(
    folder byte: UInt8, of images: [StoredImage], from source: ContentStore
  ) async throws(MediaError) -> ImageCopies {
    var copies = ImageCopies()
    let there = try media.folder(StoredImage.folderName(byte))
    var lacking: [StoredImage] = []
    for image in images {
      if let there, try isWhole(image, in: there) {
        copies.present += 1
      } else {
        lacking.append(image)
      }
    }
    guard !lacking.isEmpty else { return copies }
    let (folder, isNew) = try media.makeFolder(StoredImage.folderName(byte))
    let origin = try source.media.folder(StoredImage.folderName(byte))
    var finished: [FinishedImage] = []
    var canLink = true
    for image in lacking {
      guard let origin, try isWhole(image, in: origin) else {
        copies.missing.append(image.path)
        continue
      }
      if try folder.entry(image.fileName) != nil {
        for touched in try moveAside(image.fileName, from: folder) {
          try sync(touched.fd, touched.path)
        }
      }
      if canLink {
        if linkat(origin.fd, image.fileName, folder.fd, image.fileName, 0) == 0 {
          copies.linked += 1
          continue
        }
        let reason = errno
        guard [EXDEV, EPERM, EMLINK, EOPNOTSUPP, ENOSYS].contains(reason) else {
          throw MediaError("link", image.path, code: reason)
        }
        canLink = false
      }
      guard let copy = try copy(image, from: origin) else {
        copies.missing.append(image.path)
        continue
      }
      copies.copied += 1
      copies.bytes += image.byteCount
      finished.append(copy)
      // Each is an open file until then.
      guard finished.count >= openFilesMax else { continue }
      _ = try await settle(finished)
      finished = []
    }
    try sync(folder.fd, folder.path)
    if isNew { try sync(media.fd, media.path) }
    _ = try await settle(finished)
    return copies
  }

  /// Whether its file is there, with its bytes.
  private func isWhole(_ image: StoredImage, in folder: Folder) throws(MediaError) -> Bool {
    guard let facts = try folder.entry(image.fileName), facts.st_mode & S_IFMT == S_IFREG,
      Int(facts.st_size) == image.byteCount
    else { return false }
    var reading = try FileReading.open(image.fileName, in: folder)
    return try reading.digest() == image.digest
  }

  /// Nil if its bytes do not match its name.
  private func copy(
    _ image: StoredImage, from folder: Folder
  ) throws(MediaError) -> FinishedImage? {
    var reading = try FileReading.open(image.fileName, in: folder)
    let file = try temporaryFile()
    let digest = try reading.digest { (bytes) throws(MediaError) in try file.write(bytes) }
    return digest == image.digest ? FinishedImage(image, .file(file)) : nil
  }
}
