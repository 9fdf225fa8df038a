internal import Glibc
internal import Base
internal import Crawl
internal import Store

/// `trawl restore FILE`: proves a backup and puts it in place of the database, if any.
struct RestoreCommand: Sendable {
  let context: CommandContext

  private var console: Console { context.console }

  func perform() async throws -> ExitStatus {
    let path = context.invocation.operands[0]
    if access(path, F_OK) != 0, errno == ENOENT {
      throw ExitReport(.usage, "\(path): there is no such file")
    }
    try RestoreDraft.check(path)
    let location = try context.locationForWriting()
    let isThere = access(location.folder, F_OK) == 0
    let folder = try DataFolder(creating: location.folder)
    do { return try await restore(path, into: folder, location) } catch {
      // Keeps a folder that is not empty.
      if !isThere { rmdir(folder.path) }
      throw error
    }
  }

  private func restore(
    _ path: String, into folder: DataFolder, _ location: DataLocation
  ) async throws -> ExitStatus {
    try SystemRuns(context: context).refuseReadOnly(folder)
    if folder.hasDatabase, !context.invocation.has(.replace) {
      throw ExitReport(
        .usage, "there is a database already, \(folder.databasePath); nothing was changed",
        "--replace sets it aside; --data DIR restores into another folder")
    }
    let locks = try locks(in: folder)
    defer { withExtendedLifetime(locks) {} }
    let draft = try RestoreDraft(from: path, into: folder, context.stoppableSettings)
    let proof = try await draft.prove()
    let pictures = try await PictureTransfer.wanted(
      context, from: AtomicFile.folder(of: path), to: folder.path
    ) { byte in try draft.file.images(inFolder: byte) }
    // First: if it stops after this, the quotas count too much, never too little.
    let raised = try await restoreQuotas(draft, location)
    let creation = try CreationLock(folder)
    let aside = try draft.place()
    withExtendedLifetime(creation) {}
    tell(draft, path, proof, aside)
    tell(raised, draft)
    pictures?.tell(on: console)
    let isWhole =
      pictures?.isWhole != false && (draft.ledger == nil || raised != nil)
      && !draft.isForgottenUnknown
    return proof.holds && isWhole ? .complete : .found
  }

  /// No job may write meanwhile.
  private func locks(in folder: DataFolder) throws -> [JobLock] {
    try JobLock.jobs(in: folder).map { job in
      if let lock = try JobLock.take(job, in: folder) { return lock }
      let process = JobLock.runner(of: job, in: folder) ?? 0
      throw ExitReport(
        .paused,
        "another command is at work on \(job)\(process > 0 ? " (process \(process))" : ""); nothing was changed",
        "restore when it has ended: trawl status \(job)")
    }
  }

  /// How many quotas rose; nil if the backup has none that can be read.
  private func restoreQuotas(
    _ draft: RestoreDraft, _ location: DataLocation
  ) async throws -> Int? {
    guard let image = draft.ledger, LedgerReading.isSound(image) else { return nil }
    let ledger = try await QuotaLedger.open(file: location.ledger, timekeeper: context.time)
    return try await closing({ await ledger.close() }) { try await ledger.take(from: image) }
  }

  private func tell(_ draft: RestoreDraft, _ path: String, _ proof: Proof, _ aside: String?) {
    let made =
      draft.madeAt.flatMap { Instant(rfc3339: $0) }.map { " of \(context.clock($0))" } ?? ""
    for note in draft.notes { console.tell("\(path): \(note)") }
    let shown = context.bucket?.place.shown ?? draft.folder.databasePath
    context.tellDone {
      console.print("\(shown): restored from \(path)\(made), \(ProveText.extent(of: proof))")
    }
    if let aside {
      console.print("the former database is \(aside)")
      if context.bucket != nil {
        console.warn("it lies in the cache of this machine alone: move it elsewhere to keep it")
      }
    }
    if draft.isForgottenUnknown {
      console.warn(
        "the former database cannot say what was forgotten since this backup: forget it again, trawl forget TABLE KEY"
      )
    }
    guard !proof.holds else { return }
    console.warn(
      "not all of it holds: \(ProveText.shortfall(of: proof)); see: trawl prove --data \(ShellWord.quoted(draft.folder.path))"
    )
  }

  private func tell(_ raised: Int?, _ draft: RestoreDraft) {
    guard let raised else {
      guard draft.ledger == nil else {
        return console.warn(
          "the quotas in the backup are damaged and were left out: what was spent before is not counted"
        )
      }
      return console.tell("the backup has no quotas: what was spent before is not counted")
    }
    guard raised > 0 else { return }
    console.print(
      "\(Wording.count(raised, "quota")) counted on from the backup, which knew of more uses")
  }
}
