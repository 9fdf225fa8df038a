internal import Base
internal import Store

/// The right to write for a job: taken at once or waited for.
struct JobTurn: Sendable {
  let context: CommandContext

  /// How often to check whether the other command has ended.
  static let interval = Duration.milliseconds(500)

  func take(_ job: String, in folder: DataFolder) async throws -> JobLock {
    var hasTold = false
    while true {
      if let lock = try JobLock.take(job, in: folder) { return lock }
      let runner = JobLock.runner(of: job, in: folder) ?? JobLock.holder(of: job, in: folder)
      let who = runner.map { ", process \($0)" } ?? ""
      guard context.invocation.has(.wait) else {
        let command = context.invocation.command
        let cure = command == .run || command == .backfill ? "add --wait to wait for it, or " : ""
        throw ExitReport(
          .paused, "another command is at work on \(job)\(who)", "\(cure)look: trawl status \(job)")
      }
      if !hasTold {
        hasTold = true
        context.mention("waiting until the other command is done with \(job)\(who)")
      }
      if context.interruption?.isAsked ?? false {
        throw ExitReport(.paused, "stopped by a signal while waiting for its turn with \(job)")
      }
      try await context.time.sleep(Self.interval)
    }
  }
}
