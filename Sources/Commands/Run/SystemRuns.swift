internal import Glibc
internal import Base
internal import Store

/// A person's own writing to what the system's timer keeps already would begin a second database,
/// and use the same quota twice.
struct SystemRuns: Sendable {
  let context: CommandContext

  private var folder: String { context.systemFolder }

  func refuse(_ selections: [JobSelection]) async throws {
    try await refuse(jobs: selections.map(\.job.name))
  }

  /// Stops with the line to use instead where the system has one of the jobs, unless the person
  /// chose a folder or has a database already.
  func refuse(jobs: [String]) async throws {
    let isChosen =
      context.invocation.text(.data) != nil || context.environment("TRAWL_DATA") != nil
      || context.environment("STATE_DIRECTORY") != nil
    // Each of these may well not be there; then there is nothing to mind, or it is reported later.
    guard !isChosen, let own = try? context.locationForWriting(),  // asked again later
      DataFolder(withDatabase: own.folder) == nil,
      let system = DataFolder(withDatabase: folder),
      // One that this user may not read is none of this command's business.
      let store = try? await RecordStore.openForReading(system, context.storeSettings)
    else { return }
    var known: [String] = []
    for job in jobs where try await store.overview(of: job).count > 0 { known.append(job) }
    await store.close()
    guard let job = known.first else { return }
    throw ExitReport(
      .usage, "the system keeps \(job) already, in \(folder)",
      "to add to it: \(command), and the same options",
      "for a database of your own: add --data DIR")
  }

  /// A folder of which this user may read a part and not write it.
  func refuseReadOnly(_ data: DataFolder) throws(ExitReport) {
    guard let (part, cure) = data.unwritable else { return }
    let what = "\(part) is not yours to write"
    let status = data.hasDatabase ? ExitStatus.cannotWrite : .cannotCreate
    // Resolved, since the service's folder may be reached by a symbolic link.
    guard let system = try? DataFolder(existing: folder), system == data else {  // not there: no
      throw ExitReport(status, what, cure)
    }
    throw ExitReport(status, what, "the line to use instead: \(command)")
  }

  /// The same words as the system's user.
  private var command: String {
    let invocation = context.invocation
    let words = [invocation.command.rawValue] + [invocation.action].compactMap { $0 }
    return "sudo trawl --system "
      + (words + invocation.operands).map(ShellWord.quoted).joined(separator: " ")
  }
}
