internal import Base
internal import Synchronization

/// Handles every request of the server: numbers it, draws its fault, finds its dialect, logs it.
final class Desk: Sendable {
  private let options: SandboxOptions
  private let origin: String
  private let dialects: [any Dialect]
  private let control: ControlPaths
  let log = RequestLog()
  let armed = ArmedFaults()
  private let counter = Atomic<Int>(0)
  /// Called with each request before it is answered.
  let watcher = Locked<(@Sendable (LoggedRequest) -> Void)?>(nil)
  /// The lists of which an odd number of pages was sent.
  private let moved = Locked<Set<String>>([])

  init(options: SandboxOptions, origin: String, startedAt: Instant) {
    self.options = options
    self.origin = origin
    let setting = DialectSetting(
      seed: options.seed, options: options, origin: origin,
      media: MediaLibrary(
        origin: origin, seed: options.seed, troubleShare: options.mediaTroubleShare),
      startedAt: startedAt)
    dialects = DialectTable.all.map { $0.make(setting) }
    control = ControlPaths(dialects: dialects, log: log, armed: armed)
  }

  func truth(_ api: String, of: String?) -> Truth? {
    dialect(api)?.truth(now: options.time.now(), of: of)
  }

  func drift(_ api: String, insert: Int, delete: Int, list: String?) {
    dialect(api)?.drift(insert: insert, delete: delete, list: list)
  }

  /// Called on several server threads at once. Nil waits for more bytes.
  func answer(_ event: RequestReader.Event) -> [WireStep]? {
    switch event {
    case .incomplete: return nil
    case .request(let head): return answer(head)
    case .refused(let status):
      let now = options.time.now()
      let number = counter.add(1, ordering: .relaxed).newValue
      log.append(
        LoggedRequest(
          number: number, at: now, method: "", target: "", api: "", headerNames: [], status: status,
          outcome: "refused"))
      let reply = Reply.text(status, Reply.reason(status) + "\n")
      let head = reply.head(
        length: reply.body.count, date: date(now), extra: [("Connection", "close")])
      return [.send(head + reply.body), .close]
    }
  }

  private func answer(_ head: RequestHead) -> [WireStep] {
    let now = options.time.now()
    let number = counter.add(1, ordering: .relaxed).newValue
    let target = Target(head.target)
    let api = target.segments.first ?? ""
    let isAPI = api != ControlPaths.name && dialect(api) != nil
    let drawn = isAPI ? fault(for: head.target, number) : nil
    var request = SandboxRequest(
      head: head, number: number, now: now, path: Array(target.segments.dropFirst()),
      query: Query(target.rawQuery), rawQuery: String(target.rawQuery))
    // An answer that will be broken moves no list.
    var isSpoiled = drawn != nil
    if case .dialect(let name)? = drawn?.need {
      isSpoiled = false
      if name == api { request.fault = drawn }
    }
    var reply = route(request, api: api)
    if !isSpoiled { move(after: reply, request, api: api) }
    let fault = applicable(reply.fault ?? drawn, to: reply, request)
    let status = fault.map { statusSent(of: $0, reply) } ?? reply.status
    let entry = LoggedRequest(
      number: number, at: now, method: head.method, target: RequestLog.withoutSecrets(head.target),
      api: api, headerNames: head.fields.map(\.name), status: status,
      outcome: fault?.rawValue ?? "answered")
    log.append(entry)
    if let tell = watcher.withLock({ $0 }) { tell(entry) }
    if !reply.hasBody { reply.body = [] }
    guard let fault else { return good(reply, request) }
    let script = FaultScript(
      kind: fault, reply: reply, date: date(now), now: now, origin: origin,
      salt: SeededRandom.mixed(options.seed ^ 0xC07, UInt64(number)),
      isHead: request.isHead)
    return script.steps + (head.keepsAlive ? [] : [.close])
  }

  /// Moves a list of which a whole page is sent: the first is followed by insertions, the second by deletions, and so on.
  /// A walk by page number thus meets some records twice, and misses others.
  private func move(after reply: Reply, _ request: SandboxRequest, api: String) {
    guard options.drift > 0, reply.status == 200, !request.isHead, let list = reply.list
    else { return }
    let isOdd = moved.withLock { moved in
      let isOdd = moved.insert("\(api) \(list)").inserted
      if !isOdd { moved.remove("\(api) \(list)") }
      return isOdd
    }
    dialect(api)?.drift(
      insert: isOdd ? options.drift : 0, delete: isOdd ? 0 : options.drift,
      list: list)
  }

  private func fault(for target: String, _ number: Int) -> FaultKind? {
    armed.take(target) ?? options.faults.draw(seed: options.seed, number: number)
  }

  private func route(_ request: SandboxRequest, api: String) -> Reply {
    guard request.head.method == "GET" || request.isHead else {
      var reply = Reply.text(405, "GET and HEAD are all that is answered here\n")
      reply["Allow"] = "GET, HEAD"
      return reply
    }
    if api == ControlPaths.name { return control.answer(request) }
    if let dialect = dialect(api) { return dialect.answer(request) }
    return control.index(isRoot: request.head.target == "/")
  }

  /// The fault, unless it cannot break an answer of this kind.
  private func applicable(
    _ fault: FaultKind?, to reply: Reply, _ request: SandboxRequest
  ) -> FaultKind? {
    guard let fault else { return nil }
    let hasBytes = reply.hasBody && reply.body.count > 1 && !request.isHead
    switch fault.need {
    case .nothing: return fault
    case .body: return hasBytes ? fault : nil
    case .json: return hasBytes && reply.isJSON ? fault : nil
    // The dialect confirms by `reply.fault` that it carried out the fault.
    case .dialect: return reply.fault
    }
  }

  /// The status that the client gets, for the log; 0 if it gets none.
  private func statusSent(of fault: FaultKind, _ reply: Reply) -> Int {
    switch fault {
    case .status500: 500
    case .status502: 502
    case .status503: 503
    case .limitSeconds, .limitDate, .limitEpoch, .limitNone, .limitPast, .limitGarbage: 429
    case .redirectGopher: 302
    case .resetEarly, .closeNow, .garbage, .stallHead: 0
    default: reply.status
    }
  }

  private func good(_ reply: Reply, _ request: SandboxRequest) -> [WireStep] {
    let closes = !request.head.keepsAlive
    var fields: [(name: String, value: String)] = closes ? [("Connection", "close")] : []
    var body = reply.body
    if body.count >= GzipPacker.bytesMin, reply.isJSON, request.acceptsGzip {
      fields.append(("Content-Encoding", "gzip"))
      body = GzipPacker.packed(body)
    }
    var out = reply.head(
      length: reply.hasBody ? body.count : nil, date: date(request.now), extra: fields)
    if !request.isHead { out += body }
    return closes ? [.send(out), .close] : [.send(out)]
  }

  private func dialect(_ name: String) -> (any Dialect)? { dialects.first { $0.name == name } }

  private func date(_ now: Instant) -> [UInt8] { Array(CivilTime(now).httpDate.utf8) }
}
