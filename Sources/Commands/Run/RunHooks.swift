internal import Base
internal import Store

/// What follows a run: the ping of a monitor, and the program of the user's settings. Failures are reported and do not
/// change the run. A failing program is also a trouble of the job; monitors notice silence.
struct RunHooks: Sendable {
  let job: Job
  let facts: RunFacts
  let status: ExitStatus
  let folder: DataFolder
  let store: RecordStore
  /// The page; nil if it could not be written.
  let report: String?
  let exchange: any Exchange

  /// - Returns: problems, as sentences.
  func perform() async -> [String] {
    var problems = job.hooks.after.isEmpty ? [] : await run(job.hooks.after, called: "after")
    do { try await store.note([.hook: !problems.isEmpty], of: job.name) } catch {
      problems.append("\(error)")
    }
    return await problems + tellAlive()
  }

  private func tellAlive() async -> [String] {
    guard status == .complete || status == .paused else { return [] }
    switch job.hooks.ping {
    case nil: return []
    case .command(let words): return await run(words, called: "ping")
    case .address(let address): return await ping(address)
    }
  }

  private func run(_ words: [String], called name: String) async -> [String] {
    let ended = await BoundedProgram(words: words, variables: variables).run()
    guard let problem = ended.problem else { return [] }
    let said = ended.output.split(separator: "\n").first.map { ": \($0)" } ?? ""
    return ["\(name): \(problem)\(said)"]
  }

  private var variables: [String: String] {
    let verdicts = Verdict.allCases.compactMap { verdict -> String? in
      let count = facts.lists(verdict)
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }
    return [
      "TRAWL_JOB": job.name, "TRAWL_RUN": facts.run, "TRAWL_DATA": folder.path,
      "TRAWL_EXIT_CODE": "\(status.code)", "TRAWL_OUTCOME": facts.outcome.sentence,
      "TRAWL_VERDICTS": verdicts.joined(separator: ", "),
      "TRAWL_NEEDS_PERSON": facts.needsPerson ? "1" : "0",
      "TRAWL_REPORT": report ?? "",
      "TRAWL_REPORT_JSON": report.map { "\($0.dropLast(".html".count)).json" } ?? "",
    ]
  }

  /// Tried twice: monitors notice silence, not retries. The address may be secret, so no message repeats it.
  private func ping(_ address: WebAddress) async -> [String] {
    var limits = TransferLimits()
    limits.totalTimeout = JobHooks.timeMax / 2
    limits.bodyBytesMax = 64_000
    let request = Base.Request(
      address, rule: AddressRule(trusted: [address.origin]), limits: limits)
    var problem = ""
    for _ in 1...2 {
      do throws(ExchangeFailure) {
        let answer = try await exchange.send(request, into: nil)
        if (200..<400).contains(answer.status) { return [] }
        problem = "it answers \(answer.status)"
      } catch {
        problem = error.kind.rawValue
      }
    }
    return ["ping: \(address.origin) could not be notified of this run: \(problem)"]
  }
}
