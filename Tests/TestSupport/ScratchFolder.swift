internal import Base
internal import Glibc

/// A folder for one test, removed with its content when the test releases it.
public final class ScratchFolder: Sendable {
  public let path: String

  /// - Parameter isInMemory: on a file system in memory if there is one, for tests with thousands of databases: syncs
  ///   are free there.
  public init(isInMemory: Bool = false) {
    let base = isInMemory && access(Self.memory, W_OK) == 0 ? Self.memory : Self.base
    var template = Array("\(base)/trawl-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      preconditionFailure("no scratch folder under \(base): errno \(errno)")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  private static let memory = "/dev/shm"

  private static var base: String {
    getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// The names in a folder; none if it is missing.
  public static func names(in folder: String) -> [String] { FolderNames.all(of: folder) }

  /// All files below a folder, as `ab/abcd.png`.
  public static func files(in folder: String) -> [String] {
    names(in: folder).flatMap { name in
      var facts = stat()
      let isFolder =
        lstat("\(folder)/\(name)", &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
      return isFolder ? files(in: "\(folder)/\(name)").map { "\(name)/\($0)" } : [name]
    }
  }

  /// Removes a folder with its content.
  public static func remove(_ path: String) { FolderNames.removeAll(path, depthMax: 64) }
}
