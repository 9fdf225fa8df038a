internal import Base
internal import Store

/// Selects the job of a run. A timer's that is refused here, before it begins, leaves no run: its reason is kept as a
/// trouble of the job, so that status and alert name it.
struct RunStart: Sendable {
  let context: CommandContext

  func selection(_ word: String) async throws -> JobSelection {
    do throws(ExitReport) { return try JobSelection(word, context) } catch {
      await note(error, of: word)
      throw error
    }
  }

  private func note(_ refusal: ExitReport, of word: String) async {
    let trouble: Trouble
    switch refusal.status {
    case .secret: trouble = .key
    case .configuration: trouble = .jobFile
    default: return
    }
    let invocation = context.invocation
    // A person's own run may lack the timer's key, and says so itself.
    guard invocation.has(.ifDue) else { return }
    if invocation.has(.dryRun) || invocation.has(.endpoint) || invocation.has(.replay) { return }
    // The refusal itself is reported. Status sees a file that cannot be read, and a broken database, without this.
    guard let job = try? JobSelection.load(word, context.environment),
      let location = try? context.locationForWriting(),  // as above
      let folder = DataFolder(withDatabase: location.folder), folder.hasDatabase,
      let lock = try? JobLock.take(job.name, in: folder),  // as above
      let store = try? await RecordStore.open(folder, context.storeSettings)  // as above
    else { return }
    try? await store.note(refusedFor: trouble, of: job.name)  // as above
    await store.close()
    withExtendedLifetime(lock) {}
  }
}
