import Base
@testable import Store
@testable import Walk
import Testing

/// A scripted server's answer to one step.
enum Reply {
  case page(ScriptPage)
  case trouble(Walker.Trouble)
}

/// A scripted page: its keys in order, and the signs in the answer.
struct ScriptPage {
  var keys: [Int]
  var total: Int?
  var more: Bool?
  var next: Cursor?
  /// The last page, if the answer names it.
  var last: Cursor?
  /// Keys that the job's `keep` drops.
  var dropped: Set<Int> = []
  var rejected: Set<Int> = []
  var rejectReason: String?
  var clashes = KeyClashes()
  var oldest: Instant?
  var isNewestFirst = false
  /// The sort values of its records, in order.
  var ranks: [Int] = []
  /// Hints in the answer that the job does not read.
  var signs: [UnreadSign] = []

  init(_ keys: some Sequence<Int>, total: Int? = nil, more: Bool? = nil, next: Cursor? = nil) {
    self.keys = Array(keys)
    self.total = total
    self.more = more
    self.next = next
  }

  func with(_ signs: [UnreadSign]) -> ScriptPage {
    var page = self
    page.signs = signs
    return page
  }
}

/// Drives a walker as an engine does, but without network, database and time: requests, commits, reports; and records
/// the requests. What `certainNext` promises must really follow.
struct WalkRun {
  /// `page 1 offset=0`: the purpose, and what the request adds to the stream's address.
  private(set) var requests: [String] = []
  /// The answers as stored, in the order in which they were used, and their keys.
  private(set) var rows: [Replay.Row] = []
  private(set) var keys: [[Int]] = []
  /// As a resumed walk reads them.
  var pages: [PageSummary] { rows.map(\.page) }
  private(set) var stored: [PageSummary] = []
  private var handed: Handed?
  /// The handed state, if no answer came after it.
  var left: Handed? { rows.isEmpty ? nil : handed }
  private(set) var seen: Set<Int> = []
  private(set) var certificate: Certificate?
  private(set) var promised = 0
  /// The order of pages that the job declares.
  var order: ListOrder?
  /// The keys of each page when last read.
  private var held: [Int: [Int]] = [:]
  /// Keys that an earlier run stored.
  var known: Set<Int> = []
  /// Stops, like kill -9, after this many commits.
  var commitsMax = Int.max
  /// How many pages may be in flight at once.
  var atOnce = 1
  /// Those in flight that were requested in vain.
  private(set) var dropped = 0

  init() {}

  /// Continues with what an earlier run stored.
  init(after earlier: WalkRun) {
    rows = earlier.rows
    keys = earlier.keys
    stored = earlier.stored
    seen = earlier.seen
    known = earlier.known.union(earlier.seen)
    held = earlier.held
    order = earlier.order
    atOnce = earlier.atOnce
  }

  mutating func drive(
    _ walker: inout Walker, _ answer: (Step) throws -> Reply,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try drive(&walker, inFlight: { step, _ in try answer(step) }, sourceLocation: sourceLocation)
  }

