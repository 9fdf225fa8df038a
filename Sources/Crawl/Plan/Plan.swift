public import Base
public import Store
internal import Walk

/// What a run will request, as far as it is known before its first request, by the run's own steps and in its order.
/// Making a plan requests and writes nothing.
public struct Plan: Sendable {
  /// One list, or all single answers of a stream.
  public struct List: Sendable {
    public let stream: Stream
    let unit: Unit
    /// In words: `followers of octocat`.
    public let name: String
    /// The first request, without a credential; nil: none.
    public var first: WebAddress?
    /// Nil: not known before page 1.
    public var requests: Int?
    /// Whether that number is exact if none fails.
    public var isExact = false
    /// Where it resumes, what it waits for.
    public var note = ""
    /// Verdict of its last walk.
    public var lastVerdict: Verdict?
    /// Set if a range of time is requested.
    public var range: RangePlan?
  }

  /// A stream's requests.
  public struct Part: Sendable {
    public let stream: Stream
    public var lists: [List] = []
    /// Why nothing is requested, or what is known only during the run.
    public var note = ""
    /// Whether the run may find more lists than these.
    public var isOpen = false
    /// Stored parents for which it is due; nil: it has no parent.
    public var due: Int?
    /// Stored records that lack the value to request them by; nil: none.
    public var lack: String?
  }

  public let job: Job
  public var parts: [Part] = []

  public var lists: [List] { parts.flatMap(\.lists) }

  public init(
    job: Job, options: CrawlOptions, store: RecordStore?, time: Timekeeper
  ) async throws {
    try await store?.know(job)
    let planner = try await Self.planner(job, options, store, time)
    self.job = planner.job
    for stream in try await planner.streams() {
      parts.append(try await planner.part(stream))
    }
  }

  /// Plans for the account that was used last.
  private static func planner(
    _ job: Job, _ options: CrawlOptions, _ store: RecordStore?, _ time: Timekeeper
  ) async throws -> Planner {
    var job = job
    if job.account == nil { job.era = try await store?.era(of: job.name) ?? 0 }
    return Planner(job: job, options: options, store: store, time: time)
  }

  /// Streams of a run, without a parent, that it would not read, each with what it needs.
  public static func idle(
    job: Job, options: CrawlOptions, store: RecordStore?, time: Timekeeper
  ) async throws -> [(stream: Stream, needs: String)] {
    let planner = try await Self.planner(job, options, store, time)
    var idle: [(stream: Stream, needs: String)] = []
    for stream in try await planner.streams() where stream.parent == nil {
      // The run may read their values first.
      var rests = !planner.lists.needs(stream).contains { name in
        job.stream(name).map(planner.lists.isChosen) ?? false
      }
      for list in try await planner.roots(of: stream) where rests {
        if case .rests = try await planner.course(of: list, stream) { continue }
        rests = false
      }
      if rests { idle.append((stream, planner.resting(stream))) }
    }
    return idle
  }

  /// The most requests in one run for a stream's missing records; nil if none are made. The number is known only when
  /// the list has been read.
  public static func questionsMax(of stream: Stream) -> Int? {
    guard let question = stream.confirmation else { return nil }
    let each = question.lookup == nil ? 1 : 2
    return each * (MissingWalk.recordsMax + MissingWalk.controlsMost)
  }

  /// The same, for a person.
  public static func questions(of stream: Stream) -> String? {
    questionsMax(of: stream).map { most in
      "at most \(MissingWalk.recordsMax) + \(MissingWalk.controlsMost) records that are missing are asked "
        + "for in one run (\(most) requests)"
    }
  }

  /// What one request of a stream costs.
  public func spends(_ stream: Stream) -> [(quota: String, cost: Int)] {
    job.quotas.compactMap { quota in stream.spends[quota.name].map { (quota.name, $0) } }
  }

  /// What is certain to be used of a quota; nil if nothing is. A list of unknown length takes one request.
  public func cost(in quota: String) -> Int? {
    let costs = lists.compactMap { list -> Int? in
      guard let cost = list.stream.spends[quota] else { return nil }
      let (product, isHuge) = (list.requests ?? 1).multipliedReportingOverflow(by: cost)
      return isHuge ? nil : product
    }
    guard !costs.isEmpty else { return nil }
    return costs.reduce(0) { $0 > Int.max / 2 ? $0 : $0 + $1 }
  }
}

