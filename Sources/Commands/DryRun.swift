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
      let entries = try await RunPreview(job: selection.job, options: selection.options)
        .entries(store)
      if context.invocation.has(.json) {
        for entry in entries { context.console.printJSON(Self.document(entry, selection.job)) }
      } else {
        print(entries, selection)
        print(quotasOf: selection, location)
      }
    }
    await store?.close()
    context.console.tell("dry run: nothing was asked and nothing was written")
    return .complete
  }

  private func print(_ entries: [RunPreview.Entry], _ selection: JobSelection) {
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
    }
    // Whole lines: a note that is cut off does not tell what to do.
    for line in rows.lines() { context.console.print(line) }
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

  private func print(quotasOf selection: JobSelection, _ location: DataLocation) {
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
      }
    } catch {
      context.console.warn("the quota is not told: \(String(describing: error))")
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
    }
    return writer.bytes
  }
}
