internal import Base
internal import Crawl
internal import Store

/// Page 1 of one list of each stream, read by the real engine into a scratch folder: shown by `trawl try`, judged by
/// `trawl check`. Of the data folder only the ledger is written: these requests use the same quotas as runs.
struct PageOne: Sendable {
  var looks: [Look] = []
  var facts: RunFacts
  /// To the first request, whatever its stream.
  var firstAnswer: Answer?
  /// The ledger that counts the requests, if it is that of runs.
  var ledger: String?
  /// What is wrong with a recording.
  var trouble: ExitReport?

  /// A look is not worth a longer wait.
  static let waitMax = Duration.seconds(15)
  static let triesMax = 3
  /// For page 1 of all streams together.
  static let timeMax = Duration.seconds(120)

  /// - Parameter isCheck: of a stream with several lists two are requested, of which the first with records is shown, of
  ///   a list by time a window, and of a list that has one page a second one.
  static func look(
    _ selection: JobSelection, _ context: CommandContext, isCheck: Bool = false
  ) async throws -> PageOne {
    var selection = selection
    selection.options.command = "try"
    selection.options.pagesMax = 1
    // So the latest answer belongs to the list that began last.
    selection.options.isOneAtATime = true
    selection.options.unitsMax = isCheck ? 2 : 1
    selection.options.fetchesImages = false
    selection.options.maxWait = Self.waitMax
    selection.options.triesMax = Self.triesMax
    selection.options.maxTime = Self.timeMax
    let scratch = try ScratchSpace(context.environment)
    let folder = try DataFolder(creating: "\(scratch.path)/data")
    defer { withExtendedLifetime(scratch) {} }
    // A replay sends no requests and has its own clock.
    let (ledger, isOfRuns) =
      selection.recording == nil
      ? context.ledgerOfRuns(else: scratch) : ("\(scratch.path)/ledger.db", false)
    var (page, trouble) = try await Workplace.use(folder, ledger: ledger, selection, context) {
      [selection] place in try await look(selection, place, context, isCheck: isCheck)
    }
    page.ledger = isOfRuns && !selection.job.quotas.isEmpty ? ledger : nil
    page.trouble = trouble
    return page
  }

  private static func look(
    _ selection: JobSelection, _ place: Workplace, _ context: CommandContext, isCheck: Bool
  ) async throws -> PageOne {
    let (store, wire) = (place.store, place.seams)
    let job = selection.job
    // Nothing is stored yet, and some streams need records of others.
    var selection = selection
    let shown = selection.options.streams
    selection.options.streams = ListPlanner(job: job, options: selection.options).withParents(shown)
    _ = try await store.adopt(job, context.environment)
    let exchange = WatchedExchange(wire.exchange)
    let parts = RunParts(
      job: job, options: selection.options, exchange: exchange, time: wire.time, store: store,
      ledger: place.ledger, content: nil, credential: selection.credential,
      account: selection.account,
      isInterrupted: { [interruption = context.interruption] in interruption?.isAsked ?? false },
      tell: { exchange.note($0) })
    var page = PageOne(facts: await (try JobRun(parts)).execute())
    let plan = try await Plan(
      job: job, options: selection.options, store: store, time: context.time)
    let equal = try await store.equalAnswers(of: job, job.streams.filter { shown.takes($0.name) })
    for stream in job.streams where shown.takes(stream.name) {
      var look = try await Look.back(stream, of: job, page.facts, exchange, store)
      look.slips += plan.parts.compactMap { $0.stream.name == stream.name ? $0.lack : nil }
      look.slips += equal.compactMap { $0.stream == stream.name ? $0.sentence : nil }
      if look.address == nil, look.note == nil {
        let part = plan.parts.first { $0.stream.name.utf8.elementsEqual(stream.name.utf8) }
        look.note = part.flatMap { $0.note.isEmpty ? nil : $0.note } ?? Look.notRequested
      }
      page.looks.append(look)
    }
    for index in page.looks.indices {
      if let slip = SharedTable.slip(index, in: page.looks) { page.looks[index].slips.append(slip) }
    }
    if isCheck {
      var further = FurtherRequests(parts)
      for index in page.looks.indices {
        let look = page.looks[index]
        page.looks[index].slips += [
          await further.secondPage(of: look), await further.falseEnd(of: look),
        ].compactMap(\.self)
      }
      if job.streams.contains(where: { $0.window != nil }) {
        let now = wire.time.now()
        // Page 1 has covered its time, which a run would not request again.
        _ = try await store.reset(.coverage, of: job.name)
        _ = try await store.adopt(job, context.environment)
        for index in page.looks.indices {
          if let slip = await further.window(of: page.looks[index], now: now) {
            page.looks[index].slips.append(slip)
          }
        }
      }
      page.facts.requests.sent += further.sent
    }
    page.firstAnswer = exchange.firstAnswer
    return page
  }

  /// How the run behind it ended.
  var status: ExitStatus { ExitStatus.worst(of: facts.outcome.kinds.map { ExitStatus($0) }) }

  /// Says where the requests were counted, for users who watch a quota.
  func tellCount(on console: Console) {
    guard let ledger else { return }
    console.tell(
      "\(Wording.count(facts.requests.sent, "request")) counted against the quotas in \(ledger)")
  }
}
