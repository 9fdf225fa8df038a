internal import Glibc
internal import Base

extension JobLock {
  /// The process that holds a job's lock now; nil if none does. Only looks: taking the lock to find
  /// out would turn away a run that starts at the same moment.
  public static func runner(of job: String, in folder: DataFolder) -> Int? {
    runners(of: [job], in: folder)[job]
  }

  /// The same for some jobs, by name; the kernel's table is read once.
  public static func runners(of jobs: [String], in folder: DataFolder) -> [String: Int] {
    var inodes: [(job: String, inode: UInt64)] = []
    for job in jobs {
      if let file = FileIdentity(path: "\(folder.path)/locks/\(job).lock") {
        inodes.append((job, file.inode))
      }
    }
    guard !inodes.isEmpty else { return [:] }
    guard let locks = KernelLocks.all() else { return guesses(of: inodes.map(\.job), in: folder) }
    let writers = Dictionary(
      locks.filter { $0.kind == "FLOCK" && $0.isForWriting }.map { ($0.inode, $0.process) },
      uniquingKeysWith: { first, _ in first })
    var runners: [String: Int] = [:]
    for (job, inode) in inodes {
      guard let process = writers[inode] else { continue }
      // A process of another container has no number here.
      runners[job] = process > 0 ? process : holder(of: job, in: folder) ?? 0
    }
    return runners
  }

  /// Without the kernel's table the number in the file is only a guess: its process must at least
  /// be alive.
  private static func guesses(of jobs: [String], in folder: DataFolder) -> [String: Int] {
    var runners: [String: Int] = [:]
    for job in jobs {
      runners[job] = holder(of: job, in: folder).flatMap { kill(pid_t($0), 0) == 0 ? $0 : nil }
    }
    return runners
  }
}
