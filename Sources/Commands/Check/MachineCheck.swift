internal import Glibc
internal import Base
internal import Crawl
internal import Jobs
internal import Store

/// `trawl check` without a job: what a run needs of the machine.
struct MachineCheck: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    let location = try context.placeForReading()
    var list = FindingList("this machine", context)
    list.show([.fine("trawl", Version.number), sqlite])
    // A bucket's cache may lose anything.
    if context.images == nil { list.show(FolderCheck(location: location).findings) }
    if let refusal = DataLocation.refusal(of: location.folder) {
      list.show([
        .problem(
          "database", refusal.lines[0], cure: refusal.lines.dropFirst().joined(separator: "; "),
          refusal.status)
      ])
      return list.status
    }
    let ledger = await ledger(location)
    if let folder = DataFolder(withDatabase: location.folder) {
      await check(folder, ledger, &list)
      list.show(locks(folder))
    }
    list.show([ledger])
    list.show(jobFiles)
    list.show(KeyFolderCheck(environment: context.environment).findings)
    list.show(ServiceCheck(environment: context.environment).findings)
    return list.status
  }

  private var sqlite: Finding {
    do {
      try SQLiteVersion.check()
      return .fine("SQLite", "\(SQLiteVersion.text), the library that trawl runs with")
    } catch {
      return .problem("SQLite", error.message, .damaged)
    }
  }

  private func check(_ folder: DataFolder, _ ledger: Finding, _ list: inout FindingList) async {
    do {
      let store = try await RecordStore.openForReading(folder, context.storeSettings)
      let structure = try await store.proveStructure()
      let known = try await store.jobs()
      await store.close()
      list.show([database(folder, structure)] + log(folder, store.logBytes))
      if context.invocation.has(.offline) {
        list.show([.note("endpoints", "none is asked: --offline")])
      } else if ledger.level == .problem {
        list.show([.note("endpoints", "none is asked: no request could be counted")])
      } else {
        await KnownJobsCheck(context: context).check(known, &list)
      }
    } catch {
      list.show([.problem("database", "\(error)", ExitReport(error)?.status ?? .damaged)])
    }
  }

  private func database(_ folder: DataFolder, _ structure: Proof) -> Finding {
    guard let first = structure.findings.first else {
      let size = Wording.bytes(Int(FilePlace(path: folder.databasePath)?.size ?? 0))
      return .fine("database", "\(folder.databasePath), \(size), of sound structure")
    }
    let key = first.key.map { " \($0)" } ?? ""
    let more = structure.findingCount - 1
    return .problem(
      "database",
      "\(folder.databasePath) is damaged: \(first.table)\(key): \(first.what)"
        + (more > 0 ? " (and \(Wording.count(more, "more finding")))" : ""),
      cure: "trawl prove names them all; a backup mends it", .damaged)
  }

  private func log(_ folder: DataFolder, _ bytes: Int) -> [Finding] {
    let readers = OpenFiles.holders(of: folder.databasePath)
    let who = readers.isEmpty ? "" : "; the database is open in \(readers.joined(separator: ", "))"
    // A longer one is held back by a reader.
    guard bytes > LogWatch.shownFrom else {
      return [.fine("log", "the write-ahead log has \(Wording.bytes(bytes))\(who)")]
    }
    return [
      .problem(
        "log", "the write-ahead log has grown to \(Wording.bytes(bytes))\(who)",
        cure: readers.isEmpty
          ? "the next run shrinks it, unless another user's process holds an old view open"
          : "end the reader that holds an old view open; the next run shrinks the log")
    ]
  }

  /// The kernel releases locks of dead processes, so none is ever stale.
  private func locks(_ folder: DataFolder) -> [Finding] {
    JobLock.jobs(in: folder).compactMap { job in
      JobLock.runner(of: job, in: folder).map { .note("running", "\(job), by process \($0)") }
    }
  }

  private func ledger(_ location: DataLocation) async -> Finding {
    do throws(LedgerError) {
      return .fine(
        "ledger",
        try await LedgerReading.image(of: location.ledger) != nil
          ? location.ledger : "\(location.ledger) is not there yet; the first run makes it")
    } catch {
      return .problem("ledger", "\(error)", ExitReport(error)?.status ?? .damaged)
    }
  }

  private var jobFiles: [Finding] {
    let library = context.environment.library
    var findings: [Finding] = []
    for folder in [library.userFolder, library.systemFolder].compactMap({ $0 }) {
      if access(folder, R_OK | X_OK) != 0, errno != ENOENT {
        findings.append(
          .problem("job files", "\(folder) cannot be read: \(SystemError.latest)", .configuration))
      }
      let names = FolderNames.all(of: folder).filter { $0.hasSuffix(".json5") }.sorted()
      for name in names where !name.hasPrefix(".") {
        let path = "\(folder)/\(name)"
        do throws(JobLoadError) {
          let job = try library.job(path)
          findings.append(
            .fine("job file", "\(path): \(Wording.count(job.streams.count, "stream"))"))
        } catch {
          let ending = JobSelection.ending(error)
          findings += JobCheck.problems(ending).map { .problem("job file", $0, .configuration) }
        }
      }
    }
    let count = library.names.count
    findings.append(.fine("jobs", "\(count) known: \(library.names.joined(separator: ", "))"))
    return findings
  }
}

/// Which processes have a file open, as far as this user can see.
enum OpenFiles {
  /// `sqlite3 (4711)`, sorted.
  static func holders(of path: String) -> [String] {
    guard let wanted = FileIdentity(path: path) else { return [] }
    var found: [String] = []
    for name in FolderNames.all(of: "/proc") {
      guard let process = Int(name), process != Int(getpid()) else { continue }
      let folder = "/proc/\(process)/fd"
      let holds = FolderNames.all(of: folder).contains { descriptor in
        FileIdentity(path: "\(folder)/\(descriptor)") == wanted
      }
      if holds { found.append("\(command(process)) (\(process))") }
    }
    return found.sorted()
  }

  private static func command(_ process: Int) -> String {
    guard let name = FileBytes.first(64, of: "/proc/\(process)/comm") else { return "a process" }
    return ForeignText.cleaned(String(decoding: name.prefix { $0 != 10 }, as: UTF8.self))
  }
}
