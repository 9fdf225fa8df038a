public import Model
public import Store
internal import Walk

/// What a run would do, without doing any of it: nothing is asked and nothing is written.
public struct RunPreview: Sendable {
  /// One unit, or one child stream whose units are known only when its parents are.
  public struct Entry: Sendable {
    public var stream: String
    public var listName: String
    /// The first request, without a credential; nil where it is not known before the run.
    public var first: WebAddress?
    /// What one request costs, by bucket.
    public var spends: [(bucket: String, cost: Int)]
    /// Requests as far as the last run tells; nil: it is not known before page 1.
    public var requests: Int?
    /// In words: where it goes on, what it waits for.
    public var note: String
    /// Where a range of time is filled.
    public var survey: RangeSurvey?
    /// Windows that will be asked, as far as the density is known.
    public var windows: Int?
    /// Records that are expected.
    public var records: Int?
  }

  private let job: Job
  private let planner: UnitPlanner
  /// A preview without one tells nothing that depends on the time of day.
  private let now: Instant

  public init(job: Job, options: CrawlOptions, now: Instant = Instant(seconds: 0)) {
    self.job = job
    self.now = now
    planner = UnitPlanner(job: job, options: options)
  }

  /// In the order of the run.
  public func entries(_ store: RecordStore?) async throws -> [Entry] {
    // The lengths of earlier walks are known only to a store that adopted the job.
    var entries: [Entry] = []
    for stream in planner.order(lengths: [:]) where planner.isChosen(stream) {
      if let feed = stream.parent {
        entries.append(try await child(stream, feed, store))
        continue
      }
      let before = entries.count
      for unit in planner.lists(of: stream, values: try await values(stream, store)) {
        if let range = try await range(unit, stream, store) {
          entries.append(try await fill(stream, unit, range, store))
        } else if !planner.needsWindow(stream) {
          let builder = try StepBuilder(job: job, stream: stream, unit: unit)
          entries.append(
            try await entry(stream, UnitPlanner.Planned(unit: unit, builder: builder), store))
        }
      }
      if entries.count == before { entries.append(resting(stream)) }
    }
    return entries
  }

  /// The units whose values are known, without those of child streams.
  public func units(_ store: RecordStore?) async throws -> [(stream: Stream, unit: Unit)] {
    var found: [(stream: Stream, unit: Unit)] = []
    for stream in job.streams where planner.isChosen(stream) && stream.parent == nil {
      let planned = try planner.units(of: stream, values: try await values(stream, store))
      found += planned.map { (stream, $0.unit) }
    }
    return found
  }

  private func entry(
    _ stream: Stream, _ planned: UnitPlanner.Planned, _ store: RecordStore?
  ) async throws -> Entry {
    let walk = try await store?.previewWalk(planned.unit, of: job.name)
    var note = ""
    // A walk of more than one page reads the first again at its end.
    var requests = stream.pager == .single ? 1 : walk?.lastPages.map { $0 > 1 ? $0 + 1 : $0 }
    if let page = walk?.openAfterPage {
      note = "goes on behind page \(page)"
      requests = requests.map { max(1, $0 - page) }
    }
    return Entry(
      stream: stream.name, listName: RecordStore.listName(stream, planned.unit),
      first: try planned.builder.address(at: planned.builder.first), spends: spends(stream),
      requests: requests, note: note)
  }

  private func range(
    _ unit: Unit, _ stream: Stream, _ store: RecordStore?
  ) async throws -> TimeWindow? {
    guard stream.window != nil else { return nil }
    if let window = planner.options.window { return window }
    return try await planner.sinceLastEnd(unit, stream, store: store, now: now)
  }

  /// A range of time: its holes, and what they cost by what was learnt of the list.
  private func fill(
    _ stream: Stream, _ unit: Unit, _ range: TimeWindow, _ store: RecordStore?
  ) async throws -> Entry {
    let isBackfill = planner.options.window != nil
    let survey = try await RangeSurvey(
      job, stream, unit, range: range,
      again: planner.options.isRefill ? .olderMapping : isBackfill ? .nothing : .everything,
      store: store, now: now)
    let forecast = FillForecast(stream, holes: survey.holes, rate: survey.density)
    var fill = WindowFill(
      stream, holes: survey.holes, begun: survey.begun,
      order: isBackfill ? .newestFirst : .oldestFirst, rate: survey.density)
    var first: WebAddress?
    if let window = fill.next() {
      var part = unit
      part.window = window
      let builder = try StepBuilder(job: job, stream: stream, unit: part)
      first = try builder.address(at: builder.first)
    }
    let isKnown = survey.holes.isEmpty || forecast.records != nil
    return Entry(
      stream: stream.name, listName: RecordStore.listName(stream, unit), first: first,
      spends: spends(stream), requests: isKnown ? forecast.requests : nil, note: "",
      survey: survey, windows: isKnown ? forecast.windows : nil, records: forecast.records)
  }

  private func resting(_ stream: Stream) -> Entry {
    let ends = stream.window == nil ? [] : ["from", "to"].filter(stream.holes.contains)
    let missing = stream.holes.filter { !ends.contains($0) && (planner.given[$0] ?? []).isEmpty }
    var needs: [String] = []
    if !missing.isEmpty {
      needs.append(missing.map { "--set \($0)=…" }.joined(separator: " "))
    }
    if !ends.isEmpty, planner.options.window == nil {
      needs.append("a range of time: trawl backfill \(job.name) --from … --to …")
    }
    let note =
      needs.isEmpty
      ? "rests: what its values stand for is not stored yet"
      : "rests: it needs " + needs.joined(separator: ", and ")
    return Entry(
      stream: stream.name, listName: stream.name, first: nil, spends: spends(stream), requests: 0,
      note: note)
  }

  private func child(
    _ stream: Stream, _ feed: ParentFeed, _ store: RecordStore?
  ) async throws -> Entry {
    let what = feed.batch > 1 ? "for \(feed.batch) at once" : "for each"
    var note = "\(what) \(feed.stream).\(feed.column) that is due"
    var requests: Int?
    if let parent = job.stream(feed.stream), let store {
      let due = try await store.previewDue(
        stream.name, of: job.name, table: "\(job.tablePrefix)_\(parent.table)",
        column: feed.column)
      note += "; \(due) of those stored now"
      requests = stream.pager == .single ? (due + feed.batch - 1) / feed.batch : nil
    }
    return Entry(
      stream: stream.name, listName: stream.name, first: nil, spends: spends(stream),
      requests: requests, note: note)
  }

  private func spends(_ stream: Stream) -> [(bucket: String, cost: Int)] {
    job.buckets.compactMap { bucket in stream.spends[bucket.name].map { (bucket.name, $0) } }
  }

  private func values(
    _ stream: Stream, _ store: RecordStore?
  ) async throws -> [String: [String]] {
    var values: [String: [String]] = [:]
    for hole in stream.holes {
      var texts: [String] = []
      for given in planner.given[hole] ?? [] {
        switch GivenValue(given) {
        case .text(let text): texts.append(text)
        case .stored(let name, let column):
          guard let source = job.stream(name) else { continue }
          texts +=
            try await store?.previewValues(
              table: "\(job.tablePrefix)_\(source.table)",
              column: column ?? source.offered ?? source.key[0]) ?? []
        }
      }
      values[hole] = texts
    }
    return values
  }
}
