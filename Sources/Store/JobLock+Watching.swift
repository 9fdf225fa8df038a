internal import Glibc

extension JobLock {
  /// The process that holds a job's lock now; nil when nobody does. Looks only: taking the lock to
  /// find out would turn away a run that starts at the same moment.
  public static func runner(of job: String, in folder: DataFolder) -> Int? {
    var facts = stat()
    let path = "\(folder.path)/locks/\(job).lock"
    guard stat(path, &facts) == 0 else { return nil }
    guard let table = lines(of: "/proc/locks") else {
      // Without the kernel's table the number in the file is a guess: it must at least be alive.
      return holder(of: job, in: folder).flatMap { kill(pid_t($0), 0) == 0 ? $0 : nil }
    }
    for line in table {
      // `1: FLOCK  ADVISORY  WRITE 4711 fe:01:131073 0 EOF`. The device is not compared: some file
      // systems give another one to stat than to this table.
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[3] == "WRITE",
        words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(facts.st_ino),
        let process = Int(words[4])
      else { continue }
      // A process of another container has no number here.
      return process > 0 ? process : holder(of: job, in: folder) ?? 0
    }
    return nil
  }

  /// A file of the kernel's, read whole; at most 4 MiB, some 50,000 locks.
  private static func lines(of path: String) -> [Substring]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < 4 << 20 {
      let count = read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
