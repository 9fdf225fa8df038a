internal import Glibc
internal import Base

/// The right to write for one job. The kernel releases it when the process dies, however it dies;
/// so no lock is ever stale.
public final class JobLock: Sendable {
  private let file: FileLock
  let path: String

  private init(file: FileLock, path: String) {
    self.file = file
    self.path = path
  }

  /// Nil if another process (or another run in this one) holds it.
  public static func take(_ job: String, in folder: DataFolder) throws(StoreError) -> JobLock? {
    guard isName(job) else {
      throw StoreError(.job, job, "a job's name has letters a-z, digits and hyphens only")
    }
    let path = try folder.folder("locks") + "/\(job).lock"
    guard let file = try lock(path) else { return nil }
    let lock = JobLock(file: file, path: path)
    lock.writeHolder()
    return lock
  }

  /// Nil: a run holds it. Whoever only looks (`runner`) locks it shared, for an instant, and turns no run away by that.
  private static func lock(_ path: String) throws(StoreError) -> FileLock? {
    do throws(FileFailure) {
      while true {
        if let file = try FileLock(path) { return file }
        if try FileLock(path, .shared) == nil { return nil }
      }
    } catch {
      throw StoreError(lock: error, path)
    }
  }

  /// Whether a job can have this name, and folders of it.
  public static func isName(_ job: String) -> Bool {
    job.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
      && !job.isEmpty && job.utf8.count <= 64
  }

  /// The jobs that have ever run in this folder.
  public static func jobs(in folder: DataFolder) -> [String] {
    FolderNames.all(of: "\(folder.path)/locks", ending: ".lock")
  }

  /// The holder of a lock, for the message; nil if the file does not say.
  public static func holder(of job: String, in folder: DataFolder) -> Int? {
    FileBytes.first(32, of: "\(folder.path)/locks/\(job).lock").flatMap {
      Int(String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self))
    }
  }

  /// The process that holds a job's lock now, 0 if its file does not say which; nil if there is none.
  public static func runner(of job: String, in folder: DataFolder) -> Int? {
    guard FileLock.isHeld("\(folder.path)/locks/\(job).lock") else { return nil }
    return holder(of: job, in: folder) ?? 0
  }

  /// The process number is only for people; the lock itself decides.
  private func writeHolder() {
    let text = Array("\(getpid())\n".utf8)
    // Overwritten before it is cut: on a full disk an empty file would take no number.
    if pwrite(file.descriptor, text, text.count, 0) == text.count {
      ftruncate(file.descriptor, off_t(text.count))
    }
  }

  /// Whether the locked file is still the one that another run would lock.
  var isInPlace: Bool { file.isOn(path) }
}

/// The right to create or replace the database.
public final class CreationLock {
  private let lock: FileLock?

  /// Held for milliseconds, while the file is made.
  public init(_ folder: DataFolder) throws(StoreError) {
    let path = try folder.folder("locks") + "/database"
    do { lock = try FileLock(path, waiting: nil) } catch { throw StoreError(lock: error, path) }
  }
}

extension StoreError {
  init(lock failure: FileFailure, _ path: String) {
    self =
      failure.action == .open
      ? StoreError(.cannotCreate, path, "the lock file cannot be opened: \(failure.words)")
      : StoreError(failure, on: path)
  }
}
