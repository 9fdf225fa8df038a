internal import Base
internal import TestSupport

/// Everything that a seed decides: how the server pages and misbehaves, how the list moves, and how runs are stopped.
struct Scenario: Sendable {
  enum Paging: String, Sendable, CaseIterable {
    case number, offset
    /// These name the record after which they begin, so they do not shift.
    case token, headerToken, link, address
    /// Next addresses with page numbers, which are positions.
    case countingLink, countingAddress
  }

  enum Lie: String, Sendable { case none, high, low, random }
  enum Drift: String, Sendable {
    case none, front, anywhere
    /// Records change places, but none comes or goes.
    case places
  }
  enum CapSign: String, Sendable { case quiet, zeros, error }

  let seed: UInt64
  var paging: Paging
  var size: Int
  var count: Int
  var total: Total.Trust?
  var lie = Lie.none
  var tellsMore = false
  var cap: Int?
  var capSign = CapSign.quiet
  /// Records that are in the list twice.
  var duplicates = 0
  var hasEmptyPages = false
  var hasShortPages = false
  /// Percentages, for each request or page.
  var faults = 0
  var drifting = 0
  var drift = Drift.none
  var kills = 0
  var death: ClosedRange<Int>?
  var isConditional = false
  var isFeed = false
  var hasMembership = false
  /// Records that an unproven walk lacks are requested one by one.
  var confirms = false
  var tokenLife: Duration = .seconds(3600)
  /// How often a moving list is walked.
  var passes = 1
  /// After this many answers the list stops moving; nil: never.
  var restAfter: Int?
  /// Requests in a minute, and how many may be sent at once.
  var quota: (allow: Int, burst: Int)?
  /// Requests in flight at once.
  var atOnce = 1
  /// How far the server's clock is off, in seconds.
  var skew: Int64 = 0

  var isPositional: Bool {
    switch paging {
    case .number, .offset, .countingLink, .countingAddress: true
    case .token, .headerToken, .link, .address: false
    }
  }