  /// - Parameter answer: gets a step, and how many answers had been used when it was requested.
  mutating func drive(
    _ walker: inout Walker, inFlight answer: (Step, Int) throws -> Reply,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var ahead: [(step: Step, behind: Int)] = []
    var taken = 0
    defer { dropped += ahead.count }
    var move = walker.begin()
    if walker.startsAgain { forget() }
    handed = walker.handed
    var commits = 0
    for _ in 0..<5_000 {
      guard case .ask(let step) = move else { break }
      requests.append("\(step.purpose.rawValue) \(Self.tail(step))")
      let restarts = walker.restarts
      if ahead.first?.step != step {
        dropped += ahead.count
        ahead = []
      }
      let behind = ahead.isEmpty ? taken : ahead.removeFirst().behind
      let reply = try answer(step, behind)
      taken += 1
      switch reply {
      case .page(let page) where step.purpose.isLook:
        // A look stores no record.
        var summary = PageSummary(
          purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: page.next,
          total: page.total, more: page.more)
        summary.keysDigest = Self.digest(page.keys)
        summary.lookedAt = page.keys.count
        summary.unseen = page.keys.count { !seen.contains($0) }
        summary.firstKey = page.keys.first.map(Self.mark)
        summary.lastKey = page.keys.last.map(Self.mark)
        summary.signs = page.signs
        stored.append(summary)
        keep(summary, page.keys, step, walker)
        move = walker.received(summary)
      case .trouble(let trouble) where trouble.kind == .unreadable && step.purpose == .page:
        // An engine stores that the page was unreadable, then reports it.
        let unread = keep(.unreadable, step, walker)
        stored.append(unread)
        move = walker.troubled(trouble, at: step)
      case .trouble(let told):
        let trouble = told.at(step)
        keep(trouble.kind, step, walker)
        move = walker.troubled(trouble, at: step)
      case .page(let page):
        // Headers about the answer's age are no part of a page.
        let certain =
          page.signs.contains(where: \.kind.isAge)
          ? []
          : walker.certainNext(after: try Self.parsed(page), step: step, most: atOnce)
        if !certain.starts(with: ahead.map(\.step)) {
          dropped += ahead.count
          ahead = []
        }
        ahead += certain.dropFirst(ahead.count).map { ($0, taken) }
        let summary = commit(page, step)
        keep(summary, page.keys, step, walker)
        commits += 1
        if commits >= commitsMax { return }
        move = walker.received(summary)
        if let certain = certain.first {
          promised += 1
          #expect(move == .ask(certain), "a promised page", sourceLocation: sourceLocation)
        }
      }
      if walker.restarts > restarts {
        forget()
        handed = walker.handed
      }
    }
    if case .conclude(let certificate) = move { self.certificate = certificate }
  }

  /// Forgets the pages, but not their records.
  private mutating func forget() {
    known.formUnion(seen)
    rows = []
    keys = []
    stored = []
    seen = []
    held = [:]
  }

  @discardableResult
  private mutating func keep(
    _ trouble: TroubleKind, _ step: Step, _ walker: Walker
  ) -> PageSummary {
    var summary = PageSummary(
      purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: nil)
    summary.trouble = trouble
    keep(summary, [], step, walker)
    return summary
  }

  private mutating func keep(
    _ page: PageSummary, _ keys: [Int], _ step: Step, _ walker: Walker
  ) {
    self.keys.append(keys)
    rows.append(
      Replay.Row(
        page, address: step.target, handed: handed,
        rules: handed == nil ? nil : WalkRules(walker.rules.text)))
    handed = nil
  }

  /// The answers in readable form.
  var told: [String] {
    zip(rows, keys).map { row, keys in
      "\(row.page.purpose) \(row.page.cursor) \(keys) \(row.page.total.map(String.init) ?? "")"
    }
  }

  /// The result of deriving the walk again from its rows.
  static func derived(
    _ rows: [Replay.Row], left: Handed? = nil, claimed rule: StopRule = .interrupted
  ) -> (certificate: Certificate?, problem: String?) {
    var replay = Replay()
    var before: [PageSummary] = []
    let rules = rows.compactMap(\.rules).last
    for row in rows {
      var row = row
      row.handed = row.handed.flatMap { Handed($0.text) }
      replay.take(row) { before }
      before.append(row.page)
    }
    if let left, let rules { replay.begin(left, rules) { before } }
    return (replay.certificate(claimed: rule), replay.problem)
  }

  /// Whether deriving the walk from its rows gives the same certificate.
  func isDerived(_ certificate: Certificate) -> Bool {
    let (derived, problem) = Self.derived(rows, left: left)
    var same = derived
    same?.why = certificate.why
    same?.goesOnAt = certificate.goesOnAt
    return problem == nil && same == certificate
  }

