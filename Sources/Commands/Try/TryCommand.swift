internal import Crawl
internal import Ledger
internal import Model
internal import Store
internal import Walk

/// `trawl try FILE`: the real engine on a scratch folder, one page of one list of each stream. Of the
/// data folder only the ledger is touched: these requests draw on the same quotas as those of runs.
struct TryCommand: Sendable {
  let context: CommandContext

  /// A look is not worth a longer wait.
  static let waitMax = Duration.seconds(15)
  static let triesMax = 3

  func perform() async throws -> ExitStatus {
    var selection = try JobSelection(context.invocation.operands[0], context)
    selection.options.command = "try"
    selection.options.pagesMax = 1
    selection.options.unitsMax = 1
    selection.options.fetchesImages = false
    selection.options.maxWait = Self.waitMax
    selection.options.triesMax = Self.triesMax
    let scratch = try ScratchSpace(context.environment)
    let folder = try DataFolder(creating: "\(scratch.path)/data")
    defer { withExtendedLifetime(scratch) {} }
    // A replay asks nobody, in a time of its own.
    let (ledger, isOfRuns) =
      selection.recording == nil
      ? context.ledgerOfRuns(else: scratch) : ("\(scratch.path)/ledger.db", false)
    let plan = Workplace.Plan(folder: folder, ledger: ledger, selection: selection)
    let (status, trouble) = try await Workplace.use(plan, context) { [selection] place in
      let facts = try await look(selection, place)
      return end(facts, countedIn: isOfRuns && !selection.job.quotas.isEmpty ? ledger : nil)
    }
    guard let trouble else { return status }
    trouble.tell(on: context.console)
    return ExitStatus.worst(of: [status, trouble.status])
  }

  private func look(
    _ selection: JobSelection, _ place: Workplace
  ) async throws -> RunFacts {
    let (store, wire) = (place.store, place.seams)
    let job = selection.job
    _ = try await store.adopt(job, context.environment)
    let exchange = WatchedExchange(wire.exchange)
    let parts = RunParts(
      job: job, options: selection.options, exchange: exchange, time: wire.time, store: store,
      ledger: place.ledger, content: nil, credential: selection.credential,
      account: selection.account,
      isInterrupted: { [interruption = context.interruption] in interruption?.isAsked ?? false },
      tell: { exchange.note($0) })
    let facts = await (try JobRun(parts)).execute()
    let plan = try await Plan(
      job: job, options: selection.options, store: store, time: context.time)
    for stream in job.streams where selection.options.streams.takes(stream.name) {
      var look = try await Look.back(stream, of: job, facts, exchange, store)
      if look.address == nil, look.note == nil {
        let part = plan.parts.first { $0.stream.name.utf8.elementsEqual(stream.name.utf8) }
        look.note = part.flatMap { $0.note.isEmpty ? nil : $0.note } ?? "was not requested"
      }
      show(look)
    }
    return facts
  }

  private func show(_ look: Look) {
    if context.invocation.has(.json) {
      context.console.printJSON(look.json)
    } else {
      LookText(console: context.console).print(look)
    }
  }

  private func end(_ facts: RunFacts, countedIn ledger: String?) -> ExitStatus {
    for warning in facts.warnings { context.console.warn("\(warning)") }
    let status = ExitStatus.worst(of: facts.outcome.kinds.map { ExitStatus($0) })
    if status != .complete, status != .less { context.console.fail("\(facts.outcome.sentence)") }
    context.console.tell("nothing was kept: this was a look at one page of each stream")
    if let ledger {
      context.console.tell(
        "\(Wording.count(facts.requests.sent, "request")) counted against the quotas in \(ledger)")
    }
    return status
  }
}
