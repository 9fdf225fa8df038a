internal import Base
internal import TestSupport

/// A server of one list: each answer is a function of the list, the seed and the clock. It records all requests, and
/// how long it told its client to wait.
final class SimulatedServer: Sendable {
  struct Asked: Sendable {
    var at: Instant
    var target: String
    /// The server had told the client to come later.
    var isEarly: Bool
    /// False: the host was unreachable, so nothing left the client's machine.
    var hasArrived = true
    /// The number among all requests.
    var number = 0
    /// The position of its page, if pages are requested by position.
    var place: Int?
    /// How often the list had moved when the request arrived.
    var moves = 0
  }

  /// A page that was sent whole.
  struct Given: Sendable {
    var place: Int?
    var keys: [Int]
    /// The size of its body, which no other page of a run has. 0: it had not changed.
    var bytes = 0
    var isQuestion = false
    /// The run has reported its commit.
    var isWritten = false

    var text: String { "\(place ?? 0) \(keys)\(isWritten ? "" : ", not written")" }
  }

  struct State: Sendable {
    var list: SimulatedList
    var random: SeededRandom
    var asked: [Asked] = []
    /// The pages of this run.
    var pages: [Given] = []
    /// The page that the run takes next, and the first that cannot be in flight yet.
    var next: Int?
    var nextBehindFlight = 0
    /// The list before each of its moves.
    var past: [SimulatedList] = []
    /// Requests that had their turn.
    var turns = 0
    /// Requests ahead that a run dropped because of an earlier page, by target: cancelled before their answer, or
    /// repeated before it was stored.
    var dropped: [String: Int] = [:]
    /// Pages of all runs while the list moves.
    var answered = 0
    var runBegan = 0
    /// The list's version when page 1 of the current walk was first answered.
    var walkBegan: Int?
    var notBefore: Instant?
    /// A 429 told the client to wait, which a quota remembers across runs.
    var isRemembered = false
    var isCalm = false
    var isDead = false
    /// Whether a page ends where it does only depends on where it begins, for walks that are compared.
    var isSteady = false
    var emptyInARow = 0
    var nonce = 0
    /// Answers that put the client off; and those that said for how long.
    var postponed = 0
    var told = 0

    /// A look at a page stores no rows.
    mutating func noteWritten(bytes: Int, hasRows: Bool) {
      let index = pages.firstIndex { !$0.isWritten && !$0.isQuestion && $0.bytes == bytes }
      guard let index else { preconditionFailure("a page of \(bytes) bytes that was not given") }
      pages[index].isWritten = true
      if !hasRows { pages[index].keys = [] }
    }

    mutating func noteKept() {
      let index = pages.firstIndex { !$0.isWritten && $0.isQuestion }
      if let index { pages[index].isWritten = true }
    }
  }

  let scenario: Scenario
  let time: VirtualTime
  let state: Locked<State>

  init(_ scenario: Scenario, _ time: VirtualTime) {
    self.scenario = scenario
    self.time = time
    var random = SeededRandom(seed: scenario.seed)
    let list = SimulatedList(scenario, &random)
    state = Locked(State(list: list, random: random))
  }

