internal import Glibc
internal import Base

/// The folder that holds `trawl.db`, `media`, `reports` and the locks. Its path is resolved once:
/// under systemd it may be a symbolic link, which SQLite would not follow safely.
public struct DataFolder: Sendable, Equatable {
  public let path: String
  private let databaseName: String

  static let folderMode = FileRights.folder

  /// A folder that must exist.
  public init(existing path: String) throws(StoreError) {
    guard let resolved = FolderNames.resolved(path) else {
      throw StoreError(.missing, path, "there is no data folder here: \(SystemError.latest)")
    }
    self.path = resolved
    databaseName = "trawl.db"
  }

  /// The folder of a database with another name: one that is being made.
  init(file: String) throws(StoreError) {
    guard let resolved = FolderNames.resolved(AtomicFile.folder(of: file)) else {
      throw StoreError(.missing, file, "there is no such folder: \(SystemError.latest)")
    }
    path = resolved
    databaseName = file.split(separator: "/").last.map(String.init) ?? file
  }

  /// Creates the folder and its parents if missing.
  public init(creating path: String) throws(StoreError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      try Self.make(made)
    }
    try self.init(existing: path)
  }

  private static func make(_ path: String) throws(StoreError) {
    if mkdir(path, folderMode & 0o777) == 0 {
      try open(path)
    } else if errno != EEXIST {
      throw StoreError(.cannotCreate, path, refusal("the folder cannot be made", at: path))
    } else if access(path, F_OK) != 0 {
      throw StoreError(
        .cannotCreate, path,
        "it is a symbolic link that leads nowhere: make what it leads to, or choose another with --data DIR"
      )
    }
  }

  /// Our files in the folder, those that SQLite puts beside them, and the folder itself.
  private static let parts =
    ["trawl.db", "ledger.db"].flatMap { [$0, "\($0)-wal", "\($0)-shm"] }
    + ["locks", "media", "reports", ""]

  /// The first part that this user may not write, and the cure: an earlier run as another user left
  /// such files. Checked before anything is requested.
  public var unwritable: (part: String, cure: String)? {
    for name in Self.parts {
      let part = name.isEmpty ? path : "\(path)/\(name)"
      var facts = stat()
      guard faccessat(AT_FDCWD, part, W_OK, AT_EACCESS) != 0 else { continue }
      if errno == EROFS { return (part, "the file system can only be read") }
      guard errno == EACCES, stat(part, &facts) == 0 else { continue }
      return (
        part,
        Self.cure("it", path, owner: facts.st_uid, user: geteuid(), gift: mayBeGiven ? gift : nil)
      )
    }
    return nil
  }

  /// The command that gives the folder to this user.
  private var gift: String { "chown -R \(geteuid()) \(ShellWord.quoted(path))" }

  /// Whether giving the folder to this user may be suggested: it is theirs with a stray part, or empty, as a container
  /// gets it. Never one that others use: with a database, or of the system.
  private var mayBeGiven: Bool {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_uid == geteuid() { return true }
    return !Self.systemFolders.contains(path) && access(path, R_OK) == 0
      && FolderNames.all(of: path, most: 1).isEmpty
  }

  private static let systemFolders: Set = [
    "/", "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run",
    "/srv",
    "/sys", "/tmp", "/usr", "/var",
  ]

  /// Opens a new folder to the group. If a service's sandbox forbids setting the group bit, it was
  /// inherited from the parent folder, or plain permissions must do.
  private static func open(_ path: String) throws(StoreError) {
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & 0o7777 == folderMode { return }
    if chmod(path, folderMode) == 0 || facts.st_mode & 0o777 == folderMode & 0o777 { return }
    guard chmod(path, folderMode & 0o777) == 0 else {
      throw StoreError(.cannotCreate, path, refusal("its permissions cannot be set", at: path))
    }
  }

  /// The system's message for what it refused at a path, and the cure.
  private static func refusal(_ what: String, at path: String) -> String {
    let (code, words) = (errno, SystemError.latest)
    let folder = AtomicFile.folder(of: path)
    var facts = stat()
    let isDenied = code == EACCES && stat(folder, &facts) == 0 && facts.st_uid != geteuid()
    let cure =
      isDenied
      ? Self.cure(
        folder, folder, owner: facts.st_uid, user: geteuid(),
        gift: "install -d -o \(geteuid()) \(ShellWord.quoted(path))")
      : "choose another with --data DIR"
    return "\(what): \(words); \(cure)"
  }

  /// A folder of the host often belongs to root, while a container runs as another user.
  /// - Parameter gift: a command that hands it over; nil: others use it, so none is suggested.
  static func cure(
    _ subject: String, _ folder: String, owner: UInt32, user: UInt32, gift: String?
  ) -> String {
    if owner == user {
      let command = "chmod -R u+rwX \(ShellWord.quoted(folder))"
      return "its permissions do not let its owner write: `\(command)`"
    }
    let given = gift.map { ", `\($0)` (for a container, the host's folder)" } ?? ""
    return "\(subject) belongs to user \(owner), and this runs as user \(user): run it as user "
      + "\(owner) (for a container, `--user \(owner)`)\(given), or choose another with --data DIR"
  }

  public var databasePath: String { "\(path)/\(databaseName)" }

  /// An empty file is not a database: a full disk leaves one, or a program that only tried to read
  /// it.
  public var hasDatabase: Bool {
    (FilePlace(path: databasePath)?.size ?? 0) > 0
  }

  /// Why a database that once existed is missing: it must not be silently replaced by a new one. Nil: it exists, or
  /// there is no trace of one.
  public var lostDatabase: StoreError? {
    if hasDatabase { return nil }
    let trace = ["reports", "media"].first { FilePlace(path: "\(path)/\($0)") != nil }
    if FilePlace(path: databasePath) != nil, let trace {
      return StoreError(
        .damaged, databasePath,
        "it is empty, though the folder was used before (\(trace)): put the database back, from a backup for "
          + "example, or remove the file to begin anew; left as it is")
    }
    return logWithoutDatabase
  }

  /// SQLite would replay the log of a missing database into a new one.
  var logWithoutDatabase: StoreError? {
    if hasDatabase { return nil }
    return ["\(databasePath)-wal", "\(databasePath)-journal"]
      .first { FilePlace(path: $0)?.size ?? 0 > 0 }
      .map { log in
        StoreError(
          .damaged, databasePath,
          "it is missing or empty, but \(log) holds changes that belong to it: put the database back, "
            + "or move that file away to begin anew; left as it is")
      }
  }

  /// A folder inside this one, made if it is missing.
  public func folder(_ name: String) throws(StoreError) -> String {
    let inner = "\(path)/\(name)"
    try Self.make(inner)
    return inner
  }
}
