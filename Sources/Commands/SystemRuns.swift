internal import Model
internal import Store

/// A person's own run of a job that the system's timer keeps already would fill a second database
/// from the same quota.
struct SystemRuns: Sendable {
  let context: CommandContext
  /// The system's data folder.
  var folder = DataLocation.ofTheSystem

  /// Stops with the line to use instead, unless the person chose a folder.
  func refuse(_ selections: [JobSelection]) async throws {
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
    for selection in selections where try await store.overview(of: selection.job.name).count > 0 {
      known.append(selection.job.name)
    }
    await store.close()
    guard let job = known.first else { return }
    let command = context.invocation.command.rawValue
    throw Ending(
      .usage, "the system keeps \(job) already, in \(folder)",
      "to add to it: sudo -u trawl trawl \(command) \(job) --data \(folder)",
      "for a database of your own: add --data DIR")
  }
}
