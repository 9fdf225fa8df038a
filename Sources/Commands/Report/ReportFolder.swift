internal import CLinux
internal import Glibc
internal import Base
internal import Report
internal import Store

/// `reports/<job>/<run>.json` and the same as a page: each written whole or not at all; the last
/// ones are kept.
struct ReportFolder {
  let folder: DataFolder
  let keep: Int

  /// The path of the page that was written.
  func write(
    _ facts: RunFacts, thumbnails: [HTMLReport.Thumbnail] = []
  ) throws(ExitReport) -> String {
    let folderPath: String
    do {
      _ = try folder.folder("reports")
      folderPath = try folder.folder("reports/\(facts.job)")
    } catch {
      throw ExitReport(.cannotCreate, "the report cannot be written: \(error)")
    }
    let page = "\(folderPath)/\(facts.run).html"
    try Self.replace([
      ("\(folderPath)/\(facts.run).json", JSONReport(facts).bytes()),
      (page, Array(HTMLReport(facts, thumbnails: thumbnails).text.utf8)),
    ])
    prune(folderPath)
    return page
  }

  /// Reports of a job go on under its new name. Where there are some of both they stay apart.
  static func takeOver(from old: String, to new: String, in folder: DataFolder) {
    let reports = "\(folder.path)/reports"
    if access("\(reports)/\(new)", F_OK) == 0 { return }
    // There may be none; and a folder that cannot be renamed costs no run.
    _ = rename("\(reports)/\(old)", "\(reports)/\(new)")
  }

  /// Several runs of this process may write the same file.
  private static let drafts = Locked(0)

  /// A crash leaves the old file or the new one, never a half.
  static func replace(
    _ path: String, with bytes: [UInt8], rights: mode_t = 0o640
  ) throws(ExitReport) {
    try replace([(path, bytes)], rights: rights)
  }

  /// All are on their way to the disk before the first is waited for: one commit of the file system's
  /// journal does for them. Where there is no room for a later one, those before it are kept.
  static func replace(
    _ files: [(path: String, bytes: [UInt8])], rights: mode_t = 0o640
  ) throws(ExitReport) {
    var drafts: [Draft] = []
    defer { for draft in drafts { draft.remove() } }
    var written = 0
    var failure: ExitReport?
    do throws(ExitReport) {
      for file in files {
        let draft = try Draft(of: file.path, rights)
        drafts.append(draft)
        try draft.write(file.bytes)
        written += 1
      }
    } catch {
      failure = error
    }
    for draft in drafts[..<written] { try draft.putInPlace() }
    if let failure { throw failure }
  }

  private struct Draft {
    let path: String
    private let draft: String
    private let descriptor: Int32

    init(of path: String, _ rights: mode_t) throws(ExitReport) {
      let number = drafts.withLock { number in
        number += 1
        return number
      }
      self.path = path
      draft = "\(path).\(getpid())-\(number).new"
      descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, rights)
      guard descriptor >= 0 else { throw failure(path, .cannotCreate) }
    }

    func write(_ bytes: [UInt8]) throws(ExitReport) {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure(path, .cannotWrite) }
        sent += count
      }
      // Only a hint: the sync that follows tells what became of it.
      _ = clinux_start_writing(descriptor)
    }

    func putInPlace() throws(ExitReport) {
      guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
        throw failure(path, .cannotWrite)
      }
    }

    /// Nothing lies under its name any more where it was put in place.
    func remove() {
      close(descriptor)
      unlink(draft)
    }
  }

  private static func failure(_ path: String, _ status: ExitStatus) -> ExitReport {
    ExitReport(status, "\(path) cannot be written: \(SystemError.latest)")
  }

  /// Names are instants, so their order is the order of the runs.
  private func prune(_ path: String) {
    guard let directory = opendir(path) else { return }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      // Without the ending: "…Z-2", the second run of a second, comes behind "…Z", not "…Z.json".
      if name.hasSuffix(".json") { names.append(String(name.dropLast(".json".count))) }
    }
    for name in names.sorted().dropLast(keep) {
      unlink("\(path)/\(name).json")
      unlink("\(path)/\(name).html")
    }
  }
}
