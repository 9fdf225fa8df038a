public import Base

/// Finds the secret of a job and ensures that it goes to its own origin only.
///
/// Sources, in order: systemd's credentials folder, the environment variable that the job names, the user's key folder.
/// The first that has it decides, even if it must be refused.
public struct SecretSource: Sendable {
  let credentialsFolder: String?
  let keyFolder: String?
  /// Where a service may write, for successors of rotating secrets.
  var stateFolder: String?
  /// Runs a program of a person's settings: what it printed, or why it printed nothing. Nil: none is run.
  var program: (@Sendable ([String]) -> Result<[UInt8], SecretKeepingProblem>)?
  let variables: @Sendable (String) -> String?

  /// A secret, and who may see it.
  static let fileBytesMax = Secret.bytesMax + 1_024

  /// A built-in job owns the names of its secret: they are bound to its origin.
  struct Owner: Sendable, Equatable {
    let secret: String
    let variable: String?
    let origin: Origin
  }

  /// Computed when the first secret is looked up.
  static let owners: [Owner] = BuiltInJobs.all.flatMap { file -> [Owner] in
    // Tests validate these files; an invalid one owns nothing.
    guard let root = try? JSON5Reader.read(file.text),
      // As above.
      let base = root.text("base", .base), let origin = try? WebAddress(base).origin,
      let auth = JobReader(root: root, file: file.name, complaints: Complaints()).authentication()
    else { return [] }
    return auth.all.flatMap(\.secrets).map {
      Owner(secret: $0.name, variable: $0.environment, origin: origin)
    }
  }

  /// The secret for a run of the job. `endpoint` is the target of its requests if not its base (which may already be
  /// set to it); `alsoTo` are the origins of `--send-key-to`.
  public func find(
    for job: Job, endpoint: Origin? = nil, alsoTo: Set<Origin> = []
  ) -> SecretOutcome {
    guard let auth = job.authentication else { return .notNeeded }
    let target = endpoint ?? job.base.origin
    if target.isLoopback && !alsoTo.contains(target) { return .notRead }
    var joined: (credential: Credential, places: [String])?
    // A secret for a token comes first: the others are sent as they are.
    for one in auth.all.filter({ $0.token != nil }) + auth.all.filter({ $0.token == nil }) {
      let outcome =
        one.token.map { token(of: one, $0, for: job, target, alsoTo) }
        ?? find(one, for: job, target, alsoTo)
      // All or nothing.
      guard case .found(let credential, let place) = outcome else { return outcome }
      if joined == nil {
        joined = (credential, [place])
      } else {
        joined?.credential.others.append(Credential.Part(credential.place, credential.secret))
        joined?.credential.origins.formIntersection(credential.origins)
        joined?.places.append(place)
      }
    }
    guard let joined else { return .notNeeded }
    return .found(joined.credential, place: joined.places.joined(separator: ", "))
  }

  private func find(
    _ auth: Authentication, for job: Job, _ target: Origin, _ alsoTo: Set<Origin>
  ) -> SecretOutcome {
    let secret = auth.secrets[0]
    guard let found = first(secret, of: job) else {
      return missing(secret, isOptional: auth.isOptional, job, target)
    }
    return plain(found, secret, at: auth.place, for: job, target, alsoTo)
  }

  /// A secret that requests carry themselves.
  func plain(
    _ found: Found, _ secret: NamedSecret, at place: Credential.Place, for job: Job,
    _ target: Origin, _ alsoTo: Set<Origin>
  ) -> SecretOutcome {
    let (text, bond): (Secret, KeyBond)
    do {
      (text, bond) = try checked(found, secret, job, KeyBond(target), KeyBond(job.home), alsoTo)
    } catch { return .refused(error.description) }
    if target.scheme == "http" && !alsoTo.contains(target) {
      return .refused(
        "the secret \"\(secret.name)\" would travel unencrypted to \(target); to allow that:"
          + " --send-key-to \(target)")
    }
    return .found(
      Credential(place: place, secret: text, origins: alsoTo.union([bond.origin])),
      place: found.place)
  }

  /// A secret that exists, valid or not, and where.
  struct Found {
    let text: Result<KeyText.Parts, SecretKeepingProblem>
    let place: String
    var variable: String?
    /// It is in the user's own folder.
    var isInKeyFolder = false
    /// The user's settings assign it to this job, whatever its name.
    var isOfSettings = false

    /// Stored as a secret that requests carry themselves.
    var isForRequests: Bool {
      guard case .success(let parts) = text, let bond = parts.bond else { return false }
      return bond.tokensFor == nil
    }

