internal import Base
internal import Store

/// `--retry-rejects`: maps what is kept raw again by the job file as it is now; asks nothing.
struct RejectRetry: Sendable {
  let context: CommandContext
  let job: Job
  let store: RecordStore

  func perform() async throws -> ExitStatus {
    let run = try await store.beginRun(
      job: job.name, command: "run", arguments: ["--retry-rejects"])
    let result = try await store.retryRejects(job: job.name, run: run)
    let fitted = Wording.count(result.fitted, "reject fits", "rejects fit")
    let left = Wording.count(result.left, "is", "are")
    let gone = result.gone == 0 ? "" : ", \(result.gone) of records that have left their lists"
    let sentence = "\(fitted) now, \(left) left\(gone); nothing was requested"
    try await store.endRun(run, outcome: sentence, exitCode: Int(ExitStatus.complete.code))
    context.console.tell("\(job.name): \(sentence)")
    if result.left > 0 {
      context.console.tell(
        "what is left says why: SELECT path, reason, raw FROM trawl_rejects WHERE job = '\(job.name)'"
      )
    }
    return .complete
  }
}
