public import Model
internal import Walk

/// The request that must be answered well before any stream is asked.
public struct HealthCheck: Sendable {
  let context: RunContext

  init(_ context: RunContext) { self.context = context }

  func run(into ending: inout RunEnding) async {
    guard let health = context.job.health else { return }
    guard let problem = await problem(health) else {
      context.recorder.story("The health check at \(health.path) answered well.")
      do { try await context.breaker.noteAnswer() } catch { context.recorder.warn("\(error)") }
      return
    }
    ending.kinds.insert(.unreachable)
    do { try await context.breaker.open(problem) } catch { context.recorder.warn("\(error)") }
    ending.stop = Stop(rule: .failure, message: problem)
  }

  private func problem(_ health: Health) async -> String? {
    let base = context.job.base
    let folder = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
    let address: WebAddress
    do {
      address = try WebAddress(base.origin.description + folder + health.path)
    } catch {
      return "the health check's address cannot be built of \(base) and \(health.path)"
    }
    let rule = AddressRule(trusted: [base.origin], allowsLoopback: context.options.allowsLoopback)
    let request = Request(
      address, fields: context.job.fields, credential: context.credential, rule: rule)
    var last = ""
    var cause: Cause?
    // A host that was given up in an earlier run is asked once whether it is back.
    let triesMax = await context.breaker.isHalfOpen() ? 1 : Self.triesMax
    for attempt in 1...triesMax {
      if attempt > 1 {
        let backoff = Backoff().wait(
          afterTries: attempt - 1, elapsed: .zero, random: context.time.random())
        let until = context.time.now() + (backoff ?? .seconds(1))
        guard await context.wait(until: until, reason: "another try: \(last)", label: nil) else {
          return last
        }
        if let cause { context.recorder.retried(cause) }
      }
      let began = context.time.elapsed()
      let sentAt = context.time.now()
      do {
        let answer = try await context.exchange.send(request, into: nil)
        context.recorder.sent(
          RequestMark(
            at: sentAt, duration: context.time.elapsed() - began, status: answer.status,
            cause: Fetcher.cause(of: answer)),
          bytes: answer.bodyBytes)
        guard let trouble = Self.trouble(answer, health) else { return nil }
        last = "\(address) is not healthy: \(trouble)"
        if answer.kind != .failed(.server) { return last }
        cause = .server
      } catch {
        context.recorder.sent(
          RequestMark(
            at: sentAt, duration: context.time.elapsed() - began, status: 0, cause: error.cause),
          bytes: 0)
        last = error.sentence
        cause = error.cause
        if !error.mayPass { return last }
      }
    }
    return last
  }

  /// A server that is really down is not asked for long: the timer comes again.
  private static let triesMax = 3

  /// Nil when the answer says what it should, quotes and blanks at its ends set aside.
  public static func trouble(_ answer: Answer, _ health: Health) -> String? {
    guard answer.kind == .content else { return "it answers \(answer.status)" }
    guard !health.says.isEmpty else { return nil }
    // cut: a longer body is none of the words that say "healthy"
    var text = String(decoding: answer.body.prefix(1000), as: UTF8.self).trimmingBlanks
    if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
      text = String(text.dropFirst().dropLast()).trimmingBlanks
    }
    if health.says.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return nil }
    // cut: a quotation in a sentence
    return "it says \"\(text.prefix(60))\" where \"\(health.says[0])\" is due"
  }
}
