internal import Base
internal import Crawl
internal import Store

/// `trawl reset records|progress|coverage|waits JOB`: says what would be forgotten, asks for consent, forgets it.
struct ResetCommand: Sendable {
  let context: CommandContext

  private var invocation: Invocation { context.invocation }

  func perform() async throws -> ExitStatus {
    guard let what = invocation.action.flatMap({ Resetting(rawValue: $0) }) else {
      throw ExitReport(.usage, "say what to forget: records, progress, coverage or waits")
    }
    let job = try context.jobName(invocation.operands[0])
    let choice = try choice(what, job)
    let location = try context.locationForWriting()
    let folder = try DataFolder(withDatabase: location.folder, or: ": nothing to forget")
    if invocation.has(.dryRun) {
      let store = try await RecordStore.openForReading(folder, context.storeSettings)
      return try await context.use(store) {
        show(try await preview(what, job, choice, store), "would be forgotten")
        return .complete
      }
    }
    try SystemRuns(context: context).refuseReadOnly(folder)
    let lock = try await JobTurn(context: context).take(job, in: folder)
    defer { withExtendedLifetime(lock) {} }
    let store = try await RecordStore.open(folder, context.storeSettings)
    return try await context.use(store) { try await reset(what, job, choice, store) }
  }

  private func choice(_ what: Resetting, _ job: String) throws(ExitReport) -> ListChoice {
    let choice = ListChoice(streams: invocation.texts(.stream), values: invocation.settingsByName)
    if what == .records, !choice.isEverything {
      throw ExitReport(
        .usage, "records are forgotten for the whole job: one row may be in many lists",
        "without --stream and --set: trawl reset records \(job)")
    }
    return choice
  }

  /// What there is to forget; refuses names that are unknown.
  private func preview(
    _ what: Resetting, _ job: String, _ choice: ListChoice, _ store: RecordStore
  ) async throws -> Forgotten {
    try await store.require(job)
    let (streams, values) = (invocation.texts(.stream), invocation.settings.map(\.name))
    if !streams.isEmpty || !values.isEmpty {
      try context.refuseUnknown(
        streams: streams, values: values, of: try await store.overview(of: job))
    }
    var counts = try await store.resetPreview(what, of: job, choice)
    if what == .waits, let origin = try await origin(of: job, store) {
      let quotas = try await LedgerReading.quotas(
        of: origin, file: try context.locationForWriting().ledger, now: context.time.now())
      Self.add(waits: quotas.count { $0.blockedWhy != nil }, to: &counts)
    }
    return counts
  }

  private func reset(
    _ what: Resetting, _ job: String, _ choice: ListChoice, _ store: RecordStore
  ) async throws -> ExitStatus {
    let counts = try await preview(what, job, choice, store)
    // A job of which nothing else is left still has its origin.
    if counts.isNothing, what != .records {
      show(counts, "")
      return .complete
    }
    if !invocation.has(.yes) {
      show(counts, "will be forgotten")
      guard let reply = await context.ask("forget this? [y/N] ") else {
        throw ExitReport(
          .usage,
          "there is no terminal to confirm at: add --yes to forget it, or --dry-run to look first")
      }
      guard reply else {
        context.console.tell("nothing was forgotten")
        return .complete
      }
    }
    var gone = try await store.reset(what, of: job, choice)
    if what == .waits { Self.add(waits: try await endWaits(of: job, store), to: &gone) }
    context.tellDone { [gone] in
      show(gone, "forgotten")
      context.console.tell(Self.after(what, job))
    }
    return .complete
  }

  private func show(_ counts: Forgotten, _ what: String) {
    guard !counts.isNothing else {
      context.console.tell("there is nothing of that to forget")
      return
    }
    context.console.print(counts, what)
  }

  private static func after(_ what: Resetting, _ job: String) -> ConsoleText {
    switch what {
    case .records: "favorites, image files and reports stay; trawl run \(job) begins anew"
    case .progress: "rows and verdicts stay; the next run starts at page 1"
    case .coverage: "rows stay; the next run reads every list again"
    case .waits: "what was spent of the quotas stays spent; the next run requests again"
    }
  }

  // MARK: waits

  /// Ends those that the job's API demanded, for any key.
  private func endWaits(of job: String, _ store: RecordStore) async throws -> Int {
    let file = try context.locationForWriting().ledger
    // A ledger that no run has begun is not created.
    guard let origin = try await origin(of: job, store), LedgerReading.isBegun(file) else {
      return 0
    }
    let ledger = try await QuotaLedger.open(file: file, timekeeper: context.time)
    return try await closing({ await ledger.close() }) { try await ledger.endWaits(of: origin) }
  }

  private func origin(of job: String, _ store: RecordStore) async throws -> String? {
    try await store.jobs().first { $0.job.utf8.elementsEqual(job.utf8) }?.origin
  }

  private static func add(waits: Int, to counts: inout Forgotten) {
    counts.add(waits, "wait that the API asked for", "waits that the API asked for")
  }
}

extension Console {
  func print(_ forgotten: Forgotten, _ what: String) {
    print(ConsoleText("\(what):"))
    var rows = AlignedRows(rightAligned: [0])
    for line in forgotten.lines { rows.add(Wording.number(line.count), line.what) }
    print(rows)
  }
}
