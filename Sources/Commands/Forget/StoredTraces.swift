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
    try refuseUnread()
    // Nothing is changed before all is found that will be.
    let reports = try reports(with: traces)
    let others = try others(with: traces)
    for path in reports.map(\.path) + others
    where access(AtomicFile.folder(of: path), W_OK) != 0 { throw kept(path, Self.unremoved) }
    for found in reports {
      switch try outcome(of: found, without: traces) {
      case .same: continue
      case .rewritten(let facts):
        try ReportFolder.replace([
          (found.path, facts.report), (found.page, Array(HTMLReport(facts).text.utf8)),
        ])
      case .removed:
        // The page goes first: without its JSON it would never be found.
        for path in [found.page, found.path] { try remove(path) }
      }
    }
    for path in others { try remove(path) }
    return reports.count + others.count
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
    ["reports", "feeds", "alerts"]
      + ["reports", "feeds"].flatMap { part in jobs(in: part).map { "\(part)/\($0)" } }
  }

  /// What else lies there is not ours: `lost+found`.
  private func jobs(in part: String) -> [String] {
    FolderNames.all(of: "\(folder.path)/\(part)").filter(JobLock.isName)
  }

  /// A folder that cannot be listed would count as empty.
  private func refuseUnread() throws(ExitReport) {
    for path in parts.map({ "\(folder.path)/\($0)" }) {
      var facts = stat()
      guard stat(path, &facts) == 0 else {
        if errno == ENOENT { continue }
        throw kept(path, Self.unread)
      }
      guard facts.st_mode & S_IFMT == S_IFDIR, access(path, R_OK | X_OK) != 0 else { continue }
      throw kept(path, Self.unread)
    }
  }

  private func reports(with traces: RecordTraces) throws(ExitReport) -> [ReportShelf.Found] {
    let shelf = ReportShelf(folder: "\(folder.path)/reports")
    var all: [ReportShelf.Found] = []
    for found in jobs(in: "reports").flatMap(shelf.all(of:)) {
      if case .same = try outcome(of: found, without: traces) { continue }
      all.append(found)
    }
    return all
  }

  private enum Outcome {
    case same, removed
    case rewritten(RunFacts)
  }

  private func outcome(
    of found: ReportShelf.Found, without traces: RecordTraces
  ) throws(ExitReport) -> Outcome {
    guard let bytes = try read(found.path) else { return .same }
    let page = try read(found.page) ?? []
    // Cut off, or of a newer Trawl: its text may name the record all the same.
    guard var facts = try? RunFacts(report: bytes) else {
      return [bytes, page].contains { names(traces, $0) } ? .removed : .same
    }
    guard
      facts.leaveOut(traces, isOfJob: found.job == traces.job)
        || [bytes, page].contains(where: { traces.texts.areNamed(in: $0) })
        || facts.name(traces.texts)
    else { return .same }
    return facts.name(traces.texts) || traces.texts.areNamed(in: facts.report)
      ? .removed : .rewritten(facts)
  }

  private func others(with traces: RecordTraces) throws(ExitReport) -> [String] {
    let feeds = jobs(in: "feeds").flatMap { job in
      FolderNames.all(of: "\(folder.path)/feeds/\(job)").map { "feeds/\(job)/\($0)" }
    }
    // The id of a feed's entry ends with its row's key, however short: `/%5B7%5D</id>`.
    let ids = Set(traces.lists.map { Array("\(PercentEncoding.encoded($0))<".utf8)[...] })
    func hasEntry(_ feed: [UInt8]) -> Bool {
      feed.split(separator: UInt8(ascii: "/")).contains(where: ids.contains)
    }
    func isWithTraces(_ name: String, isFeed: Bool) throws(ExitReport) -> Bool {
      guard let bytes = try read("\(folder.path)/\(name)") else { return false }
      return names(traces, bytes) || isFeed && hasEntry(bytes)
    }
    var all: [String] = []
    for name in ["reports/index.html", "alerts/told"] + feeds
    where try isWithTraces(name, isFeed: name.hasPrefix("feeds/")) {
      all.append("\(folder.path)/\(name)")
    }
    return all
  }

  private func names(_ traces: RecordTraces, _ bytes: [UInt8]) -> Bool {
    traces.texts.areNamed(in: bytes) || traces.names.areWords(of: bytes)
  }

  /// Nil: nothing is there, or what Trawl does not write: a folder, a link, a socket.
  private func read(_ path: String) throws(ExitReport) -> [UInt8]? {
    var facts = stat()
    let isThere = lstat(path, &facts) == 0
    if isThere, facts.st_mode & S_IFMT != S_IFREG { return nil }
    if isThere, let bytes = FileBytes.first(ReportShelf.bytesMax, of: path) { return bytes }
    guard errno == ENOENT || errno == ENOTDIR else { throw kept(path, Self.unread) }
    return nil
  }

  private func remove(_ path: String) throws(ExitReport) {
    guard unlink(path) == 0 || errno == ENOENT else { throw kept(path, Self.unremoved) }
  }

  private static let unread = "may name what is to be forgotten, and cannot be read"
  private static let unremoved = "names what is to be forgotten, and cannot be removed"

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
          isOther(traces.keys.contains(ExactText(record.key)))
        }
      }
      for index in watches.indices {
        watches[index].rows = watches[index].rows.filter { isOther(traces.areShown(in: $0)) }
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