/// A plan's parts, by the planner's steps.
extension Planner {
  fileprivate func part(_ stream: Stream) async throws -> Plan.Part {
    var part = Plan.Part(stream: stream)
    part.lack = try await lack(of: stream)?.sentence
    if let feed = stream.parent {
      try await fill(&part, feed)
      return part
    }
    for list in try await roots(of: stream) {
      if let planned = try await planned(list, stream) { part.lists.append(planned) }
    }
    if part.lists.isEmpty { part.note = resting(stream) }
    return part
  }

  /// What is due of the stored parents.
  private func fill(_ part: inout Plan.Part, _ feed: ParentFeed) async throws {
    let stream = part.stream
    part.isOpen = job.stream(feed.stream).map(lists.isChosen) ?? false
    // Of the parents that the list will return, only those of earlier runs are known.
    let due = try await dueNow(stream, isOfAll: feed.when == .run && part.isOpen)
    part.due = due.count
    part.note = "for each \(feed.stream).\(feed.column)"
    if !readsAll(stream) { part.note += " that is due" }
    if feed.batch > 1 { part.note += ", \(feed.batch) at once" }
    if store != nil { part.note += "; \(due.count) of those stored now" }
    let values = try await values(of: stream)
    if stream.isAskedInBatches, !lacksValue(stream, feed, values) {
      if let batches = try batches(due, stream, feed, values) { part.lists = [batches] }
      return
    }
    for (count, one) in due.enumerated() where takesMore(after: count) {
      for list in children(of: stream, feed, one, values: values) {
        if let planned = try await planned(list, stream) { part.lists.append(planned) }
      }
    }
    if !due.isEmpty, part.lists.isEmpty { part.note += "; \(resting(stream))" }
  }

  private func batches(
    _ due: [DueValue], _ stream: Stream, _ feed: ParentFeed, _ values: [String: [String]]
  ) throws -> Plan.List? {
    var left = Self.single(due, feed)
    if left.isEmpty { return nil }
    var (count, isHalved) = (0, false)
    var list = Plan.List(stream: stream, unit: Unit(stream: stream.name), name: stream.name)
    while takesMoreBatches(after: count) {
      let batch = Self.batch(feed, from: &left)
      if batch.isEmpty { break }
      let asked = try self.list(for: batch, stream, feed, values: values)
      if whyUnaskable(asked, stream, feed) == nil {
        list.first = try list.first ?? step(1, asked, stream).address
      } else if batch.count == 1 {
        continue
      } else {
        isHalved = true
      }
      count += 1
    }
    list.requests = count
    list.isExact = !isHalved && (feed.batch == 1 || !due.contains(where: \.isLeftOut))
    return list
  }

  /// Nil: the list rests.
  private func planned(_ unit: Unit, _ stream: Stream) async throws -> Plan.List? {
    if let feed = stream.parent, let why = whyUnaskable(unit, stream, feed) {
      var list = Plan.List(stream: stream, unit: unit, name: RecordStore.listName(stream, unit))
      (list.requests, list.isExact, list.note) = (0, true, "left out: \(why)")
      return list
    }
    switch try await course(of: unit, stream) {
    case .rests: return nil
    case .whole: return try await whole(unit, stream)
    case .range(let plan):
      var list = Plan.List(
        stream: stream, unit: unit, name: RecordStore.listName(stream, unit), range: plan)
      let waits: Instant?
      (list.first, waits) = try await first(of: unit, stream, plan)
      // Without a first request, no request is sent.
      list.isExact = list.first == nil
      list.requests = list.isExact ? 0 : plan.forecast?.requests
      if let waits { list.note = "was not found; it is requested again at \(waits)" }
      return list
    }
  }

  /// The first request of a range. A window whose pages are all stored needs none, but what it held decides how the
  /// next is cut.
  /// - Returns: its address; without one, when the first of the windows that were not found is requested again.
  private func first(
    of unit: Unit, _ stream: Stream, _ plan: RangePlan
  ) async throws -> (address: WebAddress?, waits: Instant?) {
    var (fill, part) = (plan.windows, unit)
    var waits: Instant?
    while let window = fill.next() {
      if let floor = fill.floor, window.to <= floor { continue }
      part.window = window
      let preview = try await preview(part, stream)
      var walker = walker(
        try StepBuilder(job: job, stream: plan.requested(stream, in: window), unit: part),
        preview.state,
        last: preview.last, lastWhole: preview.lastWhole, memory: preview.memory, isProofDue: false)
      var stored: [PageSummary] = []
      if case .resume(let pages, _) = preview.state { stored = pages }
      let canCut = fill.canCut(window)
      let judge = WindowPart(
        fill: fill, stream: stream, window: window, mayCut: canCut || Self.sharesEnd(stream))
      var certificate: Certificate?
      if case .absent(let until) = preview.state {
        // It says nothing of its neighbours.
        waits = min(waits ?? until, until)
      } else if let page = stored.first, judge.isTooWide(page.total, pages: nil) {
        certificate = judge.tooWide(walker, page.total)
      } else {
        switch walker.begin() {
        case .ask(let step): return (step.address, nil)
        case .conclude(let end): certificate = end
        }
      }
      let oldest = stored.compactMap(\.oldest).min()
      let found = certificate.map { judge.found($0, since: oldest) } ?? .nothing
      let isCut = judge.isCut(found)
      if case .tooMany = found, isCut, !canCut {
        let alone = try aloneBuilder(window, of: unit, stream)
        return (try alone.step(.page, ordinal: 1, at: alone.first).address, nil)
      }
      fill.concluded(window, found, isCut: isCut)
    }
    return (nil, waits)
  }

