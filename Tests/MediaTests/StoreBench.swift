import Glibc
import Base
@testable import Media
import TestSupport

/// A test's own data folder, with plain calls to inspect and to damage it.
final class StoreBench: Sendable {
  let scratch = ScratchFolder()

  var path: String { scratch.path }

  func store(
    fault: FaultPoint = .none, calls: FileCalls = .system, canSyncAll: Bool? = nil
  ) throws -> ContentStore {
    try ContentStore(
      dataFolder: path, for: .writing, fault: fault, calls: calls,
      canSyncAll: canSyncAll)
  }

  /// Every file and folder below `media`, as `ab/abcd.png`, without the folders of the digests.
  func files(under folder: String = "media") -> [String] {
    ScratchFolder.files(in: "\(path)/\(folder)").map { "\(folder)/\($0)" }.sorted()
  }

  func names(in folder: String) -> [String] {
    ScratchFolder.names(in: "\(path)/\(folder)").sorted()
  }

  func mode(of file: String) -> mode_t? {
    var facts = stat()
    return lstat("\(path)/\(file)", &facts) == 0 ? facts.st_mode : nil
  }

  func read(_ file: String) -> [UInt8]? { Golden.bytes("\(path)/\(file)") }
  func write(_ bytes: [UInt8], to file: String) { Golden.write(bytes, to: "\(path)/\(file)") }

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
