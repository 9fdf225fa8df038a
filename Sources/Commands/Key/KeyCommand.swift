internal import Glibc
internal import Base
internal import Crawl
internal import Jobs
internal import Store
internal import Walk

/// `trawl key JOB`: reads the job's key without echo, or lets the user log in. Stores it bound to its origin and never
/// shows it. Nothing is stored before everything is there.
struct KeyCommand: Sendable {
  let context: CommandContext

  /// Read by `LoadCredential=` of the units.
  private static let systemKeys = "/etc/trawl/keys"

  private struct Wanted {
    var secret: NamedSecret
    var bond: KeyBond
    var rotates: Bool
  }

  private var isForSystem: Bool { context.invocation.isForSystem }

  func perform() async throws -> ExitStatus {
    var job = try JobSelection.load(context.invocation.operands[0], context.environment)
    guard let auth = job.authentication else {
      throw ExitReport(
        .configuration, "the job \(job.name) declares no key (auth), and sends none")
    }
    if let text = context.invocation.text(.endpoint) {
      job.base = try JobSelection.endpoint(text)
    } else if let lack = job.texts.lack {
      throw ExitReport(.usage, lack, "or --endpoint URL")
    }
    let wanted = auth.all.flatMap { one in
      one.secrets.map {
        Wanted(
          secret: $0, bond: Self.bond(of: one, job), rotates: one.token?.rotates($0.hole) ?? false)
      }
    }
    let folder = try folder(wanted[0].secret, job)
    let login = try login(of: job)
    let origins = wanted.flatMap { [$0.bond.origin, $0.bond.tokensFor].compactMap { $0 } }
    if let here = origins.first(where: \.isLoopback) {
      context.console.warn(
        "on \(here), this machine itself, a key is read only with --send-key-to \(here)")
    }
    do {
      // Secrets that a login needs are typed once; the one that it returns never.
      var given = try await typed(wanted.filter { login?.spares($0.secret) != true })
      if let login, let brought = wanted.first(where: { $0.secret == login.brings }) {
        given.append(try await perform(login, given, as: brought, job))
      }
      for (one, secret) in given { try await keep(secret, as: one, in: folder, of: job) }
    } catch is CancellationError {
      // The process ends by the signal.
      context.console.tell("stopped: nothing was changed")
      return .complete
    }
    if context.invocation.has(.sameAccount) { try await expectSameAccount(job) }
    let how = isForSystem ? "sudo trawl --system" : "trawl"
    let word = ShellWord.quoted(context.invocation.operands[0])
    let also = origins.first(where: \.isLoopback).map { " --send-key-to \($0)" } ?? ""
    let aim = context.invocation.text(.endpoint).map { " --endpoint \($0)" } ?? ""
    context.console.tell("to see whether it works: \(how) check \(word)\(aim)\(also)")
    return .complete
  }

  /// Without earlier requests there is no account to compare with.
  private func expectSameAccount(_ job: Job) async throws {
    let location = try context.locationForWriting()
    guard let folder = DataFolder(withDatabase: location.folder) else { return }
    let store = try await RecordStore.open(folder, context.storeSettings)
    try await context.use(store) { try await store.expectSameAsker(of: job.name) }
  }

  /// Secrets that requests carry are bound to the API, those that obtain tokens to the token server.
  private static func bond(of auth: Authentication, _ job: Job) -> KeyBond {
    let origin = job.base.origin
    guard let token = auth.token else { return KeyBond(origin) }
    let address = token.place.hasPrefix("/") ? nil : token.address(behind: job.base)
    return KeyBond(address?.origin ?? origin, tokensFor: origin)
  }

  // MARK: a login

  private func login(of job: Job) throws(ExitReport) -> SecretSource.Login? {
    let source = SecretSource(
      environment: context.environment.callAsFunction,
      keyFolder: isForSystem ? Self.systemKeys : nil, program: SecretProgram.run)
    let login: SecretSource.Login?
    do throws(SecretKeepingProblem) { login = try source.login(for: job) } catch {
      throw ExitReport(.secret, "\(error)", "nothing was requested")
    }
    if context.invocation.has(.noBrowser), login?.terms.grant != .browser {
      throw ExitReport(.usage, "--no-browser is for a job whose login has grant: \"browser\"")
    }
    return login
  }

