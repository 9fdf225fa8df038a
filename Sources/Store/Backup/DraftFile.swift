internal import Glibc
internal import Base

/// A database that is written under a temporary name and renamed when complete, with SQLite's companion files.
public final class DraftFile {
  private static let companions = ["-journal", "-wal", "-shm"]

  private let file: AtomicFile
  private let faults: FaultPoint

  var path: String { file.path }
  var draft: String { file.draft }

  init(
    for path: String, rights: UInt32 = FileRights.file, _ faults: FaultPoint = .none
  ) throws(StoreError) {
    do { file = try AtomicFile(path, mode: rights) } catch { throw StoreError(error, on: path) }
    self.faults = faults
    Self.removeCompanions(of: draft)
  }

  deinit { if !file.isPlaced { Self.removeCompanions(of: draft) } }

  /// All connections to it must be closed.
  func place(as other: String? = nil) throws(StoreError) {
    do { try file.place(as: other, faults) } catch { throw StoreError(error, on: other ?? path) }
  }

  public var byteCount: Int64 {
    FilePlace(descriptor: file.descriptor)?.size ?? 0
  }

  /// Changes it. An incomplete draft is thrown away, so it needs no journal.
  /// - Parameter source: another database that is read meanwhile, and may be damaged.
  func edit<T>(
    reading source: String? = nil, _ body: (Connection) throws(SQLiteError) -> T
  ) throws(StoreError) -> T {
    do {
      let connection = try Connection(draft, .readWrite)
      defer { connection.close() }
      try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      return try body(connection)
    } catch {
      throw StoreError(error, on: error.kind == .damaged ? source ?? path : path)
    }
  }

  /// Its images in one of the 256 folders.
  public func images(inFolder byte: UInt8) throws(StoreError) -> [StoredImageRow] {
    do {
      let connection = try Connection(draft, .readOnly)
      defer { connection.close() }
      return try RecordStore.images(inFolder: byte, connection)
    } catch {
      throw StoreError(error, on: path)
    }
  }

  /// Removes what a kill left of a database being made or restored.
  static func removeLeft(of path: String) {
    let draft = path + AtomicFile.ending
    if AtomicFile.removeLeft(draft: draft) { removeCompanions(of: draft) }
  }

  static func removeCompanions(of path: String) {
    for end in companions { unlink(path + end) }
  }
}

extension StoreError {
  init(_ failure: FileFailure, on path: String) {
    let words = failure.words
    switch failure.action {
    case .open: self.init(.cannotCreate, path, "it cannot be made: \(words)")
    case .lock: self.init(.cannotWrite, path, "it cannot be locked: \(words)")
    case .wait: self.init(.busy, path, words)
    case .write: self.init(.cannotWrite, path, "it cannot be written: \(words)")
    case .place: self.init(.cannotWrite, path, "it cannot be put in place: \(words)")
    case .syncFolder:
      let folder = AtomicFile.folder(of: path)
      self.init(.cannotWrite, folder, "the folder cannot be synced: \(words)")
    }
  }
}
