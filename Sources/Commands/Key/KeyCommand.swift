internal import Glibc
internal import Base
internal import Jobs
internal import Store

/// `trawl key JOB`: reads the job's key unseen, keeps it bound to its origin, and never shows it.
struct KeyCommand: Sendable {
  let context: CommandContext
  var input: Int32 = 0
  /// What `LoadCredential=` of the units reads.
  var systemKeys = "/etc/trawl/keys"

  private var isForSystem: Bool { context.invocation.isForSystem }

  func perform() async throws -> ExitStatus {
    let job = try JobSelection.load(context.invocation.operands[0], context.environment)
    guard let auth = job.authentication else {
      throw ExitReport(
        .configuration, "the job \(job.name) declares no key (auth), and sends none")
    }
    let origin = try origin(of: job)
    let wanted = auth.all.flatMap { one in
      one.secrets.map { ($0, Self.bond(of: one, job, origin)) }
    }
    let origins = wanted.flatMap { [$0.1.origin, $0.1.tokensFor].compactMap { $0 } }
    if let here = origins.first(where: \.isLoopback) {
      context.console.warn(
        "on \(here), this machine itself, a key is read only with --send-key-to \(here)")
    }
    let piped = try await piped(wanted.count)
    for (index, (secret, bond)) in wanted.enumerated() {
      try await keep(
        secret, index, of: job, for: bond, isOneOfSeveral: wanted.count > 1, piped: piped?[index])
    }
    if context.invocation.has(.sameAccount) { try await expectSameAccount(job) }
    let how = isForSystem ? "sudo trawl --system" : "trawl"
    let also = origins.first(where: \.isLoopback).map { " --send-key-to \($0)" } ?? ""
    context.console.tell(
      "to see whether it works: \(how) check \(context.invocation.operands[0])\(also)")
    return .complete
  }

  /// A folder in which nothing was asked yet has nobody to compare with.
  private func expectSameAccount(_ job: Job) async throws {
    let location = try context.locationForWriting()
    guard let folder = try? DataFolder(existing: location.folder),  // no folder: nobody asked
      folder.hasDatabase
    else { return }
    let store = try await RecordStore.open(folder, context.storeSettings)
    try await context.use(store) { try await store.expectSameAsker(of: job.name) }
  }

  /// What requests carry themselves is for the API; what tokens are requested with, for whoever gives them.
  private static func bond(of auth: Authentication, _ job: Job, _ origin: Origin) -> KeyBond {
    guard let token = auth.token else { return KeyBond(origin) }
    let address = token.place.hasPrefix("/") ? nil : token.address(behind: job.base)
    return KeyBond(address?.origin ?? origin, tokensFor: origin)
  }

  /// Several keys that come from another program: one a line, in the order of the job file.
  private func piped(_ count: Int) async throws(ExitReport) -> [[UInt8]]? {
    guard count > 1, isatty(input) != 1 else { return nil }
    let all = await TerminalLine(descriptor: input).read(
      prompt: "", isHidden: true, interruption: context.interruption)
    let lines = (all ?? []).split(separator: UInt8(ascii: "\n")).map(Array.init)
    guard lines.count == count else {
      throw ExitReport(
        .secret, "\(count) keys are due, one a line, and \(lines.count) came; nothing was changed")
    }
    return lines
  }

  private func keep(
    _ secret: NamedSecret, _ index: Int, of job: Job, for bond: KeyBond, isOneOfSeveral: Bool,
    piped: [UInt8]?
  ) async throws {
    let folder = try folder(secret, job)
    let isTerminal = isatty(input) == 1
    if isTerminal, let page = secret.page {
      context.console.tell("get one at \(page)")
    }
    let name = isOneOfSeveral ? "key \"\(secret.name)\"" : "key"
    var typed = piped
    if piped == nil {
      typed = await TerminalLine(descriptor: input).read(
        prompt: "\(name) for \(bond) (typing is hidden): ", isHidden: true,
        interruption: context.interruption)
    }
    guard let typed, !typed.isEmpty else {
      throw ExitReport(
        .secret,
        "no key was given; " + (index == 0 ? "nothing was changed" : "those before it are kept"),
        isTerminal ? "paste it, then press Enter" : "the input was empty or too long")
    }
    let kept: String
    do {
      kept = try KeyFolder(path: folder).keep(
        String(decoding: typed, as: UTF8.self), named: secret.name, for: bond)
    } catch {
      let isRefused = error.description.hasPrefix("the secret")
      throw ExitReport(isRefused ? .secret : .cannotCreate, "\(error)")
    }
    let readers =
      isForSystem ? "only root can read it; each run gets a copy" : "only you can read it"
    let use = bond.tokensFor.map { ", to request tokens of \($0)" } ?? ""
    context.console.tell("kept in \(kept) (\(readers)), for \(bond.origin) alone\(use)")
    if !isForSystem { tellShadow(secret) }
    if job.hooks.secrets[secret.name] != nil {
      context.console.warn(
        "\(job.source) names a program for \"\(secret.name)\", which takes precedence over the key that was kept"
      )
    }
  }

  /// The person's own keys, or those that the units hand to services.
  private func folder(_ secret: NamedSecret, _ job: Job) throws(ExitReport) -> String {
    if isForSystem {
      try SystemCommand.requireRoot(context)
      return systemKeys
    }
    guard let folder = ConfigurationFolder.path({ context.environment($0) }) else {
      throw ExitReport(
        .configuration, "there is no HOME to keep a key in",
        "set HOME, or give the key for one command: \(secret.environment ?? "NAME")=… trawl run "
          + job.name)
    }
    return "\(folder)/keys"
  }

  private func origin(of job: Job) throws(ExitReport) -> Origin {
    guard let text = context.invocation.text(.endpoint) else {
      if let lack = job.texts.lack { throw ExitReport(.usage, lack, "or --endpoint URL") }
      return job.base.origin
    }
    guard let origin = try? WebAddress(text).origin else {  // told with the right form
      throw ExitReport(.usage, "--endpoint \(text) is no http or https URL")
    }
    return origin
  }

  /// An environment variable comes before the folder: the new key would not be used.
  private func tellShadow(_ secret: NamedSecret) {
    guard let name = secret.environment, context.environment(name) != nil else { return }
    context.console.warn(
      "$\(name) is set and takes precedence: unset it to use the key that was kept")
  }
}
