internal import Base
internal import Crawl
internal import Media
internal import Store

/// `trawl backup FILE`: a snapshot of the database and the quotas, proved before it gets its name; with `--media` also
/// the images.
struct BackupCommand: Sendable {
  let context: CommandContext

  private var console: Console { context.console }

  func perform() async throws -> ExitStatus {
    let path = context.invocation.operands[0]
    let location = try context.locationForReading()
    let folder = try DataFolder(
      withDatabase: location.folder, or: ": nothing to back up", "name the folder with --data DIR")
    let before = Self.files(of: path)
    let isNew = await note(copy: path, of: folder)
    do {
      return context.invocation.has(.readers)
        ? try await writeReaders(folder, path) : try await backUp(folder, path, location)
    } catch {
      // Even a copy that is in place may fail: its folder could not be synced.
      if isNew, Self.files(of: path) == before {
        await change(folder) { try await $0.unnote(copy: path) }
      }
      throw error
    }
  }

  /// What is at the path of a copy, and beside it.
  private static func files(of path: String) -> [String: FileIdentity] {
    RecordStore.places(ofCopy: path).reduce(into: [:]) { $0[$1] = FileIdentity(path: $1) }
  }

  private func backUp(
    _ folder: DataFolder, _ path: String, _ location: DataLocation
  ) async throws -> ExitStatus {
    let began = context.time.now()
    for job in JobLock.jobs(in: folder) {
      guard let process = JobLock.runner(of: job, in: folder) else { continue }
      console.tell(
        "another command is at work on \(job) (process \(process)): what it stores from now on is not in this copy"
      )
    }
    let draft = try BackupDraft(of: folder, at: path, context.stoppableSettings)
    let (ledger, loss) = try await ledger(location)
    try draft.add(ledger: ledger, program: Version.number)
    let proof = try await draft.prove()
    guard proof.holds else { return try await refuse(draft, proof, folder, ledger != nil) }
    let pictures = try await PictureTransfer.wanted(
      context, from: folder.path, to: AtomicFile.folder(of: path)
    ) { byte in try draft.file.images(inFolder: byte) }
    let bytes = draft.file.byteCount
    try draft.place()
    let took = context.time.now() - began
    if context.invocation.has(.json) {
      console.printJSON(
        Self.json(at: path, proof, hasQuotas: ledger != nil, pictures, bytes: bytes, took: took))
    } else {
      console.print(
        "\(path): \(ProveText.extent(of: proof)), all proved\(ledger == nil ? "" : "; with the quotas")"
      )
      pictures?.tell(on: console)
      tell(bytes, took)
    }
    if let loss { console.warn("\(loss); this copy has no quotas") }
    return pictures?.isWhole == false || loss != nil ? .found : .complete
  }

  /// The quotas, or why they cannot be read: the records are worth a copy without them.
  private func ledger(
    _ location: DataLocation
  ) async throws -> (image: [UInt8]?, loss: LedgerError?) {
    do throws(LedgerError) {
      return (try await LedgerReading.image(of: location.ledger), nil)
    } catch {
      guard ExitReport(error)?.status == .damaged else { throw error }
      return (nil, error)
    }
  }

  /// Notes the copy before a byte of it is written: `trawl forget` is to name it, and what a kill leaves of it.
  /// - Returns: whether it was unknown.
  private func note(copy path: String, of folder: DataFolder) async -> Bool {
    var isNew = false
    let failure = await change(folder) { isNew = try await $0.note(copy: path) }
    if let failure {
      console.warn(
        "\(path) cannot be noted in the database, so trawl forget will not name it: \(failure)")
    }
    return isNew
  }

  /// Users without write access make copies too, a bucket is only read, and no backup upgrades a database.
  /// - Returns: why it failed.
  @discardableResult
  private func change(
    _ folder: DataFolder, _ work: (RecordStore) async throws -> Void
  ) async -> String? {
    guard context.images == nil, folder.unwritable == nil,
      // The backup itself says what is wrong.
      let reader = try? await RecordStore.openForReading(folder, context.storeSettings)
    else { return nil }
    await reader.close()
    do {
      let store = try await RecordStore.open(folder, context.storeSettings)
      try await context.use(store) { try await work(store) }
      return nil
    } catch {
      return ExitReport(error)?.lines.first ?? "\(error)"
    }
  }

  private func tell(_ bytes: Int64, _ took: Duration) {
    console.print("\(Wording.bytes(Int(bytes))), \(Wording.span(took))")
  }

  private func writeReaders(_ folder: DataFolder, _ path: String) async throws -> ExitStatus {
    let began = context.time.now()
    if context.invocation.has(.media) {
      throw ExitReport(.usage, "--media is for a backup: --readers copies no pictures")
    }
    let copy = try await ReadersFile(context: context, folder: folder, path: path).write()
    let took = context.time.now() - began
    if context.invocation.has(.json) {
      console.printJSON([
        "kind": "readers", "path": path, "metadata": ReadersFile.metadataPath(of: path),
        "rows": copy.recordRows, "tables": copy.tables.count, "bytes": copy.byteCount,
        "seconds": took.inSeconds,
      ])
      return .complete
    }
    console.print(
      "\(path): \(Wording.count(copy.recordRows, "row")) of \(Wording.count(copy.tables.count - 1, "table")), and items"
    )
    console.print(
      "datasette \(path) -m \(ReadersFile.metadataPath(of: path)) shows it with titles and links")
    tell(copy.byteCount, took)
    return .complete
  }

  private func refuse(
    _ draft: BackupDraft, _ proof: Proof, _ folder: DataFolder, _ hasQuotas: Bool
  ) async throws -> ExitStatus {
    let bytes = draft.file.byteCount
    let path = try draft.placeAsUnproven()
    if context.invocation.has(.json) {
      console.printJSON(
        Self.json(at: path, proof, hasQuotas: hasQuotas, nil, bytes: bytes, took: .zero))
      return .found
    }
    for finding in proof.findings.prefix(Self.findingsShown) {
      console.print(ProveText.text(finding))
    }
    console.fail("the copy does not hold: \(ProveText.shortfall(of: proof))")
    console.tell("it was kept as \(path), and an earlier backup stays as it is")
    console.tell(
      "see whether the database holds: trawl prove --data \(ShellWord.quoted(folder.path))")
    return .found
  }

  private static let findingsShown = 10

  private static func json(
    at path: String, _ proof: Proof, hasQuotas: Bool, _ pictures: PictureTransfer?, bytes: Int64,
    took: Duration
  ) -> JSONObject {
    var object: JSONObject = [
      "kind": "backup", "path": path, "holds": proof.holds, "findings": proof.findingCount,
      "rows": proof.rows, "tables": proof.tables.count, "pages": proof.pages,
      "verdicts": proof.certificates.count, "quotas": hasQuotas, "bytes": bytes,
      "seconds": took.inSeconds,
    ]
    if let copies = pictures?.copies {
      let pictures: JSONObject = [
        "present": copies.present, "linked": copies.linked, "copied": copies.copied,
        "copied_bytes": copies.bytes, "missing": copies.missing.count,
      ]
      object.members.append(("pictures", pictures))
    }
    return object
  }
}

extension CommandContext {
  /// For work that a signal may stop: nothing is kept half-done.
  var stoppableSettings: RecordStore.Settings {
    var settings = storeSettings
    settings.isStopped = { [interruption] in interruption?.isAsked ?? false }
    settings.faults = faults
    return settings
  }
}
