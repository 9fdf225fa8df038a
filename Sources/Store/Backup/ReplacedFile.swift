internal import Glibc
internal import Base

/// Checks a file before it is overwritten: only a file of the same kind may be replaced, and never
/// the database itself.
public enum ReplacedFile {
  /// A database and SQLite's companion files.
  private static let endings = ["", "-wal", "-shm", "-journal"]
  private static let folders = ["media", "reports", "locks", "feeds", "alerts"]

  /// Why no command may write a file here: it is part of a data folder, or a database. Nil: it may.
  /// - Parameters:
  ///   - folder: a data folder, which may not be there yet.
  ///   - ledger: nil: the folder's own.
  public static func refusal(
    of path: String, besides folder: String?, ledger: String? = nil
  ) -> String? {
    if let folder, let refusal = ours(path, folder, ledger) { return refusal }
    guard FilePlace(path: path) != nil, case .database = DatabaseHeader.read(path) else {
      return nil
    }
    return "it is a database, and is left as it is: name another file"
  }

  private static func ours(
    _ path: String, _ folder: String, _ ledger: String?
  ) -> String? {
    if isOne(of: "\(folder)/trawl.db", path) {
      return "this is the database itself: name another file"
    }
    if isOne(of: ledger ?? "\(folder)/ledger.db", path) {
      return "this is the ledger, which counts the quotas: name another file"
    }
    let place = resolved(path)
    return folders.map { resolved("\(folder)/\($0)") }
      .first { place.utf8.starts(with: "\($0)/".utf8) }
      .map { "\($0) is Trawl's own: name a file elsewhere" }
  }

  private static func isOne(of database: String, _ path: String) -> Bool {
    endings.contains { ending in
      let file = database + ending
      if let identity = FileIdentity(path: file), identity == FileIdentity(path: path) {
        return true
      }
      return resolved(file).utf8.elementsEqual(resolved(path).utf8)
    }
  }

  /// The real path; the file itself may not exist yet.
  private static func resolved(_ path: String) -> String {
    if let whole = FolderNames.resolved(path) { return whole }
    guard let folder = FolderNames.resolved(AtomicFile.folder(of: path)) else { return path }
    return "\(folder)/\(path.split(separator: "/").last ?? "")"
  }

  /// - Parameters:
  ///   - identity: the application id of files that may be replaced.
  ///   - what: its name in messages.
  static func check(
    _ path: String, besides folder: DataFolder, _ identity: Int64, _ what: String
  ) throws(StoreError) {
    var facts = stat()
    let isThere = stat(path, &facts) == 0
    guard isThere || access(AtomicFile.folder(of: path), F_OK) == 0 else {
      throw StoreError(
        .cannotCreate, path,
        "its folder \(AtomicFile.folder(of: path)) is not there: make it first")
    }
    guard !isThere || facts.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.cannotCreate, path, "not a file: give the path of the \(what)")
    }
    if let refusal = ours(path, folder.path, nil) { throw StoreError(.cannotCreate, path, refusal) }
    guard isThere, facts.st_size > 0 else { return }
    guard case .database(let header) = DatabaseHeader.read(path),
      header.applicationID == identity
    else {
      throw StoreError(
        .cannotCreate, path,
        "it is there and no \(what) of Trawl's; left as it is. Name another file")
    }
  }
}