  private func preview(_ unit: Unit, _ stream: Stream) async throws -> UnitPreview {
    try await store?.preview(
      unit, stream, of: job.name, prints: prints(of: stream))
      ?? UnitPreview()
  }

  private func whole(_ unit: Unit, _ stream: Stream) async throws -> Plan.List {
    let preview = try await preview(unit, stream)
    var list = Plan.List(stream: stream, unit: unit, name: RecordStore.listName(stream, unit))
    list.lastVerdict = preview.last?.certificate.verdict
    if case .absent(let until) = preview.state {
      list.note = "was not found; it is requested again at \(until)"
      (list.requests, list.isExact) = (0, true)
      return list
    }
    let proof = try await proof(of: unit, stream)
    var walker = walker(
      try StepBuilder(job: job, stream: stream, unit: unit), preview.state,
      last: preview.last, lastWhole: preview.lastWhole, memory: preview.memory,
      isProofDue: proof.isDue)
    guard case .ask(let step) = walker.begin() else {
      list.note = "all its pages are here; the run certifies them"
      // Missing records are requested one by one.
      (list.requests, list.isExact) = (0, stream.confirmation == nil)
      return list
    }
    list.first = step.address
    if stream.pager == .single {
      (list.requests, list.isExact) = (1, stream.confirmation == nil)
      return list
    }
    // The length of a whole list says nothing of what is new, nor the reverse.
    let isOfNew = walker.handed.range != nil
    if isOfNew == preview.wasOfNew {
      list.requests = preview.lastPages.map {
        Self.requests(pages: $0, stream, isCapped: preview.last?.certificate.verdict == .limited)
      }
    } else if isOfNew {
      list.requests = 1
    }
    if case .resume(let pages, _) = preview.state, !walker.startsAgain {
      let page = pages.map(\.ordinal).max() ?? 0
      list.note = "resumes after page \(page)"
      list.requests = list.requests.map { max(1, $0 - page) }
    }
    if proof.isOfTwo, ProofOutlook(of: stream).proof == .twice {
      let pages = preview.lastPages ?? 0
      list.requests = list.requests.map { $0 + pages }
      list.note +=
        (list.note.isEmpty ? "" : "; ") + "read twice where once is not a proof"
    }
    return list
  }

  /// The pages of a list, and the looks that may prove it: page 1 again at the end, and the last page unless a total
  /// does better. A list that the API cuts, and a search, get none.
  private static func requests(pages: Int, _ stream: Stream, isCapped: Bool) -> Int {
    guard pages > 1, !isCapped, !stream.isSearch else { return pages }
    if case .offset = stream.pager { return pages }
    if [.counted, .steady].contains(stream.total?.trust) || pages == 2 { return pages + 1 }
    if VariedSizes.suit(stream), pages <= VariedSizes.pagesMax { return pages }
    let isToken = stream.pager.nextPage.map { $0.parameter != nil || $0.isState } ?? false
    return isToken ? pages : pages + 2
  }

  func resting(_ stream: Stream) -> String {
    let missing = lists.missing(stream)
    var needs: [String] = []
    if !missing.isEmpty {
      needs.append(missing.map { "--set \($0)=…" }.joined(separator: " "))
    }
    if lists.needsWindow(stream), !lists.beginsWithLastDay(stream), options.window == nil {
      needs.append("a range of time: trawl backfill \(job.word) --from … --to …")
    }
    return needs.isEmpty
      ? "idle, since the records that its values come from are not stored yet"
      : "idle, since it needs " + needs.joined(separator: ", and ")
  }
}
