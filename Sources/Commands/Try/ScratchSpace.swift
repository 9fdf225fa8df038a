internal import Glibc
internal import Base

/// A folder that is removed with its content at the end of the command.
final class ScratchSpace: Sendable {
  let path: String

  init(_ environment: Environment) throws(ExitReport) {
    let base = environment("TMPDIR") ?? "/tmp"
    // mkdtemp replaces the six X, which must come last.
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
