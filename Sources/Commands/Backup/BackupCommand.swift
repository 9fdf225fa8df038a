internal import Ledger
internal import Model
internal import Store

/// `trawl backup FILE`: the database as it is at one moment, with the quotas, proved before it gets its
/// name; with `--media` the pictures beside it.
struct BackupCommand: Sendable {
  let context: CommandContext

  private var console: Console { context.console }

  func perform() async throws -> ExitStatus {
    let path = context.invocation.operands[0]
    let location = try context.locationForReading()
    guard let folder = try? DataFolder(existing: location.folder),  // no folder: no database
      folder.hasDatabase
    else {
      throw ExitReport(
        .usage, "there is no database in \(location.folder): nothing to back up",
        "name the folder with --data DIR")
    }
    let began = context.time.now()
    if context.invocation.has(.readers) { return try writeReaders(folder, path, since: began) }
    for job in JobLock.jobs(in: folder) {
      guard let process = JobLock.runner(of: job, in: folder) else { continue }
      console.tell(
        "a run of \(job) is under way (process \(process)): what it stores from now on is not in this copy"
      )
    }
    let draft = try BackupDraft(of: folder, at: path, context.stoppableSettings)
    let ledger = try await LedgerReading.image(of: location.ledger)
    try draft.add(ledger: ledger, program: Version.number)
    let proof = try await draft.prove()
    guard proof.holds else { return try refuse(draft, proof, folder) }
    let pictures = try await pictures(of: draft, folder, path)
    let bytes = draft.byteCount
    try draft.place()
    console.print(
      "\(path): \(ProveText.extent(of: proof)), all proved\(ledger == nil ? "" : "; with the quotas")"
    )
    pictures?.tell(on: console)
    tell(bytes, since: began)
    return pictures?.isWhole == false ? .found : .complete
  }

  private func tell(_ bytes: Int64, since began: Instant) {
    let time = Wording.span(context.time.now() - began)
    console.print("\(Wording.bytes(Int(bytes))), \(time)")
  }

  private func writeReaders(
    _ folder: DataFolder, _ path: String, since began: Instant
  ) throws -> ExitStatus {
    if context.invocation.has(.media) {
      throw ExitReport(.usage, "--media is for a backup: --readers copies no pictures")
    }
    let copy = try ReadersFile(context: context, folder: folder, path: path).write()
    let rows = copy.tables.filter { $0.kind != ReadersCopy.items }.reduce(0) { $0 + $1.rows }
    console.print(
      "\(path): \(Wording.count(rows, "row")) of \(Wording.count(copy.tables.count - 1, "table")), and items"
    )
    console.print(
      "datasette \(path) -m \(ReadersFile.metadataPath(of: path)) shows it with titles and links")
    tell(copy.byteCount, since: began)
    return .complete
  }

  private func refuse(
    _ draft: BackupDraft, _ proof: Proof, _ folder: DataFolder
  ) throws -> ExitStatus {
    let path = try draft.placeAsUnproven()
    for finding in proof.findings.prefix(Self.findingsShown) {
      console.print(ProveText.text(finding))
    }
    console.fail("the copy does not hold: \(ProveText.shortfall(of: proof))")
    console.tell("it was kept as \(path), and an earlier backup stays as it is")
    console.tell("see whether the database holds: trawl prove --data \(folder.path)")
    return .found
  }

  private static let findingsShown = 10

  private func pictures(
    of draft: BackupDraft, _ folder: DataFolder, _ path: String
  ) async throws -> PictureTransfer? {
    guard context.invocation.has(.media) else { return nil }
    var transfer = PictureTransfer(
      context: context, from: folder.path, to: PictureTransfer.folder(of: path))
    try await transfer.run { byte in try draft.images(inFolder: byte) }
    return transfer
  }
}

extension CommandContext {
  /// Of a store whose work a signal may end: nothing that it does is kept by halves.
  var stoppableSettings: RecordStore.Settings {
    var settings = storeSettings
    settings.isStopped = { [interruption] in interruption?.isAsked ?? false }
    return settings
  }
}
