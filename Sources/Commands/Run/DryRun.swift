internal import Base
internal import Crawl
internal import Store
internal import Walk

/// `--dry-run`: the plan of a run, for people or programs. Requests nothing, writes nothing, creates no folder.
struct DryRun: Sendable {
  let context: CommandContext

  /// Lists of one stream that are shown one by one; the others are summed up.
  private static let shownMax = 20

  func show(_ selections: [JobSelection]) async throws -> ExitStatus {
    let location = try context.locationForReading()
    let store = try await context.storeForReading(location)
    for selection in selections {
      let plan = try await Plan(
        job: selection.job, options: selection.options, store: store, time: context.time)
      let quotas = await quotas(of: selection, plan, location)
      if context.invocation.has(.json) {
        for part in plan.parts {
          for list in part.lists {
            context.console.printJSON(Self.document(part, list, plan))
          }
          if !Self.note(part).isEmpty { context.console.printJSON(Self.document(part, nil, plan)) }
        }
        for quota in quotas { context.console.printJSON(Self.document(quota, plan.job)) }
      } else {
        print(plan, selection)
        for quota in quotas { print(quota, selection) }
      }
    }
    await store?.close()
    context.console.tell("dry run: nothing was requested and nothing was written")
    return .complete
  }

  private func print(_ plan: Plan, _ selection: JobSelection) {
    let job = selection.job
    var head: ConsoleText = "\(job.name, .bold)  \(job.base)"
    if !selection.note.isEmpty { head += "  \(selection.note)" }
    context.console.print(head)
    if let window = selection.options.window {
      context.console.print("  from \(window.from) to \(window.to)")
    }
    var rows = AlignedRows()
    rows.add(["list", "requests", "cost of one", "first request"].map { ConsoleText($0, .dim) })
    for part in plan.parts { Self.add(part, plan, to: &rows) }
    // Whole lines: a truncated note does not say what to do.
    context.console.printWhole(rows)
  }

  /// As a user would write it; the body is in the job file.
  private static func request(of list: Plan.List) -> String? {
    list.first.map { list.stream.body == nil ? $0.description : "POST \($0)" }
  }

  private static func add(_ part: Plan.Part, _ plan: Plan, to rows: inout AlignedRows) {
    let cost = cost(part.stream, plan)
    let isSummed = part.lists.count > shownMax
    if isSummed {
      let first = part.lists.lazy.compactMap { Self.request(of: $0) }.first ?? ""
      let name = "\(part.stream.name): \(Wording.number(part.lists.count)) lists"
      rows.add(name, sum(part.lists), cost, first)
    }
    for list in part.lists where !isSummed {
      let what = Self.request(of: list) ?? list.note
      rows.add(list.name, count(list), cost, what)
      if list.first != nil, !list.note.isEmpty { rows.add("", "", "", list.note) }
      for line in list.range.map({ FillTexts(plan: $0).lines }) ?? caps(list, plan.job) {
        rows.add("", "", "", line)
      }
    }
    if let questions = Plan.questions(of: part.stream), !part.lists.isEmpty {
      rows.add("", "", "", questions)
    }
    let note = note(part)
    if note.isEmpty { return }
    if part.lists.isEmpty {
      rows.add(part.stream.name, part.isOpen ? "not known yet" : "0", cost, note)
    } else {
      // The lists are in the lines above.
      rows.add("", "", "", note + (part.isOpen ? "; the run may find more" : ""))
    }
  }

  /// Includes records for which nothing is ever requested.
  private static func note(_ part: Plan.Part) -> String {
    ([part.note].filter { !$0.isEmpty } + (part.lack.map { [$0] } ?? [])).joined(separator: "; ")
  }

  private static func count(_ list: Plan.List) -> String {
    guard let requests = list.requests else { return "not known yet" }
    return list.isExact || requests <= 1
      ? Wording.number(requests) : "about \(Wording.number(requests))"
  }

  private static func sum(_ lists: [Plan.List]) -> String {
    let known = lists.reduce(0) { $0 + ($1.requests ?? 1) }
    if lists.contains(where: { $0.requests == nil }) { return "\(Wording.number(known)) or more" }
    let isExact = lists.allSatisfy(\.isExact)
    return isExact ? Wording.number(known) : "about \(Wording.number(known))"
  }

