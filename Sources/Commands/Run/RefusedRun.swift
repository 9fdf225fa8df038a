internal import Base
internal import Store

/// A run that ends before it begins, since a key is missing or a setting is wrong. The database remembers it as a run:
/// otherwise `trawl status` and alerts would go by the run before it.
struct RefusedRun: Sendable {
  let context: CommandContext

  /// The job that a run or a backfill is asked for.
  func selection(_ word: String) async throws -> JobSelection {
    do throws(ExitReport) { return try JobSelection(word, context) } catch {
      // Of a file that cannot be read `trawl status` knows by itself.
      if let job = try? JobSelection.load(word, context.environment) {
        await note(error, of: job.name)
      }
      throw error
    }
  }

  func note(_ refusal: ExitReport, of job: String) async {
    let invocation = context.invocation
    guard [.secret, .configuration].contains(refusal.status), let line = refusal.lines.first,
      !invocation.has(.dryRun), !invocation.has(.replay),
      // Where nothing is stored, there is nothing to go by either.
      let location = try? context.locationForWriting(),
      let folder = DataFolder(withDatabase: location.folder), folder.unwritable == nil,
      JobLock.isThere(for: job, in: folder),
      // Another run of the job reports for itself.
      let lock = try? JobLock.take(job, in: folder),
      // The refusal itself is what the person is told.
      let store = try? await RecordStore.open(folder, context.storeSettings)
    else { return }
    defer { withExtendedLifetime(lock) {} }
    // As above.
    try? await store.noteRefusal(
      of: job, command: invocation.command.rawValue, line, exitCode: Int(refusal.status.code))
    await store.close()
  }
}
