internal import Glibc
internal import Base

/// A folder for the length of one command, removed with all that is in it.
final class ScratchSpace: Sendable {
  let path: String

  init(_ environment: Environment) throws(ExitReport) {
    let base = environment("TMPDIR") ?? "/tmp"
    // mkdtemp replaces the six X, which must be the last of it.
    var template = Array("\(base)/trawl-look-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ExitReport(
        .cannotCreate,
        "no scratch folder can be made in \(base): \(SystemError.latest)",
        "set TMPDIR to a folder that can be written")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { FolderNames.removeAll(path) }
}
