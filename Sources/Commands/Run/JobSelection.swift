internal import Base
internal import Crawl
internal import Jobs
internal import Transport
internal import Walk

/// A job as this command line wants it: found, with its parameters, endpoint and secret. All is checked here, before a
/// folder is created or a byte sent.
struct JobSelection: Sendable {
  var job: Job
  var options: CrawlOptions
  var credential: Credential?
  /// Identifies the quota's owner without revealing the secret.
  var account: String
  /// What is said of the key at the start.
  var note: String
  /// The key's source, if it takes precedence over a stored key.
  var keySource: String?
  let issuers: TrustedIssuers
  /// Answers instead of the network.
  var recording: ReplayFile?

  init(_ word: String, _ context: CommandContext) throws(ExitReport) {
    let (invocation, environment) = (context.invocation, context.environment)
    job = try Self.load(word, environment)
    let endpoint = try invocation.text(.endpoint).map(Self.endpoint)
    issuers = try context.issuers(for: endpoint ?? job.base)
    options = try Self.options(for: job, invocation)
    job = job.filling(options.values)
    if invocation.has(.record) || invocation.has(.replay) {
      // One at a time: of two images with the same bytes the first is the new one, and retries draw their waits from
      // one sequence.
      options.isOneAtATime = true
      options.imagesAtOnce = 1
    }
    if let folder = invocation.text(.replay) {
      let recording = try ReplayFile("\(folder)/\(job.name)")
      self.recording = recording
      job.base = recording.base
      // The recorded run's key counts for quotas; nothing is sent, so no key is read.
      credential = recording.head.hasKey ? Self.standIn(for: job) : nil
      account = RunParts.replay
      note = "a replay: nothing is requested"
      return
    }
    if let endpoint {
      job.base = endpoint
      if job.base.origin.isLoopback { options.allowsLoopback = true }
    }
    if let lack = job.texts.lack { throw ExitReport(.usage, lack) }
    if let clock = invocation.clock(.until) {
      options.until = NextClock.instant(
        hour: clock.hour, minute: clock.minute, after: context.time.now())
    }
    if job.base.origin.isLoopback { job.quotas.removeAll(where: \.isCourtesy) }
    if invocation.has(.allowLoopback) { options.allowsLoopback = true }
    do {
      try ListPlanner(job: job, options: options).check()
    } catch {
      throw ExitReport(.usage, error.sentence)
    }
    (credential, note, keySource) = try Self.secret(for: job, invocation, environment)
    account = Self.account(of: job, using: credential)
  }

  /// For a replay: no secret, but requests for a token if the recorded run made some.
  private static func standIn(for job: Job) -> Credential? {
    guard let auth = job.authentication else { return nil }
    let token = auth.all.first { $0.token != nil }
    var credential = Credential(
      place: (token ?? auth).place, secret: Secret("-"), origins: [job.base.origin])
    guard let request = token?.token, let address = request.address(behind: job.base) else {
      return credential
    }
    let secrets = request.secrets.map { ($0.hole, Secret("-")) }
    credential.grant = TokenGrant(
      request, at: address, secrets: Dictionary(secrets, uniquingKeysWith: { one, _ in one }))
    return credential
  }

  static func load(_ word: String, _ environment: Environment) throws(ExitReport) -> Job {
    do {
      return try environment.library.job(word)
    } catch { throw ending(error) }
  }

  static func ending(_ error: JobLoadError) -> ExitReport {
    switch error {
    case .notFound(let sentence): ExitReport(.usage, sentence)
    case .unreadable(let sentence): ExitReport(.configuration, sentence)
    case .invalid(let problems):
      // Each on a line that an editor can jump to.
      ExitReport(
        .configuration,
        lines: ["\(problems.problems[0].file) cannot be used; nothing was requested"]
          + problems.problems.map(\.description))
    }
  }

  /// How often a backfill walks a list that changes meanwhile.
  static let backfillPassesMax = 4

  static func options(for job: Job, _ invocation: Invocation) throws(ExitReport) -> CrawlOptions {
    var options = CrawlOptions()
    options.command = invocation.command.rawValue
    for (name, values) in invocation.settings {
      for value in values {
        if let problem = job.problem(setting: name, to: value) { throw ExitReport(.usage, problem) }
      }
      options.values[name] = values
    }
    options.streams = invocation.texts(.stream)
    for name in options.streams where job.stream(name) == nil {
      throw ExitReport(
        .usage,
        "the job \(job.name) has no stream \"\(name)\""
          + Suggestion.clauseOrList(for: name, in: job.streams.map(\.name)))
    }
    if let wait = invocation.duration(.maxWait) { options.maxWait = wait }
    options.maxRequests = invocation.count(.maxRequests)
    options.maxTime = invocation.duration(.maxTime)
    options.acceptedVanish = invocation.count(.acceptVanish)
    options.acceptedEmpty = invocation.texts(.acceptEmpty)
    if invocation.command == .backfill { options.passesMax = Self.backfillPassesMax }
    options.imagesEndWithWalk = invocation.text(.images) == "later"
    options.isRefill = invocation.has(.refill)
    options.isProof = invocation.has(.again)
    return options
  }

