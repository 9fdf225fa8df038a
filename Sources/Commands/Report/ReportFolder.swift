internal import CLinux
internal import Glibc
internal import Base
internal import Store

/// `reports/<job>/<run>.json` and the same as a page: each written whole or not at all; the last
/// ones are kept.
struct ReportFolder {
  let folder: DataFolder
  let keep: Int

  /// The path of the page that was written.
  func write(_ facts: RunFacts) throws(ExitReport) -> String {
    let folderPath: String
    do {
      _ = try folder.folder("reports")
      folderPath = try folder.folder("reports/\(facts.job)")
    } catch {
      throw ExitReport(.cannotCreate, "the report cannot be written: \(error)")
    }
    let page = "\(folderPath)/\(facts.run).html"
    try Self.replace([
      ("\(folderPath)/\(facts.run).json", facts.report),
      (page, Array(HTMLReport(facts).text.utf8)),
    ])
    prune(folderPath, behind: facts.run)
    return page
  }

  /// By the path of its page, which goes first: one without facts would never be found.
  static func remove(_ page: String) {
    for end in ["html", "json"] { unlink("\(page.dropLast(4))\(end)") }
  }

  /// Reports of a job go on under its new name. Where there are some of both they stay apart.
  static func takeOver(from old: String, to new: String, in folder: DataFolder) {
    let reports = "\(folder.path)/reports"
    if access("\(reports)/\(new)", F_OK) == 0 { return }
    // There may be none; and a folder that cannot be renamed costs no run.
    _ = rename("\(reports)/\(old)", "\(reports)/\(new)")
  }

  /// How long another process may still be writing the same file.
  private static let waitMax = Duration.seconds(10)

  /// Only what begins as our own files do is replaced: anything else is a person's.
  static func refuseForeign(_ path: String, unless beginning: String) throws(ExitReport) {
    let head = FileBytes.first(beginning.utf8.count, of: path) ?? []
    if head.isEmpty || head.elementsEqual(beginning.utf8) { return }
    throw ExitReport(
      .cannotCreate, "\(path) is there and was not written by Trawl; left as it is",
      "name another file, or move this one away")
  }

  /// A crash leaves the old file or the new one, never a half.
  static func replace(
    _ path: String, with bytes: [UInt8], rights: mode_t = FileRights.file
  ) throws(ExitReport) {
    try replace([(path, bytes)], rights: rights)
  }

  /// Files of one folder. All are on their way to the disk before the first is waited for: one commit of the file
  /// system's journal does for them. Where there is no room for a later one, those before it are kept.
  static func replace(
    _ files: [(path: String, bytes: [UInt8])], rights: mode_t = FileRights.file
  ) throws(ExitReport) {
    var written: [AtomicFile] = []
    var failure: ExitReport?
    for (path, bytes) in files where failure == nil {
      do {
        let file = try AtomicFile(path, mode: rights, waiting: waitMax)
        try file.write(bytes)
        // Only a hint: the sync that follows shows what became of it.
        _ = clinux_start_writing(file.descriptor)
        written.append(file)
      } catch {
        failure = ExitReport(error, on: path)
      }
    }
    for (index, file) in written.enumerated() {
      do { try file.place(syncsFolder: index == written.count - 1) } catch {
        throw ExitReport(error, on: file.path)
      }
    }
    if let failure { throw failure }
  }

  /// Names are instants, so their order is the order of the runs. What is later than this run was written
  /// while the clock was ahead, and goes first.
  private func prune(_ path: String, behind run: String) {
    // A run that was killed here left it: of one job there is one run at a time.
    for name in FolderNames.all(of: path) where name.hasSuffix(AtomicFile.ending) {
      unlink("\(path)/\(name)")
    }
    // Without the ending: "…Z-2", the second run of a second, comes behind "…Z", not "…Z.json".
    let names = FolderNames.all(of: path, ending: ".json")
    for name in (names.filter { $0 > run } + names.filter { $0 <= run }).dropLast(max(1, keep)) {
      Self.remove("\(path)/\(name).html")
    }
  }
}

extension ExitReport {
  init(_ failure: FileFailure, on path: String) {
    self.init(
      failure.action == .open ? .cannotCreate : .cannotWrite,
      "\(path) cannot be written: \(failure.words)")
  }
}
