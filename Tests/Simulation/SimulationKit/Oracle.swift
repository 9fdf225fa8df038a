internal import Base
internal import TestSupport

/// What must hold after each run, whatever happened in it.
///
/// * A `complete` certificate covers every key that stayed in the list from the first answer to page 1 since the last
///   walk's end until its own end; its list has no key that was never in the server's list during that time (except
///   rows marked as vanished, and lists whose length is only estimated).
/// * No record is marked as vanished that is in the server's list: keys that left never come back.
/// * The database has only keys that the server showed, and never loses one.
/// * After a kill, the keys of all pages that were reported as committed are there.
/// * The proof holds after each run, and so after each kill and the run after it.
/// * received = new + changed + unchanged + repeated + dropped + rejected, in each certificate.
/// * A run makes at most `requestsMax` requests.
/// * No request comes before the time until which the server said to wait.
/// * In no minute does the ledger admit, or the server receive, more requests than the quota allows, plus those in
///   flight.
struct Oracle {
  private let simulation: Simulation
  private var lastCertificate: Int64 = 0
  private var known: Set<Int> = []

  init(_ simulation: Simulation) { self.simulation = simulation }

  private struct StoredCertificate {
    var number: Int64
    var verdict: String
    var rule: String
    var why: String
    var isOpen: Bool
    var withheld: Int
    var received: Int
    var sum: Int
    var goesOnAt: String?
  }

  /// True if a walk ended in the run.
  mutating func look(at path: String, after left: Simulation.Left) throws -> Bool {
    let state = simulation.server.now
    let connection = try Connection("\(path)/trawl.db", .readWrite)
    defer { connection.close() }
    lookAtRequests(state, left)
    try lookAtUses("\(path)/ledger.db")
    guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'shop_things'") != nil
    else { return false }
    let rows = Set(try keys("SELECT id FROM shop_things", connection))
    lookAtRows(rows, state, left)
    known.formUnion(rows)
    try lookAtVanished(state, connection)
    lookAtOutcome(left)
    guard let paper = try paper(connection) else { return false }
    if paper.received != paper.sum {
      simulation.problem("received \(paper.received), but the sum is \(paper.sum)")
    }
    guard paper.number != lastCertificate, !paper.isOpen else { return false }
    lastCertificate = paper.number
    if paper.verdict == "complete" {
      try lookAtComplete(paper, state, connection)
    }
    simulation.server.change { $0.walkBegan = nil }
    return true
  }

  private func keys(_ sql: String, _ connection: Connection) throws -> [Int] {
    try connection.rows(sql, []) { Int($0.text(0)?.dropFirst() ?? "") ?? -1 }
  }

  private func paper(_ connection: Connection) throws -> StoredCertificate? {
    try connection.row(
      "SELECT certificate, verdict, rule, why, is_open, withheld, received, "
        + "new + changed + unchanged + repeated + dropped + rejected, resumes_at "
        + "FROM trawl_certificates JOIN trawl_windows USING (window) ORDER BY certificate DESC LIMIT 1",
      []
    ) {
      StoredCertificate(
        number: $0.integer(0), verdict: $0.text(1) ?? "", rule: $0.text(2) ?? "",
        why: $0.text(3) ?? "", isOpen: $0.boolean(4), withheld: $0.int(5), received: $0.int(6),
        sum: $0.int(7), goesOnAt: $0.text(8))
    }
  }

  /// The rows that are in the list now.
  private func listed(_ connection: Connection) throws -> Set<Int> {
    let sql =
      simulation.scenario.hasMembership
      ? "SELECT thing_id FROM shop_found WHERE vanished_at IS NULL"
      : "SELECT id FROM shop_things WHERE vanished_at IS NULL"
    return Set(try keys(sql, connection))
  }

  // MARK: invariants

  private func lookAtComplete(
    _ paper: StoredCertificate, _ state: SimulatedServer.State, _ connection: Connection
  ) throws {
    let began = state.walkBegan ?? 0
    let listed = try listed(connection)
    let missing = state.list.present(since: began).subtracting(listed)
    if !missing.isEmpty {
      simulation.problem(
        "complete (\(paper.rule): \(paper.why)) without \(missing.sorted()) of "
          + "\(state.list.visibleCount)")
    }
    // Lists whose length the API only estimates mark no vanished rows. Records that are missing in a single walk are
    // counted and stay.
    guard paper.withheld == 0, !paper.why.contains("gone; the next walk decides"),
      paper.rule != "lastCompleteRange",
      simulation.scenario.total != .estimate
    else { return }
    let extra = listed.subtracting(state.list.seen(since: began))
    if !extra.isEmpty {
      simulation.problem("complete (\(paper.rule)) with \(extra.sorted()), which had left before")
    }
  }

