internal import CLinux
internal import Glibc
internal import Base
internal import Store

/// `reports/<job>/<run>.json` and the same as a page, each written entirely or not at all; keeps the last ones.
struct ReportFolder {
  let folder: DataFolder
  let keep: Int

  /// - Returns: the path of the page.
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

  /// Removes a report by the path of its page, which goes first: without its JSON it would never be found.
  static func remove(_ page: String) {
    for end in ["html", "json"] {
      guard unlink("\(page.dropLast(4))\(end)") == 0 || errno == ENOENT else { return }
    }
  }

  /// Moves a job's reports to its new name, unless both names have some.
  static func takeOver(from old: String, to new: String, in folder: DataFolder) {
    let reports = "\(folder.path)/reports"
    if access("\(reports)/\(new)", F_OK) == 0 { return }
    // There may be none; a folder that cannot be renamed does not stop a run.
    _ = rename("\(reports)/\(old)", "\(reports)/\(new)")
  }

  /// How long to wait for another process that writes the same file.
  private static let waitMax = Duration.seconds(10)

  /// Only files that begin like ours are replaced: others belong to the user.
  static func refuseForeign(_ path: String, unless beginning: String) throws(ExitReport) {
    let head = FileBytes.first(beginning.utf8.count, of: path) ?? []
    if head.isEmpty || head.elementsEqual(beginning.utf8) { return }
    throw ExitReport(
      .cannotCreate, "\(path) is there and was not written by Trawl; left as it is",
      "name another file, or move this one away")
  }

  /// A crash leaves the old file or the new one, never half of one.
  static func replace(
    _ path: String, with bytes: [UInt8], rights: mode_t = FileRights.file
  ) throws(ExitReport) {
    try replace([(path, bytes)], rights: rights)
  }

  /// Files of one folder. All are on their way to disk before the first sync: one journal commit serves them all. If
  /// there is no room for a later one, those before it are kept.
  static func replace(
    _ files: [(path: String, bytes: [UInt8])], rights: mode_t = FileRights.file
  ) throws(ExitReport) {
    var written: [AtomicFile] = []
    var failure: ExitReport?
    for (path, bytes) in files where failure == nil {
      do {
        let file = try AtomicFile(path, mode: rights, waiting: waitMax)
        try file.write(bytes)
        // Only a hint: the sync that follows reports errors.
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

  /// Keeps the last reports. Names are instants, so they sort by time; those later than this run were written while the
  /// clock was ahead, and go first.
  private func prune(_ path: String, behind run: String) {
    // Left by a killed run: a job has one run at a time.
    for name in FolderNames.all(of: path) where name.hasSuffix(AtomicFile.ending) {
      unlink("\(path)/\(name)")
    }
    // Compared without extension: "…Z-2", the second run of a second, sorts after "…Z" but not after "…Z.json".
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
