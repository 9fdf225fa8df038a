internal import Glibc
internal import Base

/// Checks a file before it is overwritten: only a file of the same kind may be replaced, and never
/// the database itself.
enum ReplacedFile {
  /// - Parameters:
  ///   - identities: the application ids of files that may be replaced.
  ///   - what: its name in messages.
  static func check(
    _ path: String, besides folder: DataFolder, _ identities: [Int64], _ what: String
  ) throws(StoreError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      guard access(AtomicFile.folder(of: path), F_OK) == 0 else {
        throw StoreError(
          .cannotCreate, path,
          "its folder \(AtomicFile.folder(of: path)) is not there: make it first")
      }
      return
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.cannotCreate, path, "it is no file: name the file of the \(what)")
    }
    guard FileIdentity(path: path) != FileIdentity(path: folder.databasePath) else {
      throw StoreError(.cannotCreate, path, "this is the database itself: name another file")
    }
    guard facts.st_size > 0 else { return }
    guard case .database(let header) = DatabaseHeader.read(path),
      identities.contains(header.applicationID)
    else {
      throw StoreError(
        .cannotCreate, path,
        "it is there and no \(what) of Trawl's; left as it is. Name another file")
    }
  }
}
