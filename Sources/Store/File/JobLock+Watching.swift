internal import Glibc

extension JobLock {
  /// The process that holds a job's lock now; nil when nobody does. Looks only: taking the lock to
  /// find out would turn away a run that starts at the same moment.
  public static func runner(of job: String, in folder: DataFolder) -> Int? {
    var facts = stat()
    let path = "\(folder.path)/locks/\(job).lock"
    guard stat(path, &facts) == 0 else { return nil }
    guard let locks = KernelLocks.all() else {
      // Without the kernel's table the number in the file is a guess: it must at least be alive.
      return holder(of: job, in: folder).flatMap { kill(pid_t($0), 0) == 0 ? $0 : nil }
    }
    let held = locks.first { lock in
      lock.kind == "FLOCK" && lock.isForWriting && lock.inode == UInt64(facts.st_ino)
    }
    // A process of another container has no number here.
    return held.map { $0.process > 0 ? $0.process : holder(of: job, in: folder) ?? 0 }
  }
}
