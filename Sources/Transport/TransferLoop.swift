internal import CCurl
internal import Base

/// Runs all transfers on one thread. Created by the exchange, then used by that thread only.
final class TransferLoop {
  private let multi: UnsafeMutableRawPointer
  private let mailbox: Mailbox
  private let executor: LoopExecutor
  private let options: TransportOptions
  private let issuers: TrustedIssuers.Loaded
  private let timekeeper: Timekeeper
  private let census: Locked<Int>

  private var line: WaitingLine
  private var letters: [Mailbox.Letter] = []
  /// Hops in progress, by their easy handles.
  private var live: [UnsafeMutableRawPointer: Transfer] = [:]
  /// How often a host closed a kept connection during a request, by the key of its line.
  private var closings: [String: Int] = [:]
  /// From this many on, each request gets its own connection: a retry costs a request of the quota.
  private static let closingsMax = 2
  /// Journeys whose name is looked up here although a proxy will request it, by their IDs.
  private var lookups: [UInt64: Lookup] = [:]

  private struct Lookup {
    let journey: Journey
    let hop: HopRequest
    let proxy: String
    let startedAt: Duration
  }

  init(
    _ multi: UnsafeMutableRawPointer, _ mailbox: Mailbox, _ executor: LoopExecutor,
    _ options: TransportOptions, _ issuers: TrustedIssuers.Loaded, _ timekeeper: Timekeeper,
    _ census: Locked<Int>
  ) {
    self.multi = multi
    self.mailbox = mailbox
    self.executor = executor
    self.options = options
    self.issuers = issuers
    self.timekeeper = timekeeper
    self.census = census
    line = WaitingLine(
      totalMax: options.connectionsMax, perKeyMax: options.connectionsPerHostMax)
    // The line above enforces the limits; these make libcurl close surplus idle connections.
    let total = ccurl_multi_set_long(
      multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, options.connectionsMax)
    let perHost = ccurl_multi_set_long(
      multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHostMax)
    let idle = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.connectionsMax)
    precondition(
      total == CURLM_OK && perHost == CURLM_OK && idle == CURLM_OK,
      "libcurl has had these options since 7.30")
  }

  /// The thread's main function.
  func run() {
    mailbox.begin()
    while true {
      if readAll() { break }
      startWaiting()
      var running: Int32 = 0
      guard curl_multi_perform(multi, &running) == CURLM_OK else { break }
      finishDone()
      expire()
      // Reads what the answers posted on this thread, which wakes no thread.
      if readAll() { break }
      startWaiting()
      // A transfer that ended immediately may have posted more without a wake-up.
      let pause = mailbox.isEmpty ? pollMilliseconds : 0
      guard curl_multi_poll(multi, nil, 0, pause, nil) == CURLM_OK else { break }
    }
    let closers = mailbox.end()
    _ = readAll()
    endAll()
    curl_multi_cleanup(multi)
    for closer in closers { closer.resume() }
  }

  /// Reads until nothing is left, since a job may post more; true: the loop must end.
  private func readAll() -> Bool {
    while true {
      let isClosing = mailbox.take(&letters)
      for letter in letters { read(letter) }
      if isClosing || letters.isEmpty { return isClosing }
    }
  }

  private func read(_ letter: Mailbox.Letter) {
    switch letter {
    case .order(let order):
      let journey = Journey(order, at: timekeeper.elapsed())
      journey.lineKey = key(of: journey)
      line.append(journey)
    case .cancel(let id): cancel(id)
    case .found(let id, let addresses): found(id, addresses)
    case .job(let job): job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
  }

  // MARK: Starting

  /// libcurl counts a forward proxy as one host, whatever hosts are behind it.
  private func key(of journey: Journey) -> String {
    let origin = journey.address.origin
    if origin.scheme == "http", let proxy = options.proxies.proxy(for: origin) {
      return "via \(proxy)"
    }
    return origin.description
  }

  private func startWaiting() {
    while let journey = line.next() { start(journey) }
  }

  private func start(_ journey: Journey) {
    journey.sentAt = timekeeper.now()
    journey.startedAt = timekeeper.elapsed()
    if let end = journey.runEnd, end <= journey.startedAt {
      return settle(journey, .failure(journey.late))
    }
    let hop: HopRequest
    do {
      hop = try HopRequest(journey.request)
    } catch {
      let words = Sentences.unbuildable(error)
      return settle(journey, .failure(journey.failure(.unbuildable, .request, words)))
    }
    let origin = journey.address.origin
    let direct = AddressGuard(rule: journey.request.rule, origin: origin, isProxied: false)
    if let (address, why) = direct.refusal(ofName: origin.host) {
      return settle(journey, .failure(journey.refused(address.text, why)))
    }
    let proxy = options.proxies.proxy(for: origin)
    guard let asked = proxy, !journey.request.rule.trusted.contains(origin) else {
      return launch(journey, hop, proxy: proxy)
    }
    let id = journey.id
    let isStarted = AddressLookup.start(origin) { [mailbox] addresses in
      // After the end it is no longer needed.
      _ = mailbox.post(.found(id, addresses))
    }
    guard isStarted else {
      let words =
        "was not requested: too many names are being looked up. Trying again later may help."
      return settle(journey, .failure(journey.failure(.unresolved, .network, words)))
    }
    lookups[id] = Lookup(
      journey: journey, hop: hop, proxy: asked, startedAt: timekeeper.elapsed())
  }

  /// The proxy will resolve the name itself; its addresses here are the best estimate. A name that only the proxy knows
  /// has none here and passes.
  private func found(_ id: UInt64, _ addresses: [IPAddress]) {
    guard let lookup = lookups.removeValue(forKey: id) else { return }
    let journey = lookup.journey
    journey.timeLeft -= timekeeper.elapsed() - lookup.startedAt
    let direct = AddressGuard(
      rule: journey.request.rule, origin: journey.address.origin, isProxied: false)
    for address in addresses {
      guard let why = direct.refusal(of: address) else { continue }
      return settle(journey, .failure(journey.refused(address.text, why)))
    }
    launch(journey, lookup.hop, proxy: lookup.proxy)
  }

  private func launch(_ journey: Journey, _ hop: HopRequest, proxy: String?) {
    journey.proxyScreens = proxy.map { ProxySettings.secrets(of: $0) } ?? []
    let transfer = Transfer(journey, proxy: proxy, timekeeper: timekeeper, census: census)
    let isAlone = closings[journey.lineKey, default: 0] >= Self.closingsMax
    guard let transfer, transfer.prepare(hop, options, issuers, isAlone: isAlone) == nil,
      curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
    else {
      let words =
        "was not requested: libcurl does not take the request. Check the address, the proxy and "
        + "the certificate file."
      return settle(journey, .failure(journey.failure(.unbuildable, .request, words)))
    }
    live[transfer.easy] = transfer
  }

  // MARK: Ending

  private func finishDone() {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while ccurl_next_done(multi, &easy, &code) == 1 {
      guard let easy, let transfer = live[easy] else { continue }
      finish(transfer, code)
    }
  }

  private func expire() {
    let now = timekeeper.elapsed()
    for transfer in Array(live.values) where transfer.expire(at: now) {
      finish(transfer, CURLE_OPERATION_TIMEDOUT)
    }
    for lookup in Array(lookups.values) where deadline(lookup) <= now {
      lookups[lookup.journey.id] = nil
      let words = "got no address from the name server in time. Trying again later may help."
      settle(lookup.journey, .failure(lookup.journey.failure(.unresolved, .network, words)))
    }
  }

  private func deadline(_ lookup: Lookup) -> Duration {
    let limits = lookup.journey.limits
    let deadline = lookup.startedAt + min(limits.connectTimeout, lookup.journey.timeLeft)
    return min(deadline, lookup.journey.runEnd ?? deadline)
  }

  private var pollMilliseconds: Int32 {
    let due = live.values.map(\.nextDeadline) + lookups.values.map { deadline($0) }
    guard let first = due.min() else { return 1000 }
    return Int32(min(1000, (first - timekeeper.elapsed()).wholeMilliseconds))
  }

  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    detach(transfer)
    let journey = transfer.journey
    if transfer.stop == .resent { closings[journey.lineKey, default: 0] += 1 }
    // HTTP/2 announces that it closes a connection, so it is safe to keep one.
    if transfer.httpVersion == "2" { closings[journey.lineKey] = nil }
    switch transfer.outcome(code) {
    case .failed(let failure):
      settle(journey, .failure(failure))
    case .redirect(let status, let location):
      let target = Result { () throws(ExchangeFailure) in
        try journey.target(of: location, status: status)
      }
      settle(journey, target.flatMap { answer(transfer, leadingTo: $0) })
    case .answered:
      settle(journey, answer(transfer))
    }
  }

  private func answer(
    _ transfer: Transfer, leadingTo target: RedirectTarget? = nil
  ) -> Result<Answer, ExchangeFailure> {
    let journey = transfer.journey
    let status = transfer.head.status ?? 0
    if status == 407, transfer.proxy != nil { return .failure(transfer.proxyFailure(status)) }
    let now = timekeeper.now()
    var answer = Answer(
      status: status, fields: journey.clean(transfer.head.fields),
      body: journey.clean(transfer.body.kept),
      address: journey.shownAddress, sentAt: journey.sentAt ?? now,
      receivedAt: now, duration: timekeeper.elapsed() - journey.startedAt,
      bodyBytes: transfer.body.bytes, httpVersion: transfer.httpVersion,
      wentThroughProxy: transfer.proxy != nil, isEndProven: transfer.isEndProven)
    answer.leadsTo = target
    // The mask is shorter than any secret that is searched for.
    answer.isMasked = answer.body.count < transfer.body.kept.count
    return .success(answer)
  }

  /// Delivers the outcome and frees its place for the next one.
  private func settle(_ journey: Journey, _ outcome: Result<Answer, ExchangeFailure>) {
    line.leave(journey)
    journey.finish(outcome)
  }

  private func detach(_ transfer: Transfer) {
    live[transfer.easy] = nil
    let result = curl_multi_remove_handle(multi, transfer.easy)
    precondition(result == CURLM_OK, "only handles of this multi handle are live")
  }

  private func cancel(_ id: UInt64) {
    if let transfer = live.values.first(where: { $0.journey.id == id }) {
      detach(transfer)
      settle(transfer.journey, .failure(transfer.journey.cancelled))
    } else if let lookup = lookups.removeValue(forKey: id) {
      settle(lookup.journey, .failure(lookup.journey.cancelled))
    } else if let journey = line.remove(where: { $0.id == id }) {
      journey.finish(.failure(journey.cancelled))
    }
  }

  private func endAll() {
    for transfer in Array(live.values) {
      detach(transfer)
      settle(transfer.journey, .failure(transfer.journey.closed))
    }
    for lookup in lookups.values { settle(lookup.journey, .failure(lookup.journey.closed)) }
    lookups = [:]
    for journey in line.removeAll() { journey.finish(.failure(journey.closed)) }
  }
}