  func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }
  var now: State { state.withLock { $0 } }

  // MARK: answering

  /// A request arrives; it is answered later.
  func arrive(_ request: Request) -> Asked {
    let now = time.now
    return state.withLock { state in
      let isEarly = state.notBefore.map { now < $0 } ?? false
      var asked = Asked(at: now, target: request.address.target, isEarly: isEarly)
      asked.number = state.asked.count
      asked.place = place(of: request)
      asked.moves = state.past.count
      // The earlier answer to it was dropped, so it is no page of the walk.
      if let place = asked.place,
        state.pages.contains(where: { !$0.isWritten && $0.place == place })
      {
        state.pages.removeAll { !$0.isWritten && $0.place == place }
        state.dropped[asked.target, default: 0] += 1
      }
      // The same if it was not modified and is now requested in full.
      if !request.fields.contains(where: { $0.name == "If-None-Match" }) {
        state.pages.removeAll { !$0.isWritten && !$0.isQuestion && $0.bytes == 0 }
      }
      // After a kill a request may or may not be sent.
      if !state.isDead { state.asked.append(asked) }
      return asked
    }
  }

  private func place(of request: Request) -> Int? {
    guard scenario.isPositional, Self.record(request) == nil else { return nil }
    let query = Self.parameters(request.address)
    // A look at pages of another size has no position in the walk.
    if let size = query["size"], size != "\(scenario.size)" { return nil }
    return query["page"].flatMap { Int($0) } ?? query["offset"].flatMap { Int($0) } ?? 1
  }

  func giveUp(_ request: Request) -> Result<Answer, ExchangeFailure> {
    state.withLock { $0.dropped[request.address.target, default: 0] += 1 }
    return .failure(.simulated(.cancelled, request))
  }

  func answer(_ request: Request, _ asked: Asked) -> Result<Answer, ExchangeFailure> {
    reply(request, asked).map { answer in
      var answer = answer
      answer.sentAt = asked.at
      return answer
    }
  }

  private func reply(_ request: Request, _ asked: Asked) -> Result<Answer, ExchangeFailure> {
    state.withLock { state in
      // No random number is drawn for it.
      if state.isDead { return .failure(.simulated(.closed, request)) }
      let latency = Duration.milliseconds(10 + Int64(state.random.next() % 300))
      state.turns += 1
      state.next = scenario.paging == .number ? asked.place : nil
      time.advance(by: latency)
      if let trouble = fault(request, asked, &state) { return trouble }
      if let record = Self.record(request) { return question(record, request, &state) }
      return page(request, asked, &state)
    }
  }

  func reply(
    _ request: Request, _ status: Int, _ body: String, _ fields: [HeaderField] = []
  ) -> Answer {
    let server = time.now + .seconds(scenario.skew)
    return Answer(
      status: status,
      fields: HeaderFields(fields + [HeaderField("Date", CivilTime(server).httpDate)]),
      body: Array(body.utf8), address: request.address, sentAt: time.now, receivedAt: time.now)
  }

  // MARK: one record

  /// `k12` of `/v1/things/k12`.
  private static func record(_ request: Request) -> String? {
    let parts = request.address.path.split(separator: "/")
    return parts.count > 2 ? String(parts[2]) : nil
  }

  private func question(
    _ record: String, _ request: Request, _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    // It stores no rows, and the run stores its answer before it asks on.
    state.pages.append(Given(place: nil, keys: [], isQuestion: true))
    let isThere = state.list.entries.contains { !$0.isHidden && "k\($0.key)" == record }
    return .success(reply(request, isThere ? 200 : 404, "{}"))
  }

  // MARK: pages

  private func page(
    _ request: Request, _ asked: Asked, _ state: inout State
  ) -> Result<Answer, ExchangeFailure> {
    let query = Self.parameters(request.address)
    let isFirst = Self.isFirst(query)
    let size = query["size"].flatMap { Int($0) } ?? scenario.size
    let (shownList, isOld) = list(for: asked, &state)
    let list = shownList.entries
    let reach = min(list.count, scenario.cap ?? .max)
    let start = Self.start(query, list, size: scenario.size)
    if let cap = scenario.cap, !scenario.isChain, start >= cap {
      switch scenario.capSign {
      case .error: return .success(reply(request, 422, "{}"))
      case .zeros:
        let body = marked(#"{"items":[],"total":0}"#, asked)
        note(Given(place: asked.place, keys: [], bytes: body.utf8.count), &state)
        return .success(reply(request, 200, body))
      case .quiet: break
      }
    }
    var random =
      state.isSteady ? SeededRandom(seed: scenario.seed &+ UInt64(start)) : state.random
    var end = min(reach, start + size)
    let mayBeShort = scenario.hasShortPages && !scenario.isPositional && end - start > 1
    if mayBeShort, random.next() % 2 == 0 {
      end = start + 1 + Int(random.next() % UInt64(end - start))
    }
    let isBehindEmpty = (query["token"] ?? query["after"] ?? "").utf8.contains(UInt8(ascii: "."))
    let mayBeEmpty =
      scenario.hasEmptyPages && (state.isSteady ? !isBehindEmpty : state.emptyInARow < 3)
    if mayBeEmpty, random.next() % 5 == 0, !isFirst {
      end = start
      state.emptyInARow += 1
    } else {
      state.emptyInARow = 0
    }
    if !state.isSteady { state.random = random }
    let shown = start < end ? list[start..<end].filter { !$0.isHidden } : []
    let next = next(query, list, start: start, end: end, reach: reach, &state)
    let body = body(shown, total: total(shownList, &state), more: start + size < reach, next: next)
    if isFirst, state.walkBegan == nil { state.walkBegan = state.list.version }
    // A tag identifies the whole answer, including the next page in its headers.
    let tag = "\"\(Digest64.of((body + (next ?? "")).utf8))\""
    let hasChanged = !request.fields.contains { $0.name == "If-None-Match" && $0.value == tag }
    let answer = hasChanged ? marked(body, asked) : ""
    note(
      Given(place: asked.place, keys: shown.map(\.key), bytes: answer.utf8.count), &state)
    noteFlight(behind: asked, list.count, &state)
    if !isOld { move(&state) }
    guard hasChanged else { return .success(reply(request, 304, "", [HeaderField("ETag", tag)])) }
    var fields = scenario.isConditional ? [HeaderField("ETag", tag)] : []
    if let next, scenario.paging == .link || scenario.paging == .countingLink {
      fields.append(HeaderField("Link", "<\(next)>; rel=\"next\""))
    }
    if let next, scenario.paging == .headerToken {
      fields.append(HeaderField("x-next-cursor", next))
    }
    return .success(reply(request, 200, answer, fields))
  }

  /// Pads the body with blanks, so that its length identifies the request.
  private func marked(_ body: String, _ asked: Asked) -> String {
    let bytes = body.utf8.count / Self.lengthsMax * Self.lengthsMax + Self.lengthsMax
    return body
      + String(repeating: " ", count: bytes + asked.number % Self.lengthsMax - body.utf8.count)
  }

  /// More than any run has requests.
  private static let lengthsMax = 4096

  private func note(_ page: Given, _ state: inout State) {
    state.pages.removeAll { !$0.isWritten && $0.place == page.place }
    state.pages.append(page)
  }

  private func body(
    _ shown: some Sequence<SimulatedList.Entry>, total: Int?, more: Bool, next: String?
  ) -> String {
    let items = shown.map { entry in
      let at = Instant(seconds: 1_700_000_000 + Int64(entry.rank >> 18))
      return #"{"id":"k\#(entry.key)","name":"thing \#(entry.key)","at":"\#(at)"}"#
    }
    var parts = [#""items":[\#(items.joined(separator: ","))]"#]
    if let total { parts.append(#""total":\#(total)"#) }
    if scenario.tellsMore { parts.append(#""more":\#(more)"#) }
    switch scenario.paging {
    case .token, .address, .countingAddress:
      parts.append(#""next":\#(next.map { "\"\($0)\"" } ?? "null")"#)
    default: break
    }
    return "{\(parts.joined(separator: ","))}"
  }

  private func total(_ list: SimulatedList, _ state: inout State) -> Int? {
    guard scenario.total != nil else { return nil }
    let truth = list.visibleCount
    switch scenario.lie {
    case .none: return truth
    case .high: return truth + 7
    case .low: return truth / 2
    // Never zero, which has a meaning of its own.
    case .random:
      // For comparison with another folder, answers depend only on the list.
      var steady = SeededRandom(seed: scenario.seed)
      return 1 + Int((state.isSteady ? steady.next() : state.random.next()) % 100)
    }
  }

  /// Requests in flight may see the list before it moved, whatever the order of their answers. It only moves after an
  /// answer that was used, so each of its states was shown.
  private func list(for asked: Asked, _ state: inout State) -> (SimulatedList, isOld: Bool) {
    let moves = state.past.count - asked.moves
    guard moves > 0 else { return (state.list, false) }
    let back = Int(state.random.next() % UInt64(moves + 1))
    return back == 0 ? (state.list, false) : (state.past[state.past.count - back], true)
  }

  /// Notes the pages that the answer makes certain, by page number and total.
  private func noteFlight(behind asked: Asked, _ count: Int, _ state: inout State) {
    guard let next = state.next.map({ $0 + 1 }) else { return }
    state.next = next
    let isCertain = scenario.total == .counted && !scenario.isFeed
    let pages = (count + scenario.size - 1) / scenario.size
    state.nextBehindFlight = isCertain ? min(next + scenario.atOnce, pages + 1) : next
  }

  /// The list moves after an answer.
  private func move(_ state: inout State) {
    if let rest = scenario.restAfter, state.answered >= rest { return }
    state.answered += 1
    guard !state.isCalm, Int(state.random.next() % 100) < scenario.drifting else { return }
    let count = state.list.entries.count
    let isGrowing = scenario.isFeed || count == 0 || state.random.next() % 2 == 0
    let before = state.list
    defer { if state.list.version != before.version { state.past.append(before) } }
    if scenario.drift == .places {
      guard count > 1 else { return }
      let from = Int(state.random.next() % UInt64(count))
      return state.list.move(from: from, to: Int(state.random.next() % UInt64(count)))
    }
    let isAtFront = scenario.drift == .front || count < 2
    let place = isAtFront ? 0 : Int(state.random.next() % UInt64(count))
    if isGrowing { state.list.insert(at: place) } else { state.list.remove(at: place) }
  }

  // MARK: positions

  static func parameters(_ address: WebAddress) -> [String: String] {
    var found: [String: String] = [:]
    for pair in (address.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
    }
    return found
  }

  static func isFirst(_ query: [String: String]) -> Bool {
    query["token"] == nil && query["after"] == nil && (query["page"] ?? "1") == "1"
      && (query["offset"] ?? "0") == "0"
  }

  /// The place in a list at which a page begins.
  static func start(_ query: [String: String], _ list: [SimulatedList.Entry], size: Int) -> Int {
    if let page = query["page"].flatMap({ Int($0) }) { return max(0, page - 1) * size }
    if let offset = query["offset"].flatMap({ Int($0) }) { return offset }
    guard let text = query["token"] ?? query["after"],
      let rank = text.split(separator: ".").first.flatMap({ Int($0) })
    else { return 0 }
    return list.firstIndex { $0.rank < rank } ?? list.count
  }

  private func next(
    _ query: [String: String], _ list: [SimulatedList.Entry], start: Int, end: Int, reach: Int,
    _ state: inout State
  ) -> String? {
    guard scenario.isChain, end < reach else { return nil }
    if scenario.isPositional {
      let page = (query["page"].flatMap { Int($0) } ?? 1) + 1
      return "\(Scenario.base)/things?size=\(scenario.size)&page=\(page)"
    }
    // After the last record that was shown; an empty page keeps the place.
    let rank = end > 0 ? list[end - 1].rank : .max
    var token = "\(rank)"
    if end == start {
      state.nonce += 1
      token += ".\(state.nonce)"
    }
    if [.token, .headerToken].contains(scenario.paging) { return token }
    return "\(Scenario.base)/things?size=\(scenario.size)&after=\(token)"
  }
}
