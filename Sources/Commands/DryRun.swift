internal import Crawl
internal import JSON
internal import Ledger
internal import Model
internal import Report
internal import Store

/// `--dry-run`: units, first requests and cost. Asks nothing, writes nothing, makes no folder.
struct DryRun: Sendable {
  let context: CommandContext

  func show(_ selections: [JobSelection]) async throws -> ExitStatus {
    let location = try context.locationForReading()
    let store = try await context.storeForReading(location)
    for selection in selections {
      let entries = try await RunPreview(
        job: selection.job, options: selection.options, now: context.time.now()
      ).entries(store)
      let trust = try await store?.trust(job: selection.job.name) ?? []
      if context.invocation.has(.json) {
        for entry in entries { context.console.printJSON(Self.document(entry, selection.job)) }
      } else {
        print(entries, selection, trust)
        print(quotasOf: selection, entries, location)
      }
    }
    await store?.close()
    context.console.tell("dry run: nothing was asked and nothing was written")
    return .complete
  }

  private func print(
    _ entries: [RunPreview.Entry], _ selection: JobSelection, _ trust: [TrustRow]
  ) {
    let job = selection.job
    var head: ConsoleText = "\(job.name, .bold)  \(job.base)"
    if !selection.note.isEmpty { head += "  \(selection.note)" }
    context.console.print(head)
    if let window = selection.options.window {
      context.console.print("  from \(window.from) to \(window.to)")
    }
    var rows = AlignedRows()
    rows.add(["unit", "requests", "cost of one", "first request"].map { ConsoleText($0, .dim) })
    for entry in entries {
      let what = entry.first?.description ?? entry.note
      rows.add(entry.foundBy, Self.requests(entry), Self.cost(entry), what)
      if entry.first != nil, !entry.note.isEmpty { rows.add("", "", "", entry.note) }
      for line in FillTexts(entry)?.lines ?? Self.caps(entry, selection.job, trust) {
        rows.add("", "", "", line)
      }
    }
    // Whole lines: a note that is cut off does not tell what to do.
    for line in rows.lines() { context.console.print(line) }
  }

  /// A list that ended at its cap when it was read last will end there again.
  private static func caps(
    _ entry: RunPreview.Entry, _ job: Job, _ trust: [TrustRow]
  ) -> [String] {
    guard let stream = job.stream(entry.stream), let cap = stream.cap,
      let row = trust.first(where: {
        $0.table == "\(job.tablePrefix)_\(stream.table)" && $0.foundBy == entry.foundBy
      }), row.verdict == Verdict.capped.rawValue
    else { return [] }
    let cure =
      stream.window == nil || cap.expected != nil
      ? "" : "; trawl backfill \(job.name) --from DATE goes round it"
    return ["the API's cap of \(Wording.number(cap.at)) will end it, as it did before\(cure)"]
  }

  private static func requests(_ entry: RunPreview.Entry) -> String {
    guard let requests = entry.requests else { return "not known yet" }
    return entry.first == nil || requests <= 1
      ? Wording.number(requests) : "about \(Wording.number(requests))"
  }

  private static func cost(_ entry: RunPreview.Entry) -> String {
    entry.spends.isEmpty
      ? "no quota" : entry.spends.map { "\($0.cost) \($0.bucket)" }.joined(separator: ", ")
  }

  private func print(
    quotasOf selection: JobSelection, _ entries: [RunPreview.Entry], _ location: DataLocation
  ) {
    do {
      let rules = try BucketRules(
        job: selection.job, account: selection.account, hasKey: selection.credential != nil)
      let asks = rules.all(at: context.time.now())
      let left = try LedgerReading.left(
        in: asks, file: location.ledger, now: context.time.now(),
        for: selection.options.reserve.map { .backfill(reserve: $0) } ?? .timer)
      for (ask, left) in zip(asks, left) {
        var text =
          "  quota \(ask.key.bucket): \(Wording.number(left.left)) of "
          + "\(Wording.number(left.allowed)) left"
        if let at = left.resetsAt, left.left < left.allowed {
          text += ", more at \(context.clock(at))"
        }
        if selection.options.reserve != nil { text += "; the rest is kept for the timer" }
        context.console.print(ConsoleText(text))
        if let cost = Self.cost(of: entries, in: ask.key.bucket) {
          context.console.print(ConsoleText("    \(costText(cost, ask, left, selection))"))
        }
      }
    } catch {
      context.console.warn("the quota is not told: \(String(describing: error))")
    }
  }

  /// Of what is known beforehand; nil where that is nothing.
  private static func cost(of entries: [RunPreview.Entry], in bucket: String) -> Int? {
    let costs = entries.compactMap { entry -> Int? in
      guard let requests = entry.requests,
        let cost = entry.spends.first(where: { $0.bucket == bucket })?.cost
      else { return nil }
      let (product, isHuge) = requests.multipliedReportingOverflow(by: cost)
      return isHuge ? nil : product
    }
    guard !costs.isEmpty else { return nil }
    return costs.reduce(0) { $0 > Int.max / 2 ? $0 : $0 + $1 }
  }

  private func costText(
    _ cost: Int, _ ask: BucketAsk, _ left: QuotaLedger.Left, _ selection: JobSelection
  ) -> String {
    let spender = selection.options.reserve.map { Spender.backfill(reserve: $0) } ?? .timer
    let pot = QuotaDays.Pot(
      cost: 1, left: left.left, share: spender.share(of: left.allowed), length: ask.length)
    let text = "this takes about \(Wording.number(cost)) of it"
    switch QuotaDays(pots: [pot]).days(for: cost) {
    case nil: return "\(text), and it gives none"
    case 1?: return cost <= left.left ? "\(text): today" : "\(text): today, with waits"
    case let days?: return "\(text): \(Wording.number(days)) days"
    }
  }

  private static func document(_ entry: RunPreview.Entry, _ job: Job) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("job", job.name)
      out.member("stream", entry.stream)
      out.member("found_by", entry.foundBy)
      out.member("first_request", entry.first?.description)
      out.member("requests", entry.requests)
      out.object("spends") { out in
        for spend in entry.spends { out.member(spend.bucket, spend.cost) }
      }
      out.member("note", entry.note)
      if let survey = entry.survey {
        out.member("from", survey.range.from.description)
        out.member("to", survey.range.to.description)
        out.member("windows", entry.windows)
        out.member("records", entry.records)
        out.array("holes") { out in
          for hole in survey.holes { CoverageJSON.write(hole, to: &out) }
        }
      }
    }
    return writer.bytes
  }
}