  var isChain: Bool { paging != .number && paging != .offset }

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed &* 0x9e37_79b9)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    self.seed = seed
    paging = Paging.allCases[roll(Paging.allCases.count)]
    size = 2 + roll(7)
    count = roll(6) == 0 ? roll(3) : roll(40)
    switch roll(4) {
    case 0: total = .counted
    case 1: total = .estimate
    default: total = nil
    }
    tellsMore = !isChain && roll(3) == 0
    if roll(6) == 0 {
      cap = 8 + roll(16)
      capSign = isChain ? .quiet : [.quiet, .zeros, .error][roll(3)]
      if case .number = paging { cap = size * (2 + roll(3)) }
    }
    isFeed = roll(6) == 0
    drift = [.none, .front, .front, .anywhere][roll(4)]
    // Only a counted total shows that a record left the middle of a list that is read by position; a feed only grows at
    // its front.
    if isFeed, drift == .anywhere { drift = .front }
    if drift == .anywhere, isPositional, total != .counted { drift = .front }
    drifting = drift == .none ? 0 : [5, 20, 50][roll(3)]
    faults = [0, 5, 20, 40][roll(4)]
    kills = [0, 30, 60][roll(3)]
    duplicates = roll(4) == 0 ? 1 + roll(2) : 0
    hasEmptyPages = isChain && !isPositional && roll(3) == 0
    // If positions shift, a hidden record hides the sign of the shift.
    hasShortPages = roll(4) == 0 && !(isPositional && drift != .none)
    // Nothing reveals a ceiling on positions that counts hidden records.
    if hasShortPages, isPositional { cap = nil }
    // A ceiling on positions moves against a walk by keys, and no count shows that.
    if cap != nil, isChain, !isPositional { drift = .none }
    if drift == .none { drifting = 0 }
    if total == .estimate { lie = .random }
    // A list declared as counted whose total is too low is believed if read by position: the job's fault.
    if total == .counted, roll(3) == 0 { lie = isPositional ? .high : [.high, .low][roll(2)] }
    if roll(5) == 0 {
      let start = 1 + roll(8)
      death = start...(start + 3 + roll(30))
    }
    isConditional = roll(4) == 0
    hasMembership = roll(2) == 0
    if roll(3) == 0 { tokenLife = .seconds(60) }
    if roll(3) == 0 {
      let allow = 4 + roll(12)
      quota = (allow, 1 + roll(allow))
    }
    skew = [0, 0, -3600, 7200][roll(4)]
    passes = [1, 1, 3][roll(3)]
    confirms = roll(2) == 0
    atOnce = [1, 1, 2, 3, 8][roll(5)]
    if atOnce > 1, roll(2) == 1 { hasSeveralInFlight(roll) }
  }

  /// A list with several pages in flight: it must be counted and have page numbers.
  private mutating func hasSeveralInFlight(_ roll: (Int) -> Int) {
    (paging, total, lie) = (.number, .counted, roll(8) == 0 ? .high : .none)
    count = size * 2 + roll(60)
    (cap, isFeed, isConditional, hasShortPages, hasEmptyPages) = (nil, false, false, false, false)
    drift = [.none, .front, .anywhere, .places][roll(4)]
    // A total that is wrong, or counts a record twice, does not show that a record changed places.
    if drift == .places { (lie, duplicates) = (.none, 0) }
    drifting = drift == .none ? 0 : [5, 20, 50, 100][roll(4)]
  }

  /// A list that is read by position and gains or loses a record at its front after each answer; nothing else goes
  /// wrong.
  static func drifting(seed: UInt64) -> Scenario {
    var random = SeededRandom(seed: seed &* 0x2545_f491)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    var scenario = Scenario(seed: seed)
    scenario.paging = [.number, .offset, .countingLink, .countingAddress][roll(4)]
    scenario.size = 2 + roll(7)
    scenario.count = scenario.size + 1 + roll(50)
    scenario.total = [nil, .counted, .estimate][roll(3)]
    scenario.tellsMore = !scenario.isChain && roll(3) == 0
    (scenario.lie, scenario.duplicates, scenario.faults, scenario.kills) = (.none, 0, 0, 0)
    (scenario.cap, scenario.death, scenario.quota) = (nil, nil, nil)
    (scenario.hasEmptyPages, scenario.hasShortPages, scenario.isFeed) = (false, false, false)
    (scenario.drift, scenario.drifting, scenario.passes) = (.front, 100, 4)
    // Sometimes it comes to rest, during the first walk or a later one.
    scenario.restAfter = roll(3) == 0 ? nil : 1 + roll(3 * (scenario.count / scenario.size + 1))
    return scenario
  }

  /// A list that does not change during walks, and nothing else goes wrong.
  static func nights(seed: UInt64) -> Scenario {
    var random = SeededRandom(seed: seed &* 0x5851_f42d)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    var scenario = drifting(seed: seed)
    scenario.paging = Paging.allCases[roll(Paging.allCases.count)]
    scenario.total = [nil, .counted][roll(2)]
    scenario.tellsMore = !scenario.isChain && roll(3) == 0
    (scenario.drift, scenario.drifting, scenario.restAfter) = (.none, 0, nil)
    (scenario.passes, scenario.skew) = (1, 0)
    scenario.tokenLife = [.seconds(3600), .seconds(90_000)][roll(2)]
    return scenario
  }

  // MARK: the job

  static let base = "https://api.example/v1"

  func job() throws -> Job {
    var stream = Base.Stream(
      name: "things", path: Template([.text("/things")]), pager: try pager,
      records: try JSONPath("items"), table: "things", key: ["id"],
      columns: [
        try column("id"), try column("name"),
        try column("at", .time(digits: 0, zone: nil)),
      ])
    stream.size = PageSize(parameter: "size", value: size)
    // A meaningless total is declared as such.
    if let total {
      stream.total = Total(
        paths: [try JSONPath("total")], trust: lie == .random ? .worthless : total)
    }
    if tellsMore { stream.more = [try JSONPath("more")] }
    if let cap {
      stream.cap = Cap(at: cap, doubt: isChain ? max(1, cap - size + 1) : cap, expected: nil)
    }
    if isFeed { stream.newestFirst = "at" }
    if hasMembership {
      stream.membership = Membership(
        table: "found", columns: [Column(name: "list", source: .constant("all"))],
        keyNames: ["thing_id"])
    }
    stream.marksVanished = true
    if confirms {
      stream.confirmation = Confirmation(
        Confirmation.Question(path: Template([.text("/things/"), .hole("record.id")])))
    }
    stream.isConditional = isConditional
    stream.tokenLife = tokenLife
    var job = Job(
      name: "shop", about: "a shop", base: try WebAddress(Self.base), streams: [stream],
      source: "a simulation")
    if let quota {
      job.quotas = [
        Quota(
          name: "pace", allow: quota.allow, window: .rolling(.seconds(60)), burst: quota.burst)
      ]
      job.streams[0].spends = ["pace": 1]
    }
    job.atOnce = atOnce
    job.errors = [
      ErrorRule(statuses: [422...422], action: .end, isCap: true),
      ErrorRule(statuses: [419...419], action: .restart, message: "the token has died"),
    ]
    return job
  }

  private var pager: Pager {
    get throws {
      switch paging {
      case .number: .number(parameter: "page", first: 1)
      case .offset: .offset(parameter: "offset")
      case .token: .token(parameter: "token", next: try JSONPath("next"))
      case .headerToken: .token(parameter: "token", header: "X-Next-Cursor")
      case .link, .countingLink: .link
      case .address, .countingAddress: .address(next: try JSONPath("next"))
      }
    }
  }

  private func column(_ name: String, _ kind: Column.Kind = .text) throws -> Column {
    Column(name: name, source: .paths([try JSONPath(name)]), kind: kind)
  }
}
