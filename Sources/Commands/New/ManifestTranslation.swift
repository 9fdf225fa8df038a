internal import Base
internal import Drafting

/// `trawl new --from manifest.yaml`: a job file from an Airbyte manifest, without a request.
struct ManifestTranslation: Sendable {
  let context: CommandContext
  let file: String

  private static let shownMax = 20

  func perform() throws -> ExitStatus {
    let output = context.invocation.text(.output)
    let name = DraftNaming.job(output: output, else: DescriptionFile.title(file), context)
    let target = output ?? "./\(name).json5"
    try DraftFile.checkIsFree(target)
    let bytes = try DescriptionFile.read(file)
    let job: ManifestJob
    do {
      job = try ManifestJob(
        bytes, jobName: name, title: DescriptionFile.last(file),
        date: context.time.now().day)
    } catch {
      throw ExitReport(.failed, "nothing can be translated: \(error)")
    }
    guard job.translated > 0 else { throw nothing(job) }
    try DraftFile.write(job.text, target)
    tell(job, target)
    return job.isWhole ? .complete : .less
  }

  private func nothing(_ job: ManifestJob) -> ExitReport {
    ExitReport(
      .failed,
      lines: ["no stream of \(file) can be translated; nothing was written"] + missing(job))
  }

  private func missing(_ job: ManifestJob) -> [String] {
    var lines = job.missing.prefix(Self.shownMax).map {
      "  \($0.stream.shown) (line \($0.line)): \($0.reason)"
    }
    if job.missing.count > Self.shownMax {
      lines.append("  and \(job.missing.count - Self.shownMax) more, in the file's head")
    }
    return lines
  }

  private func tell(_ job: ManifestJob, _ target: String) {
    context.console.print("\(target)")
    let console = context.console
    if job.isWhole {
      console.tell("translated whole: \(Wording.count(job.translated, "stream"))")
    } else {
      console.tell(
        "translated in part: \(Wording.count(job.translated, "stream")). What is missing:")
      for line in missing(job) { console.tell("\(line)") }
    }
    if job.needsBase {
      console.tell("your own server's address belongs into its line \"base\"")
    }
    console.tell(
      "each list is unproven until you have taken \"kind\" away: no manifest says where an API ends a list"
    )
    console.tell("read its comments, then:")
    DraftFile.tellNext(target, hasKey: job.secrets, on: console)
  }
}