    var isGivenForJob: Bool { variable != nil || isOfSettings }
  }

  func first(_ secret: NamedSecret, of job: Job) -> Found? {
    if let words = job.hooks.secrets[secret.name] { return printed(by: words) }
    if let folder = credentialsFolder {
      for name in [secret.name, "keys_\(secret.name)"] {
        if let found = file("\(folder)/\(name)") { return found }
      }
    }
    // An empty variable counts as unset: shells unset one for a command like this.
    if let name = secret.environment, let value = variables(name), !value.isEmpty {
      let text = Result { () throws(SecretKeepingProblem) in
        KeyText.Parts(secret: try KeyText.secret(KeyText.trimmed(Array(value.utf8))))
      }
      return Found(text: text, place: "$\(name)", variable: name)
    }
    guard let folder = keyFolder,
      var found = file("\(folder)/\(secret.name)", in: folder)
    else { return nil }
    found.isInKeyFolder = true
    return found
  }

  private func printed(by words: [String]) -> Found {
    let text = Result { () throws(SecretKeepingProblem) in
      guard let program else { throw SecretKeepingProblem("it was not run") }
      return KeyText.Parts(secret: try KeyText.secret(KeyText.trimmed(try program(words).get())))
    }
    return Found(text: text, place: "the program \(words.first ?? "")", isOfSettings: true)
  }

  /// - Parameter folder: the user's own; only the user may write there, and read the file.
  func file(_ path: String, in folder: String? = nil) -> Found? {
    let text: Result<KeyText.Parts, SecretKeepingProblem>
    switch FileText.read(path, bytesMax: Self.fileBytesMax) {
    case .none: return nil
    case .unreadable(let why): text = .failure(SecretKeepingProblem(why))
    case .bytes(let bytes, let mode, _):
      text = Result { () throws(SecretKeepingProblem) in
        if folder != nil, !KeyFolder.isPrivate(mode) {
          let shown = String(mode & 0o777, radix: 8)
          throw SecretKeepingProblem(
            "others can read it (mode 0\(shown)); run: chmod 600 \(ShellWord.quoted(path))")
        }
        if let why = folder.flatMap(KeyFolder.openness) { throw SecretKeepingProblem(why) }
        return try KeyText.read(bytes)
      }
    }
    return Found(text: text, place: path)
  }

  /// The origin of the built-in job that owns the name under which the secret was found.
  func owner(of secret: NamedSecret, _ found: Found) -> Origin? {
    if found.isOfSettings { return nil }
    return Self.owners.first {
      if let variable = found.variable { $0.variable == variable } else { $0.secret == secret.name }
    }?.origin
  }

  func missing(
    _ secret: NamedSecret, isOptional: Bool, _ job: Job, _ target: Origin, byLogin: Bool = false
  ) -> SecretOutcome {
    let page = secret.page.map { "get one at \($0), then run" } ?? "if you have one, run"
    let wish =
      byLogin
      ? "a login at \(target): run" : "a secret for \(target) (\"\(secret.name)\"): \(page)"
    let sentence =
      "the job \(job.name) \(isOptional ? "can use" : "needs") \(wish): trawl key \(job.word)"
    return isOptional ? .without(sentence) : .missing(sentence)
  }
}

extension SecretSource {
  /// From an environment: `$CREDENTIALS_DIRECTORY`, variables, `~/.config/trawl/keys`.
  public init(
    environment: @escaping @Sendable (String) -> String?, keyFolder: String? = nil,
    program: (@Sendable ([String]) -> Result<[UInt8], SecretKeepingProblem>)? = nil
  ) {
    self.init(
      credentialsFolder: environment("CREDENTIALS_DIRECTORY"),
      keyFolder: keyFolder ?? ConfigurationFolder.path(environment).map { "\($0)/keys" },
      stateFolder: environment("STATE_DIRECTORY").flatMap { folders in
        folders.split(separator: ":").first.map { "\($0)/keys" }
      },
      program: program, variables: environment)
  }
}

/// The result of looking for a job's secret.
public enum SecretOutcome: Sendable {
  /// The job needs none.
  case notNeeded
  /// Requests go to this machine: none was looked for.
  case notRead
  /// The secret, and where it was found.
  case found(Credential, place: String)
  /// The job works without; the sentence says how to get one.
  case without(String)
  /// The job needs one; the sentence says how to get it. Exit 77.
  case missing(String)
  /// It must not be used like this. Exit 77.
  case refused(String)
}