  static func endpoint(_ text: String) throws(ExitReport) -> WebAddress {
    // That it is an address is known from the command line.
    guard let address = try? WebAddress(text), address.query == nil else {
      // Not repeated: a query may hold a key.
      throw ExitReport(
        .usage, "--endpoint takes an address such as https://api.example.com/v1, without a query")
    }
    return address
  }

  /// The origins of `--send-key-to`.
  static func origins(_ invocation: Invocation) -> Set<Origin> {
    // That each is an address is known from the command line, too.
    Set(invocation.texts(.sendKeyTo).compactMap { try? WebAddress($0).origin })
  }

  private static func secret(
    for job: Job, _ invocation: Invocation, _ environment: Environment
  ) throws(ExitReport) -> (Credential?, note: String, source: String?) {
    let source = SecretSource(environment: { environment($0) }, program: SecretProgram.run)
    switch source.find(for: job, endpoint: job.base.origin, alsoTo: origins(invocation)) {
    case .notNeeded: return (nil, "", nil)
    case .notRead:
      let quota = Self.quota(of: job, hasKey: false).map { "; without one \($0)" } ?? ""
      return (
        nil,
        "this machine itself: no secret is read; to send it there: --send-key-to \(job.base.origin)\(quota)",
        nil
      )
    case .found(let credential, let place):
      let quota = Self.quota(of: job, hasKey: true).map { ": \($0)" } ?? ""
      return (credential, "key from \(place)\(quota)", place.hasPrefix("/") ? nil : place)
    case .without(let sentence):
      guard let without = Self.quota(of: job, hasKey: false),
        let with = Self.quota(of: job, hasKey: true)
      else { return (nil, sentence, nil) }
      return (nil, "no key: \(without); with one \(with): trawl key \(job.word)", nil)
    case .missing(let sentence), .refused(let sentence):
      // A dry run sends nothing.
      if invocation.has(.dryRun) { return (nil, "a run ends here with 77: \(sentence)", nil) }
      throw ExitReport(.secret, sentence)
    }
  }

  /// `60 requests an hour`: the first quota that is larger with a key.
  private static func quota(of job: Job, hasKey: Bool) -> String? {
    for quota in job.quotas {
      guard let without = quota.allowWithoutKey, case .rolling(let length) = quota.window else {
        continue
      }
      let requests = Wording.count(hasKey ? quota.allow : without, "request")
      return "\(requests) \(Wording.rate(length))"
    }
    return nil
  }

  /// The account whose quota a run of the job would use now, without secrets.
  static func account(of job: Job, _ environment: Environment) -> (name: String, hasKey: Bool) {
    // No program is run for a mere question.
    if let name = programs(of: job) { return (job.account ?? name, true) }
    let source = SecretSource(environment: { environment($0) })
    var credential: Credential?
    if case .found(let found, _) = source.find(for: job, endpoint: job.base.origin) {
      credential = found
    }
    return (account(of: job, using: credential), credential != nil)
  }

  /// The account whose quota a request with this credential uses.
  static func account(of job: Job, using credential: Credential?) -> String {
    job.account ?? credential.flatMap { _ in programs(of: job) }
      ?? fingerprint(of: credential, for: job.base.origin)
  }

  /// For secrets that programs print: the programs identify the account, so that none has to run.
  private static func programs(of job: Job) -> String? {
    guard !job.hooks.secrets.isEmpty else { return nil }
    var digest = Digest64()
    digest.addField("programs of \(job.base.origin)")
    for (name, words) in job.hooks.secrets.sorted(by: { $0.key < $1.key }) {
      digest.addField(name)
      for word in words { digest.addField(word) }
    }
    return "key \(String(digest.value, radix: 16))"
  }

  /// Identifies an account in the ledger: a digest with the origin that reveals no key.
  private static func fingerprint(of credential: Credential?, for origin: Origin) -> String {
    guard let credential else { return RunParts.nobody }
    var digest = Digest64()
    digest.addField("account of \(origin)")
    for secret in credential.grant?.lasting ?? [] { digest.addField(secret.reveal()) }
    for part in credential.parts { digest.addField(part.secret.reveal()) }
    return "key \(String(digest.value, radix: 16))"
  }
}
