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
    guard job.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }),
      !job.isEmpty, job.utf8.count <= 64
    else { throw StoreError(.job, job, "a job's name has letters a-z, digits and hyphens only") }
    let path = try folder.folder("locks") + "/\(job).lock"
    let file: FileLock?
    do { file = try FileLock(path) } catch { throw StoreError(lock: error, path) }
    guard let file else { return nil }
    let lock = JobLock(file: file, path: path)
    lock.writeHolder()
    return lock
  }

  /// The jobs that have ever run in this folder.
  public static func jobs(in folder: DataFolder) -> [String] {
    FolderNames.all(of: "\(folder.path)/locks", ending: ".lock")
  }

  /// Whether a job of this name has ever run in this folder.
  public static func isThere(for job: String, in folder: DataFolder) -> Bool {
    access("\(folder.path)/locks/\(job).lock", F_OK) == 0
  }

  /// The holder of a lock, for the message; nil if the file does not say.
  public static func holder(of job: String, in folder: DataFolder) -> Int? {
    FileBytes.first(32, of: "\(folder.path)/locks/\(job).lock").flatMap {
      Int(String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self))
    }
  }

  /// The number is for people only; the lock itself decides.
  private func writeHolder() {
    let text = Array("\(getpid())\n".utf8)
    if ftruncate(file.descriptor, 0) == 0 { _ = pwrite(file.descriptor, text, text.count, 0) }
  }

  /// Whether the locked file is still the one that another run would lock.
  var isInPlace: Bool { file.isOn(path) }
}