  private mutating func commit(_ page: ScriptPage, _ step: Step) -> PageSummary {
    var counts = Counts()
    var unseen = 0
    let before = step.purpose == .page ? held[step.ordinal - 1] ?? [] : []
    let leading = page.keys.prefix { before.contains($0) }.count
    let continued = stride(from: min(leading, before.count), to: 0, by: -1)
      .first { page.keys.starts(with: before.suffix($0)) }
    for key in page.keys {
      let isFirst = seen.insert(key).inserted
      if isFirst { unseen += 1 }
      if page.dropped.contains(key) {
        counts.dropped += 1
      } else if page.rejected.contains(key) {
        counts.rejected += 1
      } else if !isFirst {
        counts.repeated += 1
      } else if known.contains(key) {
        counts.unchanged += 1
      } else {
        counts.new += 1
      }
    }
    var summary = PageSummary(
      purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: page.next,
      total: page.total, more: page.more, counts: counts, unseen: unseen)
    summary.leadingRepeats = leading
    summary.keysDigest = Self.digest(page.keys)
    (summary.oldest, summary.isNewestFirst) = (page.oldest, page.isNewestFirst)
    summary.continued = continued ?? 0
    summary.firstKey = page.keys.first.map(Self.mark)
    summary.lastKey = page.keys.last.map(Self.mark)
    summary.last = page.last
    if let order, let first = page.ranks.first, let last = page.ranks.last {
      let values = page.ranks.map { SortValue.number(Int64($0)) }
      let isSorted = zip(values, values.dropFirst()).allSatisfy { order.mayPrecede($0, $1) }
      summary.order =
        isSorted
        ? .sorted(first: .number(Int64(first)), last: .number(Int64(last))) : .unsorted
    }
    if counts.rejected > 0 { summary.rejectReason = page.rejectReason }
    summary.keyClashes = page.clashes
    summary.signs = page.signs
    if step.purpose != .closingCheck {
      held[step.ordinal] = page.keys
      stored.removeAll { $0.ordinal == step.ordinal && step.purpose == .repair }
      if step.purpose != .seam { stored.append(summary) }
    }
    return summary
  }

  /// The evidence's digest of a key.
  static func mark(_ key: Int) -> UInt64 { UInt64(key + 1) }

  private static func digest(_ keys: [Int]) -> UInt64 { KeyBlob.digest(keys.map(mark)) }

  /// The query with page size and position.
  private static func tail(_ step: Step) -> String {
    let query = step.address.query ?? ""
    return query.isEmpty ? step.address.path : query
  }

  private static func parsed(_ page: ScriptPage) throws -> Page {
    let text = "[\(page.keys.map(String.init).joined(separator: ","))]"
    let document = try JSONDocument.read(Array(text.utf8))
    var parsed = Page(document: document, records: Array(document.root.elements))
    (parsed.total, parsed.more) = (page.total, page.more)
    (parsed.next, parsed.last) = (page.next, page.last)
    return parsed
  }
}

/// Runs a stream against a script to its end.
/// - Parameter varies: numbered pages may be requested in other sizes.
func walk(
  _ stream: Base.Stream, memory: WalkMemory = WalkMemory(), varies: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ answer: (Step) throws -> Reply
) throws -> (run: WalkRun, certificate: Certificate, warnings: [String]) {
  var memory = memory
  if !varies { memory.sizesHold = memory.sizesHold ?? false }
  var walker = Walker(try FakeJob.builder(stream), memory: memory)
  var run = WalkRun()
  run.order = stream.order
  try run.drive(&walker, answer, sourceLocation: sourceLocation)
  let certificate = try #require(run.certificate, sourceLocation: sourceLocation)
  return (run, certificate, walker.warnings)
}

extension Cursor {
  /// The page that this is a part of.
  var whole: Cursor { if case .part(let page, _) = self { page } else { self } }
  var partSize: Int? { if case .part(_, let size) = self { size } else { nil } }
  /// Of a token such as `3` or `p3`; nil: it is no token.
  var tokenNumber: Int? {
    guard case .token(let text) = self else { return nil }
    return Int(text.drop { !$0.isNumber })
  }
  /// With which an address ends; 1 for page 1.
  var lastNumber: Int {
    guard case .address(let text) = whole else { return 1 }
    return Int(text.split(separator: "=").last ?? "") ?? 1
  }
}
