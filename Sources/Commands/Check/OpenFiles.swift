internal import Glibc
internal import Base

/// Which processes have a file open, as far as this user may see.
enum OpenFiles {
  static let processesMax = 20_000

  /// `sqlite3 (4711)`, sorted.
  static func holders(of path: String) -> [String] {
    guard let wanted = FileIdentity(path: path) else { return [] }
    var found: [String] = []
    for name in FolderNames.all(of: "/proc").prefix(processesMax) {
      guard let process = Int(name), process != Int(getpid()) else { continue }
      let folder = "/proc/\(process)/fd"
      let holds = FolderNames.all(of: folder).contains { descriptor in
        FileIdentity(path: "\(folder)/\(descriptor)") == wanted
      }
      if holds { found.append("\(command(process)) (\(process))") }
    }
    return found.sorted()
  }

  private static func command(_ process: Int) -> String {
    guard let file = fopen("/proc/\(process)/comm", "re") else { return "a process" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = fread(&buffer, 1, buffer.count, file)
    return ForeignText.cleaned(
      String(decoding: buffer[..<count].prefix { $0 != 10 }, as: UTF8.self))
  }
}
