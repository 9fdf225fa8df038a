internal import Base
internal import TestSupport

/// A list with years of records and a time filter, in the forms of three APIs: each answers newest first, and none
/// returns more of one list than its cap.
struct SimulatedArchive: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    /// Page numbers and a counted total; pages beyond the cap are refused. Both ends are included.
    case counted
    /// Tokens that silently stop at the cap, and a meaningless total. The end is excluded.
    case token
    /// `Link` headers whose last page is limited by the cap. Both ends are included.
    case link
  }

  let kind: Kind
  /// Seconds since 1970, in order; a record's key is its index here.
  private(set) var times: [Int64]
  /// Like an API that does not know the parameter.
  let ignoresWindow: Bool
  /// Its plan has expired, which it reports as if it were a list's cap.
  let showsNothing: Bool
  /// Seconds: older records are never shown.
  let reach: Int64?
  /// Each time is half a second after its second, and compared exactly.
  let hasFractions: Bool

  init(
    _ kind: Kind, times: [Int64], ignoresWindow: Bool = false, showsNothing: Bool = false,
    reach: Int64? = nil, hasFractions: Bool = false
  ) {
    self.hasFractions = hasFractions
    self.showsNothing = showsNothing
    self.kind = kind
    self.reach = reach
    self.ignoresWindow = ignoresWindow
    self.times = times.sorted()
  }

  static let day: Int64 = 86_400

  /// Adds a record that is newer than all others.
  mutating func publish(at time: Int64) { times.append(max(time, times.last ?? time)) }

  /// `count` random times in a range.
  static func steady(
    _ count: Int, from: Int64, days: Int64, _ random: inout SeededRandom
  ) -> [Int64] {
    (0..<count).map { _ in from + Int64(random.next() % UInt64(days * day)) }
  }

  var cap: Int {
    switch kind {
    case .counted: 100
    case .token: 500
    case .link: 1000
    }
  }

  var size: Int { kind == .token ? 50 : 100 }

  /// The least number of requests that can read everything.
  var leastRequests: Int {
    (times.count + cap - 1) / cap * (cap / size)
  }

  /// The indices of `times` that the API finds in a window.
  func found(from: Int64, to: Int64) -> Range<Int> {
    let end = kind == .token || hasFractions ? to : to + 1
    return first(from)..<max(first(from), first(end))
  }

  private func first(_ time: Int64) -> Int {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Keys that a window of one second can show: everything that is reachable.
  var reachable: Set<Int> {
    var keys: Set<Int> = []
    var at = 0
    while at < times.count {
      let end = first(times[at] + 1)
      keys.formUnion(max(at, end - cap)..<end)
      at = end
    }
    return keys
  }

  // MARK: the job

  func job(allowance: Int? = nil) throws -> Job {
    let pager: Pager =
      switch kind {
      case .counted: .number(parameter: "page", first: 1)
      case .token: .token(parameter: "token", next: try JSONPath("next"))
      case .link: .link
      }
    var stream = Base.Stream(
      name: "things", path: Template([.text("/things")]), pager: pager,
      records: try JSONPath("items"), table: "things", key: ["id"],
      columns: [
        Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer),
        Column(
          name: "at", source: .paths([try JSONPath("at")]), kind: .time(digits: 0, zone: nil)),
      ])
    stream.size = PageSize(parameter: "size", value: size)
    let trust: Total.Trust =
      switch kind {
      case .counted: .counted
      case .token: .worthless
      case .link: .estimate
      }
    stream.total = Total(paths: [try JSONPath("total")], trust: trust)
    stream.cap = Cap(at: cap, doubt: kind == .token ? 450 : cap, expected: nil)
    stream.window = Window(
      from: "from", to: "to", column: "at", overlap: .seconds(3600),
      step: hasFractions ? nil : .seconds(1),
      includesEnd: kind == .link)
    if kind == .counted { stream.newestFirst = "at" }
    var job = Job(
      name: "shop", about: "a shop", base: try WebAddress("https://api.example/v1"),
      streams: [stream], source: "a simulation")
    if let allowance {
      job.quotas = [
        // The default of job files: a day's allowance may be used at once.
        Quota(
          name: "day", allow: allowance, window: .rolling(.seconds(Self.day)), burst: allowance)
      ]
      job.streams[0].spends = ["day": 1]
    }
    job.errors = [ErrorRule(statuses: [426...426], action: .end, isCap: true)]
    return job
  }

  // MARK: answering

  /// The window in a request, as written there.
  static func window(_ address: WebAddress) -> (from: Int64, to: Int64)? {
    let query = SimulatedServer.parameters(address)
    func instant(_ name: String) -> Instant? {
      query[name].flatMap {
        Instant(rfc3339: String(decoding: PercentEncoding.decoded($0), as: UTF8.self))
      }
    }
    guard let from = instant("from"), let to = instant("to") else { return nil }
    return (from.seconds, to.seconds)
  }

  func answer(_ request: Request, at now: Instant) -> Answer {
    let query = SimulatedServer.parameters(request.address)
    let window = ignoresWindow ? nil : Self.window(request.address)
    // Records of the future do not exist yet.
    let all = found(
      from: max(window?.from ?? 0, reach.map { now.seconds - $0 } ?? 0),
      to: min(window?.to ?? .max / 2, now.seconds - 1))
    let page = (query["page"] ?? query["token"]).flatMap { Int($0) } ?? 1
    let start = max(0, page - 1) * size
    let reach = min(all.count, cap)
    if showsNothing || kind == .counted && start + size > cap {
      return .json(request, #"{"code":"maximumResultsReached"}"#, status: 426, at: now)
    }
    let end = min(start + size, reach)
    let shown = start < end ? Array(all.reversed()[start..<end]) : []
    let items = shown.map { #"{"id":\#($0),"at":"\#(time($0))"}"# }
    let hasNext = end < reach
    var fields: [HeaderField] = []
    var body = #"{"items":[\#(items.joined(separator: ","))]"#
    switch kind {
    case .counted: body += #","total":\#(all.count)}"#
    case .token: body += #","total":1000000\#(hasNext ? #","next":"\#(page + 1)""# : "")}"#
    case .link:
      body += "}"
      let last = (reach + size - 1) / size
      if hasNext {
        let base =
          "https://api.example\(request.address.path)?from=\(query["from"] ?? "")&to=\(query["to"] ?? "")"
        fields = [
          HeaderField(
            "Link",
            "<\(base)&size=\(size)&page=\(page + 1)>; rel=\"next\", "
              + "<\(base)&size=\(size)&page=\(last)>; rel=\"last\"")
        ]
      }
    }
    return .json(request, body, fields, at: now)
  }

  private func time(_ index: Int) -> String {
    let second = Instant(seconds: times[index]).description
    return hasFractions ? second.dropLast() + ".500Z" : second
  }
}
