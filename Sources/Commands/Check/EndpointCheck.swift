internal import Base
internal import Crawl

/// One request: does the endpoint answer, is it healthy, does its clock agree with ours?
struct EndpointCheck: Sendable {
  let context: CommandContext
  let job: Job
  let credential: Credential?

  /// Short, as a user is waiting.
  static let timeout = Duration.seconds(15)
  /// `Date` has whole seconds, and the answer took some time.
  static let clockSlack = Duration.seconds(5)

  func findings() async -> [Finding] {
    do { return try await context.asking { try await findings($0) } } catch {
      let ending = ExitReport(error) ?? ExitReport(.bug, "\(error)")
      return [.problem("endpoint", "it was not asked: \(ending)", ending.status)]
    }
  }

  private func findings(_ requester: Requester) async throws -> [Finding] {
    let base = job.base
    let address = job.health.map(job.address) ?? WebAddress(origin: base.origin, path: base.path)
    let rule = AddressRule(trusted: [base.origin], allowsLoopback: base.origin.isLoopback)
    // Only a health check may need the key: any answer shows that the endpoint exists.
    let credential = job.health == nil ? nil : credential
    var request = Base.Request(address, fields: job.fields, credential: credential, rule: rule)
    request.limits.totalTimeout = Self.timeout
    request.limits.connectTimeout = Self.timeout
    let quotas = try JobQuotas(
      job: job, account: JobSelection.account(of: job, using: credential),
      hasKey: credential != nil)
    switch try await requester.probe(request, quotas) {
    case .answer(let answer): return [judged(answer, address), Self.clock(answer)]
    case .held(let why, let until):
      return [
        .note(
          "endpoint", "there is no answer: \(why)",
          cure: "try again after \(context.clock(until))")
      ]
    case .failed(let sentence):
      return [
        .problem(
          "endpoint", sentence,
          cure: "check the network, the address and any proxy; nothing else was tried",
          .unreachable)
      ]
    }
  }

  private func judged(_ answer: Answer, _ address: WebAddress) -> Finding {
    let time = "\(answer.duration.milliseconds) ms"
    if let health = job.health {
      if let trouble = HealthCheck.trouble(answer, health) {
        return .problem(
          "health", "\(address) is not healthy: \(trouble)",
          cure: "a run would ask no stream now", .unreachable)
      }
      return .fine("health", "\(address) answers well, in \(time)")
    }
    if case .failed(.server) = answer.kind {
      return .problem(
        "endpoint", "\(address) answers HTTP \(answer.status)", cure: "try again later",
        .unreachable)
    }
    return .fine("endpoint", "\(job.base.origin) answers (HTTP \(answer.status), in \(time))")
  }

  /// Compared with the middle of the request.
  static func clock(_ answer: Answer) -> Finding {
    guard let date = answer.fields["Date"].flatMap({ Instant(httpDate: $0) }) else {
      return .note("clock", "the endpoint does not send its time")
    }
    let offset = date - (answer.sentAt + answer.duration / 2)
    let size = offset < .zero ? .zero - offset : offset
    guard size > clockSlack else {
      return .fine("clock", "agrees with the endpoint's, to the second")
    }
    let way = offset > .zero ? "behind" : "ahead of"
    return .problem(
      "clock", "this machine's clock is \(Wording.span(size)) \(way) the endpoint's",
      cure: "turn on time synchronisation: timedatectl set-ntp true")
  }
}