  private func lookAtVanished(
    _ state: SimulatedServer.State, _ connection: Connection
  ) throws {
    let table = simulation.scenario.hasMembership ? "shop_found" : "shop_things"
    let key = simulation.scenario.hasMembership ? "thing_id" : "id"
    guard try connection.columns(of: table).contains("vanished_at") else { return }
    let marked = Set(
      try keys("SELECT \(key) FROM \(table) WHERE vanished_at IS NOT NULL", connection))
    let wrong = marked.intersection(state.list.present(since: .max))
    if !wrong.isEmpty { simulation.problem("marked as vanished, and there: \(wrong.sorted())") }
  }

  private func lookAtRows(
    _ rows: Set<Int>, _ state: SimulatedServer.State, _ left: Simulation.Left
  ) {
    let invented = rows.subtracting(state.list.everything)
    if !invented.isEmpty { simulation.problem("keys that were never there: \(invented.sorted())") }
    let lost = known.subtracting(rows)
    if !lost.isEmpty { simulation.problem("rows of an earlier run are lost: \(lost.sorted())") }
    if !left.stop.hasCrashed, let facts = left.facts, facts.counts.new != rows.count - known.count {
      simulation.problem(
        "\(facts.counts.new) are told as new, and \(rows.count - known.count) came")
    }
    let told = Set(state.pages.lazy.filter(\.isWritten).flatMap(\.keys))
    let gone = told.subtracting(rows)
    if !gone.isEmpty { simulation.problem("committed rows are lost: \(gone.sorted())") }
  }

  private func lookAtOutcome(_ left: Simulation.Left) {
    guard !left.stop.hasCrashed, let facts = left.facts else { return }
    let wrong = facts.outcome.kinds.intersection([
      .bug, .damaged, .cannotCreate, .cannotWrite, .configuration, .secret,
    ])
    if !wrong.isEmpty { simulation.problem("the run ends in \(wrong): \(facts.outcome.sentence)") }
    for unit in facts.units where unit.certificate.rule == .limit {
      guard let until = simulation.server.now.notBefore, let goesOn = unit.certificate.goesOnAt
      else { continue }
      if until > simulation.time.now, goesOn < until {
        simulation.problem("paused until \(goesOn), though the server said \(until)")
      }
    }
  }

  /// The most requests of a run: all pages, empty ones, the page that may end the list, the seam, the closing check and
  /// repairs, each with all tries, for each pass over a moving list and once for an expired token; plus the requests
  /// that the server put off, which are no tries.
  private func requestsMax(_ state: SimulatedServer.State) -> Int {
    let scenario = simulation.scenario
    let isShort = scenario.hasShortPages || scenario.hasEmptyPages
    let length = state.list.longest + scenario.duplicates
    let pages = isShort ? length * 4 : length / scenario.size + 1
    // One more if the list moved during an interruption.
    let walks = scenario.passes + 2
    // Plus twenty single records that a walk lacked.
    let questions = scenario.confirms ? 20 + walks : 0
    // Plus those in flight that an earlier page made useless.
    return (walks * (2 * pages + 8) + questions) * Simulation.triesMax + state.postponed
      + state.dropped.values.reduce(0, +)
  }

  private func lookAtRequests(_ state: SimulatedServer.State, _ left: Simulation.Left) {
    let asked = state.asked[left.askedBefore...]
    if asked.count > requestsMax(state) {
      simulation.problem("\(asked.count) requests, and \(requestsMax(state)) are the most")
    }
    // Requests in flight when the server told the run to wait are no fault, nor are tries before the run saw that: its
    // threads may lag.
    let earlyMax = (simulation.scenario.atOnce - 1) * state.told * Simulation.triesMax
    if let early = asked.first(where: \.isEarly), asked.count(where: \.isEarly) > earlyMax {
      simulation.problem("\(early.target) was asked before the time the server told")
    }
  }

