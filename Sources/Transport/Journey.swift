internal import Base

/// One request until its single outcome. Lives on the loop's thread.
final class Journey {
  let id: UInt64
  let request: Request
  /// The request's limits, bounded so that they can be added up.
  let limits: TransferLimits
  let sink: (any BodySink)?
  /// Cleans all that may be shown.
  let screen: SecretScreen
  /// The secrets in its proxy's address.
  var proxyScreens: [SecretScreen] = []
  var address: WebAddress { request.address }
  /// What is left of the total timeout; waiting for a turn does not count.
  var timeLeft: Duration
  var sentAt: Instant?
  var startedAt = Duration.zero
  /// Its bytes were given to a connection. Before that nothing has left this machine.
  var wasSent = false
  /// When the run's own time is over; nil: never.
  let runEnd: Duration?
  /// The key under which its turn is counted, set before it waits.
  var lineKey = ""
  private var continuation: CheckedContinuation<Result<Answer, ExchangeFailure>, Never>?

  init(_ order: Order, at now: Duration) {
    id = order.id
    request = order.request
    sink = order.sink
    screen = SecretScreen(order.request.credential, seen: order.request.seen)
    var limits = order.request.limits
    limits.connectTimeout = limits.connectTimeout.bounded
    limits.stallTimeout = limits.stallTimeout.bounded
    limits.totalTimeout = limits.totalTimeout.bounded
    self.limits = limits
    timeLeft = limits.totalTimeout
    runEnd = limits.runTimeLeft.map { now + $0.bounded }
    continuation = order.continuation
  }

  /// A body. One that may bring a token is read unmasked, and stored nowhere.
  func clean(_ bytes: [UInt8]) -> [UInt8] {
    proxyScreens.reduce(request.token == nil ? screen.clean(bytes) : bytes) { $1.clean($0) }
  }

  func clean(_ fields: HeaderFields) -> HeaderFields {
    proxyScreens.reduce(screen.clean(fields)) { $1.clean($0) }
  }

  /// Whatever went into its sentence.
  private func clean(_ failure: ExchangeFailure) -> ExchangeFailure {
    var failure = failure
    failure.sentence = proxyScreens.reduce(screen.clean(failure.sentence)) { $1.clean($0) }
    return failure
  }

  /// The address without secrets.
  var shownAddress: WebAddress { screen.clean(address) }

  /// The only place that delivers an outcome; a second one would be a bug in the loop.
  func finish(_ outcome: Result<Answer, ExchangeFailure>) {
    precondition(continuation != nil, "each request ends in exactly one outcome")
    continuation?.resume(returning: outcome.mapError { clean($0) })
    continuation = nil
  }

  /// - Parameter words: the sentence behind the place.
  func failure(
    _ kind: ExchangeFailure.Kind, _ cause: Cause, _ words: String, status: Int? = nil
  ) -> ExchangeFailure {
    let shown = shownAddress
    return ExchangeFailure(
      kind, cause: cause, address: shown, sentence: "\(Sentences.place(shown)) \(words)",
      status: status, wasSent: wasSent)
  }

  func refused(_ address: String, _ why: String) -> ExchangeFailure {
    let words = Sentences.refusal(of: shownAddress, address: address, why: why)
    return failure(.refusedAddress, .request, words)
  }

  /// The run's own time ended before its turn came.
  var late: ExchangeFailure {
    failure(.timedOut, .network, "was not requested: the time of the run was over.")
  }

  var cancelled: ExchangeFailure {
    failure(.cancelled, .network, "was not waited for: the request was cancelled.")
  }

  var closed: ExchangeFailure {
    failure(.closed, .network, "was not waited for: the program is stopping.")
  }

  /// The target of a redirect; throws if it may not be followed.
  func target(of location: String, status: Int) throws(ExchangeFailure) -> RedirectTarget {
    let from = shownAddress
    let place = Sentences.place(from)
    func refused(_ why: String) -> ExchangeFailure {
      ExchangeFailure(
        .refusedRedirect, cause: .request, address: from, sentence: why, status: status)
    }
    let next: WebAddress
    do {
      next = try address.resolving(location)
    } catch {
      throw refused(
        "\(place) leads to something that is not a plain http or https address; "
          + "it is not followed. Check the address.")
    }
    let origin = screen.clean(next.origin)
    if address.origin.scheme == "https", next.origin.scheme == "http" {
      throw refused(
        "\(place) leads from https to plain http at \(origin); it is not followed. "
          + "Use an address that stays on https.")
    }
    let homes = request.credential?.origins ?? [address.origin]
    let bare = next.removing(request.credential?.parts.map(\.place) ?? [])
    if !homes.contains(next.origin), origin != next.origin || screen.isHeld(by: bare.target) {
      throw refused(
        "\(place) leads to \(origin) with the key in the address; it is not followed, "
          + "since the key belongs elsewhere. Replace the key if you trust this server no more.")
    }
    return RedirectTarget(next, shown: screen.clean(next))
  }
}

extension Duration {
  /// Between zero and a month: longer waits are as good as endless, and would overflow.
  var bounded: Duration { max(.zero, min(self, .seconds(31 * 86_400))) }
}

/// A request in the mailbox, and who waits for it. A class, so that letters stay small.
final class Order: Sendable {
  let id: UInt64
  let request: Request
  let sink: (any BodySink)?
  let continuation: CheckedContinuation<Result<Answer, ExchangeFailure>, Never>

  init(
    id: UInt64, request: Request, sink: (any BodySink)?,
    continuation: CheckedContinuation<Result<Answer, ExchangeFailure>, Never>
  ) {
    self.id = id
    self.request = request
    self.sink = sink
    self.continuation = continuation
  }
}
