import Glibc
import Base
@testable import Media
import TestSupport

/// A data folder of a test's own, with the plain calls to look at it and to do harm to it.
final class StoreBench: Sendable {
  let scratch = ScratchFolder()

  var path: String { scratch.path }

  func store(
    fault: FaultPoint = .none, calls: FileCalls = .system, guardedBy pathGuard: PathGuard? = nil,
    canSyncAll: Bool? = nil
  ) throws -> ContentStore {
    try ContentStore(
      dataFolder: path, for: .writing, fault: fault, calls: calls, pathGuard: pathGuard,
      canSyncAll: canSyncAll)
  }

  /// Every file and folder below `media`, as `ab/abcd.png`, without the folders of the digests.
  func files(under folder: String = "media") -> [String] {
    var found: [String] = []
    for name in names(in: folder) {
      let inner = "\(folder)/\(name)"
      if mode(of: inner).map({ $0 & S_IFMT == S_IFDIR }) == true {
        found += files(under: inner)
      } else {
        found.append(inner)
      }
    }
    return found.sorted()
  }

  func names(in folder: String) -> [String] {
    guard let directory = opendir("\(path)/\(folder)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func mode(of file: String) -> mode_t? {
    var facts = stat()
    return lstat("\(path)/\(file)", &facts) == 0 ? facts.st_mode : nil
  }

  func read(_ file: String) -> [UInt8]? {
    let fd = open("\(path)/\(file)", O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(fd, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  func write(_ bytes: [UInt8], to file: String) {
    let fd = open("\(path)/\(file)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
    precondition(fd >= 0, "cannot write \(file): errno \(errno)")
    precondition(Glibc.write(fd, bytes, bytes.count) == bytes.count)
    close(fd)
  }

  func age(_ file: String, to seconds: Int) {
    var times = (timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0))
    let done = withUnsafePointer(to: &times) {
      $0.withMemoryRebound(to: timespec.self, capacity: 2) {
        utimensat(AT_FDCWD, "\(path)/\(file)", $0, AT_SYMLINK_NOFOLLOW)
      }
    }
    precondition(done == 0)
  }
}

extension ContentStore {
  /// Downloads bytes in pieces of a size, as a transport would hand them over.
  func take(
    _ bytes: [UInt8], pieces: Int = 16_384, limits: ImageLimits = ImageLimits(),
    fields: HeaderFields = HeaderFields()
  ) throws(ImageFailure) -> FinishedImage {
    let download = download(limits: limits)
    download.begin(fields)
    var at = 0
    while at < bytes.count {
      let end = min(at + pieces, bytes.count)
      let isTaken = bytes[at..<end].withUnsafeBytes { download.receive($0) }
      if !isTaken { break }
      at = end
    }
    return try download.finish()
  }

  func keep(_ bytes: [UInt8]) async throws -> SettledImage {
    try await settle([try take(bytes)])[0]
  }
}
