internal import Base

/// What the jobs known to a database need: secrets, endpoints, and a clock that agrees with theirs. One request for
/// each job, all at once.
struct KnownJobsCheck: Sendable {
  let context: CommandContext

  /// The most jobs whose endpoints are requested, all at once.
  static let jobsMax = 50

  func check(_ known: [(job: String, origin: String)], _ list: inout FindingList) async {
    if known.isEmpty {
      list.show([
        .note(
          "endpoints", "none is checked: no job has run here yet",
          cure: "trawl check JOB checks the endpoint of a job")
      ])
    }
    await withTaskGroup(of: (Int, [Finding]).self) { group in
      // cut: a note says how many jobs are not checked
      for (index, one) in known.prefix(Self.jobsMax).enumerated() {
        group.addTask { (index, await findings(one.job, at: one.origin)) }
      }
      var waiting: [Int: [Finding]] = [:]
      var next = 0
      // In order, each as soon as those before it are done.
      for await (index, findings) in group {
        waiting[index] = findings
        while let ready = waiting.removeValue(forKey: next) {
          list.show(ready)
          next += 1
        }
      }
    }
    guard known.count > Self.jobsMax else { return }
    let rest = Wording.count(known.count - Self.jobsMax, "more job")
    list.show([
      .note(
        "endpoints", "those of \(rest) are not checked",
        cure: "trawl check JOB checks the endpoint of a job")
    ])
  }

  private func findings(_ name: String, at origin: String) async -> [Finding] {
    var job: Job
    do throws(ExitReport) {
      job = try JobSelection.load(name, context.environment)
    } catch {
      let isMissing = error.status == .usage
      let why = isMissing ? "is not in a job folder" : "cannot be used"
      return [
        .note(
          "endpoint", "\(name), of \(origin), is not checked: its job file \(why)",
          cure: "trawl check \(isMissing ? "FILE" : name) checks it")
      ]
    }
    if job.base.origin.description != origin {
      guard let base = try? WebAddress(origin) else { return [] }  // not ours: nothing to ask
      // The rows came from another origin; the job file's health check is not for it.
      job.base = base
      job.health = nil
    }
    let (credential, secret) = JobCheck.secret(of: job, context)
    let asked = await EndpointCheck(context: context, job: job, credential: credential).findings()
    return ([secret] + asked).map { finding in
      var finding = finding
      finding.text = "\(name): \(finding.text)"
      return finding
    }
  }
}
