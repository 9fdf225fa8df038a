internal import Model
internal import Store

/// A person's own writing to what the system's timer keeps already would begin a second database,
/// and use the same quota twice.
struct SystemRuns: Sendable {
  let context: CommandContext
  /// The system's data folder.
  var folder = DataLocation.ofTheSystem

  func refuse(_ selections: [JobSelection]) async throws {
    try await refuse(jobs: selections.map(\.job.name))
  }

  /// Stops with the line to use instead where the system has one of the jobs, unless the person
  /// chose a folder or has a database already.
  func refuse(jobs: [String]) async throws {
    let isChosen =
      context.invocation.text(.data) != nil || context.surroundings("TRAWL_DATA") != nil
      || context.surroundings("STATE_DIRECTORY") != nil
    // Each of these may well not be there; then there is nothing to mind, or it is told later.
    guard !isChosen, let own = try? context.locationForWriting(),  // asked again, and told, later
      (try? DataFolder(existing: own.folder))?.hasDatabase != true,  // no folder: no database
      let system = try? DataFolder(existing: folder), system.hasDatabase,  // none: nothing to mind
      // One that this user may not read is none of this command's business.
      let store = try? await RecordStore.openForReading(system, context.storeSettings)
    else { return }
    var known: [String] = []
    for job in jobs where try await store.overview(of: job).count > 0 { known.append(job) }
    await store.close()
    guard let job = known.first else { return }
    let words = [context.invocation.command.rawValue] + context.invocation.operands
    throw Ending(
      .usage, "the system keeps \(job) already, in \(folder)",
      "to add to it: sudo trawl --system \(words.joined(separator: " ")), and the same options",
      "for a database of your own: add --data DIR")
  }
}
