internal import Base
internal import Crawl
internal import Jobs
internal import Store
internal import Walk

/// One job before its first run: file, tables, secret, and page 1 of each stream. Writes nothing except its requests to
/// the ledger, if a run has created one.
struct JobCheck: Sendable {
  let context: CommandContext
  let word: String

  func perform() async throws -> ExitStatus {
    var job: Job
    do throws(ExitReport) {
      job = try JobSelection.load(word, context.environment)
        .filling(context.invocation.settingsByName)
    } catch {
      var list = FindingList(word, context)
      list.show(mistakes ?? Self.problems(error).map { .problem("job file", $0, error.status) })
      return list.status
    }
    var list = FindingList(job.name, context)
    list.show(
      [Self.file(job)] + Self.unused(job) + (TermsPeriod.unkept(of: job).map { [$0] } ?? []))
    list.show(await tables(job))
    list.show(job.streams.map(Self.proof))
    list.show(await QuotaCheck(context: context, job: job).findings())
    let values = await aim(&job)
    let (credential, found) = Self.secret(of: job, context)
    let isAimed = job.texts.lack == nil || job.authentication == nil
    let secret = isAimed ? found : .note("secret", "is for a server that is not known yet")
    if context.invocation.has(.offline) {
      // Offline, a missing key is no problem: files may be checked for others.
      list.show(values + [secret.level == .problem ? .note("secret", secret.text) : secret])
      return list.status
    }
    let isReady =
      !list.hasProblem && secret.level != .problem && values.allSatisfy { $0.level != .problem }
    // What a stream lacks is shown if page 1 is not requested.
    list.show((isReady ? [] : values) + [secret])
    if job.texts.lack != nil { return list.status }
    if isReady {
      list.show(await PageOneCheck(context: context, word: word, job: job).findings())
    } else {
      list.show(await EndpointCheck(context: context, job: job, credential: credential).findings())
    }
    return list.status
  }

  /// Each mistake in the file with its place; nil: the text of the file is not at fault.
  private var mistakes: [Finding]? {
    do throws(JobLoadError) {
      _ = try context.environment.library.job(word)
      return nil
    } catch {
      guard case .invalid(let found) = error else { return nil }
      return found.problems.map { mistake in
        var finding = Finding.problem("job file", mistake.description, .configuration)
        finding.mistake = mistake
        return finding
      }
    }
  }

  /// Without the heading that precedes several problems.
  static func problems(_ ending: ExitReport) -> ArraySlice<String> {
    ending.lines.count > 1 ? ending.lines.dropFirst() : ending.lines[...]
  }

  private static func file(_ job: Job) -> Finding {
    let streams = job.streams.map(\.name).joined(separator: ", ")
    return .fine("job file", "\(job.source): \(streams)")
  }

  private static func unused(_ job: Job) -> [Finding] {
    job.unusedParameters.map { one in
      .note(
        "params", "nothing uses \"\(one.name)\": --set \(one.name)=… changes no request",
        cure: "write \"{\(one.name)}\" where a request takes it, or remove it")
    }
  }

  /// What the verdicts of its lists will rest on.
  private static func proof(_ stream: Stream) -> Finding {
    let outlook = ProofOutlook(of: stream)
    let questions = Plan.questions(of: stream).map { "; \($0)" } ?? ""
    let text = "\(stream.name): \(outlook.text)\(questions)"
    return outlook.proof == nil ? .note("proof", text) : .fine("proof", text)
  }

  /// Creates the tables in a scratch database, which also proves every SQL expression.
  private func tables(_ job: Job) async -> [Finding] {
    do {
      let scratch = try ScratchSpace(context.environment)
      defer { withExtendedLifetime(scratch) {} }
      let store = try await RecordStore.open(
        try DataFolder(creating: scratch.path), context.storeSettings)
      try await context.use(store) { _ = try await store.adopt(job, context.environment) }
      return await beside(job)
    } catch {
      return [.problem("tables", "\(error)", ExitReport(error)?.status ?? .configuration)]
    }
  }

  /// Checks the job's tables against those of the data folder.
  private func beside(_ job: Job) async -> [Finding] {
    do {
      guard let store = try await context.storeForReading(try context.locationForReading()) else {
        return []
      }
      return try await context.use(store) {
        try await store.checkNames(of: job, context.environment)
        return try await store.unreadSigns(of: job).map { Self.unread(of: $0.stream, $0.signs) }
          // For lists by values page 1 of two of them shows this.
          + (try await store.equalAnswers(of: job, job.streams.filter { $0.parent != nil })
            .map { .note("last run", "\($0.stream): \($0.sentence)") })
          + (try await store.overview(of: job.name)).flatMap { Self.left(by: $0.lists) }
      }
    } catch let error as StoreError where error.kind == .job {
      return [.problem("tables", "\(error)", .configuration)]
    } catch {
      // Problems of the database itself are not this job's.
      return [
        .note("tables", "the database could not be read: \(error)", cure: "trawl check examines it")
      ]
    }
  }

