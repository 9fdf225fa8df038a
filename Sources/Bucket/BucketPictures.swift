internal import Glibc
internal import Base
internal import Transport

/// Pictures of a folder: objects under their path, which holds their digest. One that is there never changes.
extension BucketFolder {
  /// `media/ab`.
  public func pictures(in area: String) throws(BucketError) -> [String] {
    try list(key("\(area)/")).map { name(of: $0.key) }
  }

  public func fetch(picture path: String) throws(BucketError) -> [UInt8]? {
    try fetch(key(path))?.bytes
  }

  public func keep(picture path: String, _ bytes: [UInt8], type: String) throws(BucketError) {
    // If it is refused, it is there: its name is the digest of its bytes.
    _ = try put(key(path), bytes, if: .absent, type: type)
  }

  public func remove(picture path: String) throws(BucketError) { try delete(key(path)) }

  /// Removes pictures of a cache, the oldest first, until so many bytes are left.
  public static func trimPictures(_ media: String, to bytesMax: Int) {
    var files: [(path: String, at: Int, bytes: Int)] = []
    for area in FolderNames.all(of: media) where !area.hasPrefix(".") {
      for name in FolderNames.all(of: "\(media)/\(area)") {
        let path = "\(media)/\(area)/\(name)"
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
        files.append((path, Int(facts.st_mtim.tv_sec), Int(facts.st_size)))
      }
    }
    var sum = files.reduce(0) { $0 + $1.bytes }
    for file in files.sorted(by: { $0.at < $1.at }) where sum > bytesMax {
      unlink(file.path)
      sum -= file.bytes
    }
  }
}
