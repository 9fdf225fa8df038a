internal import Glibc
internal import Base
internal import Store

/// Keeps users from beginning a second database for jobs that the system's timer runs, which would use the quota twice.
struct SystemRuns: Sendable {
  let context: CommandContext

  private var folder: String { context.systemFolder }

  /// Stops with the command to use instead if the system has one of the jobs, unless the user chose a folder or already
  /// has a database.
  func refuse(jobs: [String]) async throws {
    let isChosen =
      context.invocation.text(.data) != nil || context.environment("TRAWL_DATA") != nil
      || context.environment("STATE_DIRECTORY") != nil
    // Any of these may be missing; then there is no conflict, or it is reported later.
    guard !isChosen, let own = try? context.locationForWriting(),  // asked again later
      DataFolder(withDatabase: own.folder) == nil,
      let system = DataFolder(withDatabase: folder),
      // A database that this user may not read does not concern this command.
      let store = try? await RecordStore.openForReading(system, context.storeSettings)
    else { return }
    let known = try await context.use(store) { try await store.jobs().map(\.job) }
    guard let job = jobs.first(where: known.contains) else { return }
    throw ExitReport(
      .usage, "the system keeps \(job) already, in \(folder)",
      "to add to it: \(command), and the same options",
      "for a database of your own: add --data DIR")
  }

  /// Refuses a folder of which this user cannot write a part.
  func refuseReadOnly(_ data: DataFolder) throws(ExitReport) {
    guard let (part, cure) = data.unwritable else { return }
    let what = "\(part) is not yours to write"
    let status = data.hasDatabase ? ExitStatus.cannotWrite : .cannotCreate
    // Resolved: the service's folder may be a symbolic link.
    guard let system = try? DataFolder(existing: folder), system == data else {  // not there: no
      throw ExitReport(status, what, cure)
    }
    throw ExitReport(status, what, "the line to use instead: \(command)")
  }

  /// The same command as the system's user.
  private var command: String {
    let invocation = context.invocation
    let words = [invocation.command.rawValue] + [invocation.action].compactMap { $0 }
    return "sudo trawl --system "
      + (words + invocation.operands).map(ShellWord.quoted).joined(separator: " ")
  }
}
