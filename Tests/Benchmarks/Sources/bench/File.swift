import Glibc

/// The bench's own files.
enum File {
  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw Trouble("cannot write \(path)") }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw Trouble("cannot write \(path)") }
  }

  /// The first 4 KB: a line or two.
  static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw Trouble("cannot read \(path)") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  static func remove(_ paths: String...) throws {
    let removal = try Process(["/bin/rm", "-rf"] + paths, output: "/dev/null").ended()
    guard removal.code == 0 else { throw Trouble("cannot remove \(paths[0])") }
  }

  /// An empty folder, replacing whatever was there.
  static func makeFolder(_ path: String) throws {
    try remove(path)
    guard mkdir(path, 0o755) == 0 else { throw Trouble("cannot make \(path)") }
  }

  /// A link to a folder, which may be replaced.
  static func link(_ path: String, to folder: String) throws {
    unlink(path)
    guard symlink(folder, path) == 0 else { throw Trouble("cannot make \(path)") }
  }
}