  /// - Returns: the secret from the login, and what to keep it as.
  private func perform(
    _ login: SecretSource.Login, _ given: [(Wanted, Secret)], as wanted: Wanted, _ job: Job
  ) async throws -> (Wanted, Secret) {
    var (login, kept) = (login, wanted)
    for (one, secret) in given where login.missing.contains(one.secret) {
      login.grant.secrets[one.secret.hole] = secret
    }
    for place in login.places {
      context.console.tell("goes on with \(place); where that is wrong, remove it and log in again")
    }
    let session = KeyLogin(context: context, job: job, login: login)
    let token = try await context.endingAtSignal { try await session.perform() }
    if let successor = token.successor { return (kept, successor) }
    kept.bond = KeyBond(job.base.origin)
    let end = token.life.map { "ends at \(context.clock(context.time.now() + $0))" }
    let why =
      "\(login.grant.address.origin) gave no refresh token: this login \(end ?? "ends when the API says so")"
      + " and cannot be renewed; then run again: trawl key \(ShellWord.quoted(context.invocation.operands[0]))"
    context.console.warn("\(why)")
    return (kept, token.secret)
  }

  // MARK: input

  /// Typed, or piped from a program: several keys one a line, in the job file's order.
  private func typed(_ wanted: [Wanted]) async throws -> [(Wanted, Secret)] {
    let isTerminal = isatty(STDIN_FILENO) == 1
    var lines: [[UInt8]] = []
    if !isTerminal, wanted.count > 1 {
      lines = (await context.typed("") ?? []).split(separator: UInt8(ascii: "\n")).map(Array.init)
      guard lines.count == wanted.count else {
        throw ExitReport(
          .secret,
          "\(wanted.count) keys are due, one a line, and \(lines.count) came; nothing was changed")
      }
    }
    var given: [(Wanted, Secret)] = []
    for (index, one) in wanted.enumerated() {
      if isTerminal, let page = one.secret.page { context.console.tell("get one at \(page)") }
      let name = wanted.count > 1 ? "key \"\(one.secret.name)\"" : "key"
      let typed =
        lines.isEmpty
        ? await context.typed("\(name) for \(one.bond) (typing is hidden): ") : lines[index]
      guard let typed, !typed.isEmpty else {
        throw ExitReport(
          .secret, "no key was given; nothing was changed",
          isTerminal ? "paste it, then press Enter" : "the input was empty or too long")
      }
      do { given.append((one, try KeyFolder.secret(typed))) } catch {
        throw ExitReport(.secret, "\(error)")
      }
    }
    return given
  }

  // MARK: storage

  /// How often to check whether a run has finished with a rotating secret.
  private static let turn = Duration.milliseconds(100)

  private func keep(
    _ secret: Secret, as one: Wanted, in folder: String, of job: Job
  ) async throws {
    let keys = KeyFolder(path: folder)
    let faults = context.faults
    faults.reach(.beforeSecretKept)
    do {
      // Keys that units pass to services are used up in the services' own folders.
      if one.rotates, !isForSystem {
        while try !keys.keep(next: secret, named: one.secret.name, for: one.bond) {
          try await context.time.sleep(Self.turn)
        }
      } else {
        try keys.keep(secret.reveal(), named: one.secret.name, for: one.bond)
      }
    } catch {
      let isInWriting = (error as? SecretKeepingProblem)?.isInWriting == true
      throw ExitReport(isInWriting ? .cannotWrite : .cannotCreate, "\(error)")
    }
    faults.reach(.afterSecretKept)
    let readers =
      isForSystem ? "only root can read it; each run gets a copy" : "only you can read it"
    let use = one.bond.tokensFor.map { ", to request tokens of \($0)" } ?? ""
    context.console.tell(
      "kept in \(folder)/\(one.secret.name) (\(readers)), for \(one.bond.origin) alone\(use)")
    if !isForSystem { tellShadow(one.secret) }
    if job.hooks.secrets[one.secret.name] != nil {
      context.console.warn(
        "\(job.source) names a program for \"\(one.secret.name)\", which takes precedence over the key that was kept"
      )
    }
  }

  /// The user's own key folder, or the one that units pass to services.
  private func folder(_ secret: NamedSecret, _ job: Job) throws(ExitReport) -> String {
    if isForSystem {
      try SystemCommand.requireRoot(context)
      return Self.systemKeys
    }
    guard let folder = ConfigurationFolder.path({ context.environment($0) }) else {
      throw ExitReport(
        .configuration, "there is no HOME to keep a key in",
        "set HOME"
          + (secret.environment.map {
            ", or give the key for one command: \($0)=… trawl run \(job.word)"
          } ?? ""))
    }
    return "\(folder)/keys"
  }

  /// Environment variables take precedence over the folder: the new key would not be used.
  private func tellShadow(_ secret: NamedSecret) {
    guard let name = secret.environment, context.environment(name) != nil else { return }
    context.console.warn(
      "$\(name) is set and takes precedence: unset it to use the key that was kept")
  }
}