  /// At the end: a calm run over a list at rest.
  func lookAtCalm(_ path: String, _ left: Simulation.Left) throws {
    let scenario = simulation.scenario
    let connection = try Connection("\(path)/trawl.db", .readWrite)
    defer { connection.close() }
    guard let paper = try paper(connection) else { return simulation.problem("no certificate") }
    let state = simulation.server.now
    let truth = state.list.present(since: .max)
    let isCapped = scenario.cap.map { state.list.entries.count >= $0 - scenario.size } ?? false
    if !isCapped {
      // A total that is wrong, or counts a record twice, cannot equal the list's records.
      let isShort =
        (scenario.lie != .none || scenario.duplicates > 0) && paper.verdict == "incomplete"
      let isTwice = scenario.duplicates > 0 && ["incomplete", "failed"].contains(paper.verdict)
      // A list that became empty is believed from the third walk on, a day later.
      let isEmptied = truth.isEmpty && paper.verdict == "incomplete" && paper.received == 0
      // So many records left at once that the user must confirm it.
      let isWithheld = paper.withheld > 0 && paper.verdict == "incomplete"
      if !["complete", "unproven"].contains(paper.verdict), !isShort, !isTwice, !isEmptied,
        !isWithheld
      {
        simulation.problem("a calm run over a list at rest is \(paper.verdict): \(paper.why)")
      }
      let listed = try listed(connection)
      if !truth.isSubset(of: listed), !isTwice {
        simulation.problem("a calm run misses \(truth.subtracting(listed).sorted())")
      }
    }
    lookAtRepeats(state, left)
  }

  /// A clean run requests only page 1 twice.
  private func lookAtRepeats(_ state: SimulatedServer.State, _ left: Simulation.Left) {
    var counts: [String: Int] = [:]
    for one in state.asked[left.askedBefore...] { counts[one.target, default: 0] += 1 }
    // There may be an empty page after the last page with records.
    let lastPlaces = Set(counts.filter { $0.value > 1 }.keys.map(Self.position)).sorted().suffix(2)
    for (target, count) in counts where count > 1 {
      let query = target.split(separator: "?").last.map(String.init) ?? ""
      let address = WebAddress(
        origin: Origin(scheme: "https", host: "x", port: 443), path: "/", query: query)
      let isFirst = SimulatedServer.isFirst(SimulatedServer.parameters(address))
      // A list with a record in two places seems to move in each walk. New records of a feed are read until two
      // readings agree, three times at most.
      let walks = max(
        simulation.scenario.duplicates > 0 ? simulation.scenario.passes : 1,
        simulation.scenario.isFeed ? 3 : 1)
      // The last page may be looked at once before it is read.
      let isLast = lastPlaces.contains(Self.position(target))
      // A 304 that lacks what its headers had said is requested again in full.
      let inFull = simulation.scenario.isConditional ? 1 : 0
      // Pages ahead of one that seemed to have moved are requested again.
      let ahead = state.dropped[target] ?? 0
      if count > (isFirst || isLast ? 2 : 1) * walks + inFull + ahead {
        simulation.problem("\(target) was asked \(count) times")
      }
    }
  }

  /// The position of a page that is named by number.
  private static func position(_ target: String) -> Int {
    let query = target.split(separator: "?").last ?? ""
    let page = query.split(separator: "&").first { $0.hasPrefix("page=") }
    return page.flatMap { Int($0.dropFirst(5)) } ?? 0
  }

  /// Checks the ledger's uses, to the millisecond.
  private func lookAtUses(_ path: String) throws {
    guard let quota = simulation.scenario.quota else { return }
    let ledger = try Connection(path, .readWrite)
    defer { ledger.close() }
    let most = try ledger.integer(
      """
      SELECT max((SELECT sum(cost) FROM trawl_uses AS before WHERE before.quota_id = last.quota_id
        AND before.at > last.at - 60000 AND before.at <= last.at)) FROM trawl_uses AS last
      """)
    if let most, most > quota.allow {
      simulation.problem("the ledger let \(most) requests go in a minute, not \(quota.allow)")
    }
  }

  func lookAtPace() {
    guard let quota = simulation.scenario.quota else { return }
    let asked = simulation.server.now.asked.filter(\.hasArrived).map(\.at).sorted()
    // A sleeping task advances the time for requests on their way.
    let most = quota.allow + (simulation.scenario.atOnce > 1 ? simulation.scenario.atOnce : 0)
    guard asked.count > most else { return }
    for index in 0..<(asked.count - most)
    where asked[index + most] - asked[index] < .seconds(60) {
      simulation.problem(
        "\(most + 1) requests within a minute from \(asked[index]) on, and "
          + "\(quota.allow) are allowed")
      return
    }
  }
}
