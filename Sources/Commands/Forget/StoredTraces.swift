internal import Glibc
internal import Base
internal import Store

/// Traces of forgotten records in files beside the database: samples in reports, entries of feeds.
struct StoredTraces: Sendable {
  let folder: DataFolder

  /// Removes samples from the job's reports. Files that name a record elsewhere are deleted, whatever their job: the
  /// next run writes feeds again.
  /// - Returns: how many files were changed or removed.
  func erase(_ traces: RecordTraces) throws(ExitReport) -> Int {
    // A folder that cannot be listed would count as empty.
    for path in parts.map({ "\(folder.path)/\($0)" })
    where access(path, R_OK) != 0 && errno != ENOENT { throw kept(path, Self.unread) }
    var count = 0
    let shelf = ReportShelf(folder: "\(folder.path)/reports")
    for job in shelf.jobs {
      for found in shelf.all(of: job) {
        let bytes = try shelf.read(found)
        guard var facts = try? RunFacts(report: bytes) else { continue }  // said by who shows it
        guard
          facts.leaveOut(traces, isOfJob: job == traces.job) || names(traces, found)
            || facts.name(traces.texts)
        else { continue }
        count += 1
        let clean = facts.report
        if facts.name(traces.texts) || traces.texts.areNamed(in: clean) {
          // The page goes first: without its JSON it would never be found.
          for path in [found.page, found.path] { try remove(path) }
          continue
        }
        try ReportFolder.replace([
          (found.path, clean), (found.page, Array(HTMLReport(facts).text.utf8)),
        ])
      }
    }
    for part in ["reports/index.html", "alerts/told"] + feeds { count += try remove(part, traces) }
    return count
  }

  /// Removes drafts that a kill left, which nothing else reads.
  func removeDrafts() {
    for part in parts {
      for name in FolderNames.all(of: "\(folder.path)/\(part)")
      where name.hasSuffix(AtomicFile.ending) {
        AtomicFile.removeLeft(draft: "\(folder.path)/\(part)/\(name)")
      }
    }
  }

  private var parts: [String] {
    let inner = ["reports", "feeds"].flatMap { part in
      FolderNames.all(of: "\(folder.path)/\(part)").filter { !$0.hasPrefix(".") }
        .map { "\(part)/\($0)" }
    }
    return ["reports", "feeds", "alerts"] + inner
  }

  private var feeds: [String] {
    FolderNames.all(of: "\(folder.path)/feeds").flatMap { job in
      FolderNames.all(of: "\(folder.path)/feeds/\(job)").map { "feeds/\(job)/\($0)" }
    }
  }

  private func names(_ traces: RecordTraces, _ report: ReportShelf.Found) -> Bool {
    [report.path, report.page].contains { path in
      traces.texts.areNamed(in: FileBytes.first(ReportShelf.bytesMax, of: path) ?? [])
    }
  }

  private func remove(_ part: String, _ traces: RecordTraces) throws(ExitReport) -> Int {
    let path = "\(folder.path)/\(part)"
    guard let bytes = FileBytes.first(ReportShelf.bytesMax, of: path) else {
      if errno == ENOENT || errno == EISDIR { return 0 }
      throw kept(path, Self.unread)
    }
    guard traces.texts.areNamed(in: bytes) || traces.names.areWords(of: bytes) else { return 0 }
    try remove(path)
    return 1
  }

  private func remove(_ path: String) throws(ExitReport) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw kept(path, "names what is to be forgotten, and cannot be removed")
    }
  }

  private static let unread = "may name what is to be forgotten, and cannot be read"

  /// Only what is gone counts as removed: the record stays until then, since nothing finds the file by it afterwards.
  private func kept(_ path: String, _ what: String) -> ExitReport {
    ExitReport(
      .cannotWrite, "\(path) \(what): \(SystemError.latest)",
      "nothing is forgotten until this is gone; its owner can remove it")
  }
}

extension RunFacts {
  /// - Returns: whether it had samples of the records.
  @discardableResult
  mutating func leaveOut(_ traces: RecordTraces, isOfJob: Bool) -> Bool {
    var hasSome = false
    func isOther(_ isTrace: Bool) -> Bool {
      if isTrace { hasSome = true }
      return !isTrace
    }
    if isOfJob {
      for index in changes.indices {
        changes[index].records = changes[index].records.filter { record in
          isOther(traces.keys.contains(record.key))
        }
      }
      // Which of the rejects are of these records is unknown here.
      if leaveOutRaw() { hasSome = true }
    }
    images.newPaths = images.newPaths.filter { isOther(traces.paths.contains($0.path)) }
    return hasSome
  }

  /// Removes the text of rejects; `trawl_rejects` forgets it in time. Returns whether there was any.
  @discardableResult
  mutating func leaveOutRaw() -> Bool {
    let raw = rejects.map { String($0.raw.prefix(Self.rawInWarnings)) }.filter { !$0.isEmpty }
    for index in rejects.indices { rejects[index].raw = "" }
    warnings.removeAll { warning in raw.contains { warning.holds(": \($0)") } }
    return !raw.isEmpty
  }

  /// A warning quotes an example up to this length.
  private static let rawInWarnings = 50

  /// For records forgotten while this run had them in memory.
  mutating func leaveOutSamples() {
    for index in changes.indices { changes[index].records = [] }
    leaveOutRaw()
    // Also of rejects that are gone.
    warnings.removeAll { $0.holds(" not fit: ") }
    images.newPaths = []
    story.append("A record was forgotten during this run, which therefore shows no samples.")
  }

  /// Whether an argument, a list or a sample has one of the texts as a value.
  func name(_ texts: NamedTexts) -> Bool {
    let lists = units.flatMap { [$0.parameterText, $0.listName, $0.certificate.why] }
    let samples = changes.flatMap(\.records).flatMap { record in
      [record.key, record.title, record.link, record.list]
        + record.columns.flatMap { [$0.old, $0.new] }
    }
    return (arguments + lists + coverage.map(\.listName) + warnings + watches.flatMap(\.rows))
      .contains(where: texts.areHeld)
      || samples.contains(where: texts.areHeld)
  }
}
