public import Glibc
internal import Base

/// Reads small files entirely, up to a limit, without ever waiting for a pipe or device.
public enum FileText {
  public enum Outcome {
    case bytes([UInt8], mode: mode_t, owner: uid_t)
    case none
    /// The reason, without the path.
    case unreadable(String)
  }

  public static func read(_ path: String, bytesMax: Int) -> Outcome {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let code = errno
      return code == ENOENT || code == ENOTDIR ? .none : .unreadable(SystemError.words(for: code))
    }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return .unreadable(SystemError.words(for: errno)) }
    guard facts.st_mode & S_IFMT == S_IFREG else { return .unreadable("it is not a plain file") }
    guard let bytes = FileBytes.first(bytesMax + 1, from: descriptor) else {
      return .unreadable(SystemError.latest)
    }
    guard bytes.count <= bytesMax else {
      return .unreadable("it has more than \(Wording.count(bytesMax, "byte"))")
    }
    return .bytes(bytes, mode: facts.st_mode & 0o7777, owner: facts.st_uid)
  }

  /// A job's name from its file's path.
  static func jobName(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.hasSuffix(".json5") ? String(name.dropLast(6)) : name
  }

  /// The names in a folder that end in `.json5`, sorted, without the extension; none if there is no folder.
  static func jobNames(in folder: String) -> [String] {
    FolderNames.all(of: folder, ending: ".json5").filter { !$0.hasPrefix(".") }
  }
}