  /// A list that ended at its cap last time will do so again.
  private static func caps(_ list: Plan.List, _ job: Job) -> [String] {
    guard let cap = list.stream.cap, list.lastVerdict == .limited else { return [] }
    let cure =
      list.stream.window == nil || cap.expected != nil
      ? "" : "; to get past it: trawl backfill \(job.name) --from DATE"
    return ["the API's cap of \(Wording.number(cap.at)) will end it, as it did before\(cure)"]
  }

  private static func cost(_ stream: Stream, _ plan: Plan) -> String {
    let spends = plan.spends(stream)
    return spends.isEmpty
      ? "no quota" : spends.map { "\($0.cost) \($0.quota)" }.joined(separator: ", ")
  }

  /// A quota: what is left, and what this run would use.
  private struct QuotaLine {
    var name: String
    var left: QuotaLedger.Left
    /// Of known requests; nil if there are none.
    var cost: Int?
    /// Nil also if the quota gives this spender nothing.
    var days: Int?
    /// The length of some lists is unknown.
    var isLeast: Bool
  }

  private func quotas(
    of selection: JobSelection, _ plan: Plan, _ location: DataLocation
  ) async -> [QuotaLine] {
    do {
      let rules = try JobQuotas(
        job: selection.job, account: selection.account, hasKey: selection.credential != nil,
        reserve: selection.options.reserve)
      let asks = rules.all(at: context.time.now())
      let spender = selection.options.reserve.map { Spender.backfill(reserve: $0) } ?? .timer
      let left = try await LedgerReading.left(
        in: asks, file: location.ledger, now: context.time.now(), for: spender)
      return zip(asks, left).map { ask, left in
        let cost = plan.cost(in: ask.key.name)
        return QuotaLine(
          name: ask.key.name, left: left, cost: cost,
          days: cost.flatMap { ask.days($0, left, for: spender) },
          isLeast: plan.parts.contains { part in
            part.stream.spends[ask.key.name] != nil
              && (part.isOpen || part.lists.contains { $0.requests == nil })
          })
      }
    } catch {
      context.console.warn("the quota cannot be shown: \(String(describing: error))")
      return []
    }
  }

  private func print(_ quota: QuotaLine, _ selection: JobSelection) {
    var text =
      "  quota \(quota.name): \(Wording.number(quota.left.left)) of "
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

  private static func costText(_ cost: Int, _ quota: QuotaLine) -> String {
    let text =
      "this takes \(quota.isLeast ? "at least" : "about") \(Wording.number(cost)) of it"
    let orLonger = quota.isLeast ? ", or longer" : ""
    switch quota.days {
    case nil: return "\(text), and it gives none"
    case 1? where cost > quota.left.left: return "\(text): today, with waits\(orLonger)"
    case 1?: return quota.isLeast ? text : "\(text): today"
    case let days?: return "\(text): \(Wording.number(days)) days\(orLonger)"
    }
  }

  private static func document(_ quota: QuotaLine, _ job: Job) -> JSONObject {
    [
      "job": job.name, "quota": quota.name, "left": quota.left.left,
      "allowed": quota.left.allowed, "resets_at": quota.left.resetsAt?.description,
      "at_least": quota.isLeast, "cost": quota.cost, "days": quota.days,
    ]
  }

  /// One list, or without one what is said of the stream.
  private static func document(_ part: Plan.Part, _ list: Plan.List?, _ plan: Plan) -> JSONObject {
    var object: JSONObject = [
      "job": plan.job.name, "stream": part.stream.name, "list": list?.name ?? part.stream.name,
      "first_request": list?.first?.description,
      "requests": list.map(\.requests) ?? (part.isOpen ? nil : 0),
      "exact": list?.isExact ?? false,
      "spends": JSONObject(plan.spends(part.stream).map { ($0.quota, $0.cost) }),
      "questions_max": Plan.questionsMax(of: part.stream), "note": list?.note ?? note(part),
      "caps": list.map { caps($0, plan.job) } ?? [],
    ]
    if list == nil { object.members.append(("due", part.due)) }
    if let range = list?.range {
      object.members += [
        ("from", range.survey.range.from.description), ("to", range.survey.range.to.description),
        ("windows", range.forecast?.windows), ("records", range.forecast?.records),
        ("holes", range.holes),
      ]
    }
    return object
  }
}
