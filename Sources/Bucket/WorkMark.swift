internal import Glibc
internal import Base

/// Says that the files of a cache are as the last command left them, whole. It is taken away when a command begins: a
/// kill leaves none, and a disk that changes a file has another time of it. Then SQLite looks through the file before
/// anything of it is put.
struct WorkMark {
  let cache: String

  private var path: String { "\(cache)/notes/whole" }

  func write(of files: [String]) throws(BucketError) {
    try CacheFile.write(Array(files.map(Self.facts).joined(separator: "\n").utf8), to: path)
  }

  /// The files that are whole without a look.
  func take(of files: [String]) -> Set<String> {
    defer { CacheFile.remove(path) }
    let text = FileBytes.first(10_000, of: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let lines = Set(text.split(separator: "\n").map(String.init))
    return Set(files.filter { lines.contains(Self.facts(of: $0)) })
  }

  private static func facts(of file: String) -> String {
    [file, "\(file)-wal"].map { path in
      var facts = stat()
      guard lstat(path, &facts) == 0 else { return "\(path) -" }
      let at = facts.st_mtim
      return "\(path) \(facts.st_ino) \(facts.st_size) \(at.tv_sec).\(at.tv_nsec)"
    }.joined(separator: " ")
  }

  static func isWhole(_ file: String) -> Bool {
    do throws(SQLiteError) {
      let connection = try Connection(file, .readWrite)
      defer { connection.close() }
      return try connection.text("PRAGMA quick_check(1)") == "ok"
    } catch {
      return false
    }
  }
}
