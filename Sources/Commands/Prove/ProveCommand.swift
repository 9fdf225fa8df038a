internal import Base
internal import Media
internal import Store

/// `trawl prove [JOB…]`: reads every row and page again and says which certificates hold; with `--cite` prints the line
/// to put under a chart, for lists that do.
struct ProveCommand: Sendable {
  let context: CommandContext
  /// For tests: called between the two openings of the database.
  var betweenOpenings: @Sendable () -> Void = {}

  func perform() async throws -> ExitStatus {
    let location = try context.locationForReading()
    let (names, streams) = (try context.jobNames(), context.invocation.texts(.stream))
    let choice = ProofChoice(jobs: names, streams: streams)
    // Both connections must have read the same file throughout.
    let folder = try? DataFolder(existing: location.folder)  // no folder: no database
    let place = OpenedFiles(folder.map { [$0.databasePath] } ?? [])
    let store = try await context.storeThatIsThere(location)
    return try await context.use(store) {
      // The proof names what is too damaged to be listed.
      if let stored = try? await store.jobs().map(\.job) {
        try context.refuseUnknown(context.invocation.operands, beside: stored)
      }
      if !streams.isEmpty, let all = try? await store.overview(of: nil) {  // as above
        try context.refuseUnknown(
          streams: streams, values: [],
          of: all.filter { names.isEmpty || names.contains($0.job) })
      }
      // Two threads and connections: the file's structure takes as long as its rows.
      async let structure = structure(at: location)
      var proof = try await store.proveClaims(choice)
      guard let structure = try await structure, place.change() == nil else {
        throw StoreError(
          .cannotRead, store.folder.databasePath,
          "it was moved or replaced while it was read; nothing is proved. Prove it again")
      }
      proof.add(structure)
      if proof.tables.isEmpty && proof.certificates.isEmpty && proof.holds {
        context.console.tell("\(location.folder) holds nothing of that: nothing to prove")
        return .found
      }
      if context.invocation.has(.cite) {
        try await cite(choice, proof, store)
      } else if context.invocation.has(.json) {
        for line in ProveJSON.lines(proof) { context.console.printJSON(line) }
      } else {
        ProveText(context: context).print(proof, at: store.folder.databasePath)
      }
      return proof.holds ? .complete : .found
    }
  }

  private func structure(at location: DataLocation) async throws -> Proof? {
    betweenOpenings()
    guard let store = try await context.storeForReading(location) else { return nil }
    return try await context.use(store) { try await store.proveStructure() }
  }

  private func cite(
    _ choice: ProofChoice, _ proof: Proof, _ store: RecordStore
  ) async throws {
    for citation in try await store.citations(choice) {
      guard proof.supports(citation) else {
        context.console.warn(
          "\(citation.listName) is not cited: its proof does not hold; see: trawl prove \(citation.job)"
        )
        continue
      }
      if citation.withheld > 0 {
        context.console.warn(ProveText.withheld(citation))
        continue
      }
      let running = Locked(RunningDigest())
      let rows = try await store.lines(of: citation) { bytes in
        running.withLock { $0.hasher.add(bytes) }
      }
      guard let digest = running.withLock({ $0.hasher.finish()?.hex }) else {
        throw ExitReport(.bug, "libcrypto gives no SHA-256 here: nothing can be quoted")
      }
      if context.invocation.has(.json) {
        context.console.printJSON(ProveJSON.line(citation, rows: rows, digest: digest))
      } else {
        context.console.print(ProveText.line(citation, rows: rows, digest: digest))
      }
    }
  }
}

/// A SHA-256 fed by the database's thread; a class, as a lock holds nothing that cannot be copied.
private final class RunningDigest {
  var hasher = SHA256Hasher()
}
