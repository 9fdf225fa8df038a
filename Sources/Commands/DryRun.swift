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
        for entry in entries {
          let caps = Self.caps(entry, selection.job, trust)
          context.console.printJSON(Self.document(entry, selection.job, caps))
        }
        for quota in quotas(of: selection, entries, location) {
          context.console.printJSON(Self.document(quota, selection.job))
        }
      } else {
        print(entries, selection, trust)
        for quota in quotas(of: selection, entries, location) { print(quota, selection) }
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
      rows.add(entry.listName, Self.requests(entry), Self.cost(entry), what)
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
        $0.table == "\(job.tablePrefix)_\(stream.table)" && $0.listName == entry.listName
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

  /// One quota: what is left of it, and what this would take.
  private struct QuotaLine {
    var bucket: String
    var left: QuotaLedger.Left
    /// Of what is known beforehand; nil where that is nothing.
    var cost: Int?
    /// Nil also where the quota gives nothing to this spender.
    var days: Int?
  }

  private func quotas(
    of selection: JobSelection, _ entries: [RunPreview.Entry], _ location: DataLocation
  ) -> [QuotaLine] {
    do {
      let rules = try BucketRules(
        job: selection.job, account: selection.account, hasKey: selection.credential != nil)
      let asks = rules.all(at: context.time.now())
      let spender = selection.options.reserve.map { Spender.backfill(reserve: $0) } ?? .timer
      let left = try LedgerReading.left(
        in: asks, file: location.ledger, now: context.time.now(), for: spender)
      return zip(asks, left).map { ask, left in
        let cost = Self.cost(of: entries, in: ask.key.bucket)
        let pot = QuotaDays.DailyQuota(
          cost: 1, left: left.left, share: spender.share(of: left.allowed), length: ask.length)
        return QuotaLine(
          bucket: ask.key.bucket, left: left, cost: cost,
          days: cost.flatMap { QuotaDays(pots: [pot]).days(for: $0) })
      }
    } catch {
      context.console.warn("the quota is not told: \(String(describing: error))")
      return []
    }
  }

  private func print(_ quota: QuotaLine, _ selection: JobSelection) {
    var text =
      "  quota \(quota.bucket): \(Wording.number(quota.left.left)) of "
      + "\(Wording.number(quota.left.allowed)) left"
    if let at = quota.left.resetsAt, quota.left.left < quota.left.allowed {
      text += ", more at \(context.clock(at))"
    }
    if selection.options.reserve != nil { text += "; the rest is kept for the timer" }
    context.console.print(ConsoleText(text))
    if let cost = quota.cost {
      context.console.print(ConsoleText("    \(Self.costText(cost, quota))"))
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

  private static func costText(_ cost: Int, _ quota: QuotaLine) -> String {
    let text = "this takes about \(Wording.number(cost)) of it"
    switch quota.days {
    case nil: return "\(text), and it gives none"
    case 1?: return cost <= quota.left.left ? "\(text): today" : "\(text): today, with waits"
    case let days?: return "\(text): \(Wording.number(days)) days"
    }
  }

  private static func document(_ quota: QuotaLine, _ job: Job) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("job", job.name)
      out.member("quota", quota.bucket)
      out.member("left", quota.left.left)
      out.member("allowed", quota.left.allowed)
      out.member("resets_at", quota.left.resetsAt?.description)
      out.member("cost", quota.cost)
      out.member("days", quota.days)
    }
    return writer.bytes
  }

  private static func document(
    _ entry: RunPreview.Entry, _ job: Job, _ caps: [String]
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("job", job.name)
      out.member("stream", entry.stream)
      out.member("found_by", entry.listName)
      out.member("first_request", entry.first?.description)
      out.member("requests", entry.requests)
      out.object("spends") { out in
        for spend in entry.spends { out.member(spend.bucket, spend.cost) }
      }
      out.member("note", entry.note)
      out.array("caps") { out in
        for cap in caps { out.string(cap) }
      }
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