  /// What answers of its runs said of more pages that the job does not read.
  private static func unread(of stream: String, _ signs: [UnreadSign]) -> Finding {
    let told = signs.map { "\($0.place) (\($0.kind.words))" }.joined(separator: ", ")
    let names = signs.map { quoted($0.written) }.joined(separator: ", ")
    return .note(
      "unread", "\(stream): its answers also have \(told)",
      cure:
        "declare it under pages or total; or, where it says nothing of more, unread: [\(names)]")
  }

  private static let shownMax = 3

  /// How lists ended where page 1 alone shows nothing: their sentences name what the job file lacks.
  private static func left(by lists: [ListOverview]) -> [Finding] {
    let told = lists.filter { list in
      list.verdict == Verdict.failed.rawValue || list.cause == Shortfall.unread.rawValue
        || list.verdict == Verdict.unproven.rawValue && list.rule == .errorMeansEnd
    }
    // cut: a line says how many more there are, and the report has them all
    let shown = told.prefix(shownMax).map {
      Finding.note("last run", "\($0.listName): \($0.verdict): \($0.why)")
    }
    let others = told.count - shown.count
    return others == 0
      ? shown
      : shown + [.note("last run", "and \(Wording.count(others, "more list")): trawl report")]
  }

  /// As in a job file: a path may contain double quotes.
  private static func quoted(_ place: String) -> String {
    place.utf8.contains(UInt8(ascii: "\"")) ? "'\(place)'" : "\"\(place)\""
  }

  /// Applies `--endpoint` and `--set`, checked as by a run.
  private func aim(_ job: inout Job) async -> [Finding] {
    do {
      let options = try JobSelection.options(for: job, context.invocation)
      if let text = context.invocation.text(.endpoint) {
        job.base = try JobSelection.endpoint(text)
      }
      if let lack = job.texts.lack {
        let isForOthers = context.invocation.has(.offline)
        return [isForOthers ? .note("values", lack) : .problem("values", lack, .usage)]
      }
      try ListPlanner(job: job, options: options).check()
      return try await Plan.idle(job: job, options: options, store: nil, time: context.time)
        .map { .note("values", "\($0.stream.name) is \($0.needs)") }
    } catch let problem as StepProblem {
      return [.problem("values", problem.sentence, .usage)]
    } catch {
      let report = ExitReport(error) ?? ExitReport(.bug, "\(error)")
      return report.lines.map { .problem("values", $0, report.status) }
    }
  }

  /// Whether there is a secret, and its source; never its value.
  static func secret(of job: Job, _ context: CommandContext) -> (Credential?, Finding) {
    let alsoTo = JobSelection.origins(context.invocation)
    let isOffline = context.invocation.has(.offline)
    let source = SecretSource(
      environment: context.environment.callAsFunction,
      program: isOffline ? nil : SecretProgram.run)
    switch source.find(for: job, endpoint: job.base.origin, alsoTo: alsoTo) {
    case .notNeeded: return (nil, .fine("secret", "none is needed"))
    case .notRead:
      return (
        nil,
        .note(
          "secret", "none is read for \(job.base.origin), this machine itself",
          cure: "to send it there: --send-key-to \(job.base.origin)")
      )
    case .found(let credential, let place):
      let origins = credential.origins.map(\.description).sorted().joined(separator: ", ")
      guard let grant = credential.grant else {
        return (credential, .fine("secret", "there, from \(place), for \(origins) alone"))
      }
      let next = grant.keeper.map { "; the next one is kept in \($0.place)" } ?? ""
      return (
        credential,
        .fine(
          "secret",
          "there, from \(place), for \(grant.address.origin) alone; tokens go to \(origins) alone\(next)"
        )
      )
    case .without(let sentence): return (nil, .note("secret", sentence))
    case .missing(let sentence), .refused(let sentence):
      return (nil, .problem("secret", sentence, .secret))
    }
  }
}

/// A period in a job's terms, such as "after 30 days", that nothing in the job enforces.
enum TermsPeriod {
  private static let units: Set<Substring> = [
    "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years",
  ]

  /// Nil: the terms name none, or each table forgets records that are not seen again.
  static func unkept(of job: Job) -> Finding? {
    guard let period = job.terms.flatMap(period) else { return nil }
    let open = job.streams.filter { $0.retain == nil }.map(\.name)
    guard !open.isEmpty else { return nil }
    let what = open.count == job.streams.count ? "the job" : open.joined(separator: ", ")
    return .note(
      "terms", "they name a period (\(period)), and of \(what) nothing is ever forgotten",
      cure: "retain: \"30d\" forgets what is not seen again; when: \"stale 7d\" requests it again")
  }

  /// `30 days`.
  private static func period(_ terms: String) -> String? {
    let words = terms.split { " ,.;:()".contains($0) }
    for (number, unit) in zip(words, words.dropFirst())
    where units.contains(unit) && number.utf8.allSatisfy({ (48...57).contains($0) }) {
      return "\(number) \(unit)"
    }
    return nil
  }
}
