internal import Glibc
public import Base

/// Compares names with rows, one of the 256 folders at a time: reads only folders, no files. All of
/// it blocks.
extension ContentStore {
  /// Those of a folder's images whose files are missing.
  public func missing(
    folder byte: UInt8, of images: [StoredImage]
  ) throws(MediaError) -> [StoredImage] {
    let expected = images.filter { $0.digest.folder == byte }
    guard !expected.isEmpty else { return [] }
    guard let folder = try media.folder(StoredImage.folderName(byte)) else {
      return try alsoMissing(folder: byte, of: expected)
    }
    var names: Set<[UInt8]> = []
    try folder.eachName { (name) throws(MediaError) in
      names.insert(Array(UnsafeRawBufferPointer(start: name, count: strlen(name))))
    }
    return try alsoMissing(
      folder: byte, of: expected.filter { !names.contains(Array($0.fileName.utf8)) })
  }

  /// Files of a folder that are named like ours and older than the limit, but belong to none of the images.
  public func strays(
    folder byte: UInt8, beside images: [StoredImage], olderThan limit: Instant
  ) throws(MediaError) -> [StoredImage] {
    guard let folder = try media.folder(StoredImage.folderName(byte)) else { return [] }
    let names = Set(images.map(\.fileName))
    var strays: [StoredImage] = []
    try folder.eachName { (raw) throws(MediaError) in
      let name = String(cString: raw)
      guard !names.contains(name), let (digest, kind) = StoredImage.parts(ofName: name),
        digest.folder == byte, let facts = try folder.entry(raw),
        facts.st_mode & S_IFMT == S_IFREG, facts.touchedAt < limit
      else { return }
      strays.append(
        StoredImage(
          digest: digest, byteCount: Int(facts.st_size), kind: kind, width: 0, height: 0))
    }
    return strays
  }
}

extension StoredImage {
  /// What a row says of a file; nil if the row is damaged.
  public init?(digest: String, mediaType: String, byteCount: Int, width: Int, height: Int) {
    guard let digest = SHA256Digest(hex: digest),
      let kind = ImageKind.allCases.first(where: {
        $0.mediaType.utf8.elementsEqual(mediaType.utf8)
      })
    else { return nil }
    self.init(digest: digest, byteCount: byteCount, kind: kind, width: width, height: height)
  }

  /// `<64 digits>.jpg`; nil for any other name.
  static func parts(ofName name: String) -> (SHA256Digest, ImageKind)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let digest = SHA256Digest(hex: parts[0]),
      let kind = ImageKind(fileExtension: parts[1])
    else { return nil }
    return (digest, kind)
  }
}
