internal import JSON
public import Model

/// Finds the secret of a job, and sees to it that it goes to its own origin only.
///
/// Sources, in order: the folder that systemd gives to a service, the environment variable that the
/// job names, the user's key folder. The first that has it decides, also when it must be refused.
public struct SecretSource: Sendable {
  let credentialsFolder: String?
  let variables: @Sendable (String) -> String?
  let keyFolder: String?
  let owners: [Owner]

  /// A job that ships with Trawl has a claim on the names of its secret.
  struct Owner: Sendable, Equatable {
    let secret: String
    let variable: String?
    let origin: Origin
  }

  /// Folder paths and variables come as values; the names that built-in jobs declare are bound to
  /// the origins of those jobs.
  public init(
    credentialsFolder: String?, keyFolder: String?,
    variables: @escaping @Sendable (String) -> String?
  ) {
    self.credentialsFolder = credentialsFolder
    self.keyFolder = keyFolder
    self.variables = variables
    owners = Self.builtInOwners
  }

  /// As an environment has it: `$CREDENTIALS_DIRECTORY`, the variables, `~/.config/trawl/keys`.
  public init(environment: @escaping @Sendable (String) -> String?) {
    self.init(
      credentialsFolder: environment("CREDENTIALS_DIRECTORY"),
      keyFolder: ConfigurationFolder.path(environment).map { "\($0)/keys" },
      variables: environment)
  }

  private static let builtInOwners: [Owner] = BuiltInJobs.all.compactMap { file in
    // Their files are tested to be sound; one that is not has no claim. Two keys of each are enough.
    guard let root = try? JSON5Reader.read(file.text),
      // As above.
      let base = root.text("base", .base), let origin = try? WebAddress(base).origin,
      let auth = JobReader(root: root, file: file.name, complaints: Complaints()).authentication()
    else { return nil }
    return Owner(secret: auth.secret, variable: auth.environment, origin: origin)
  }

  /// The secret for a run of the job. `endpoint` is where its requests go, if not to its base (which
  /// may have been set to one already); `alsoTo` are the origins of `--send-key-to`.
  public func find(
    for job: Job, endpoint: Origin? = nil, alsoTo: Set<Origin> = []
  ) -> SecretOutcome {
    guard let auth = job.authentication else { return .notNeeded }
    let target = endpoint ?? job.base.origin
    if target.isLoopback && !alsoTo.contains(target) { return .notRead }
    var joined: (credential: Credential, places: [String])?
    for one in auth.all {
      // All of them, or none.
      guard case .found(let credential, let place) = find(one, for: job, target, alsoTo) else {
        return find(one, for: job, target, alsoTo)
      }
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
    guard let found = first(auth) else { return missing(auth, job, target) }
    let parts: KeyText.Parts
    switch found.text {
    case .failure(let problem):
      return .refused(
        "the secret \"\(auth.secret)\" (\(found.place)) is refused: \(problem.message)")
    case .success(let read): parts = read
    }
    // Where a person's value is a part of the server's name, a person has confirmed the whole of it.
    if job.texts.base != nil, parts.origin == nil, found.variable == nil, !alsoTo.contains(target) {
      return .refused(
        "the secret \"\(auth.secret)\" (\(found.place)) does not say which server it is for; to bind it to"
          + " \(target): trawl key \(job.name)")
    }
    let bound = parts.origin ?? owner(of: auth, found) ?? job.home
    let allowed = alsoTo.union([bound])
    guard allowed.contains(target) else {
      return .refused(
        "the secret \"\(auth.secret)\" (\(found.place)) is for \(bound), and the job \(job.name)"
          + " would send it to \(target); to allow that: --send-key-to \(target)")
    }
    if target.scheme == "http" && !alsoTo.contains(target) {
      return .refused(
        "the secret \"\(auth.secret)\" would travel unencrypted to \(target); to allow that:"
          + " --send-key-to \(target)")
    }
    let credential = Credential(place: auth.place, secret: parts.secret, origins: allowed)
    return .found(credential, place: found.place)
  }

  /// A secret that was there, sound or not, and where.
  private struct Found {
    let text: Result<KeyText.Parts, KeyText.Problem>
    let place: String
    let variable: String?
  }

  private func first(_ auth: Authentication) -> Found? {
    if let folder = credentialsFolder {
      for name in [auth.secret, "keys_\(auth.secret)"] {
        if let found = file("\(folder)/\(name)", mustBePrivate: false) { return found }
      }
    }
    // An empty variable is as none: that is how a shell takes one away for a command.
    if let name = auth.environment, let value = variables(name), !value.isEmpty {
      let text = Result { () throws(KeyText.Problem) in
        KeyText.Parts(secret: try KeyText.secret(KeyText.trimmed(Array(value.utf8))), origin: nil)
      }
      return Found(text: text, place: "$\(name)", variable: name)
    }
    return keyFolder.flatMap { folder in
      file("\(folder)/\(auth.secret)", mustBePrivate: true, in: folder)
    }
  }

  private func file(_ path: String, mustBePrivate: Bool, in folder: String? = nil) -> Found? {
    // Room for the second line.
    switch FileText.read(path, bytesMax: KeyText.bytesMax + 1_024) {
    case .none: return nil
    case .unreadable(let why):
      return Found(text: .failure(KeyText.Problem(message: why)), place: path, variable: nil)
    case .bytes(let bytes, let mode, _):
      if mustBePrivate, mode & 0o077 != 0 {
        let shown = String(mode & 0o777, radix: 8)
        let why = "others can read it (mode 0\(shown)); run: chmod 600 '\(path)'"
        return Found(text: .failure(KeyText.Problem(message: why)), place: path, variable: nil)
      }
      if let folder, let why = KeyFolder.openness(of: folder) {
        return Found(text: .failure(KeyText.Problem(message: why)), place: path, variable: nil)
      }
      let text = Result { () throws(KeyText.Problem) in try KeyText.read(bytes) }
      return Found(text: text, place: path, variable: nil)
    }
  }

  /// The origin of the built-in job that declares the name under which the secret was found.
  private func owner(of auth: Authentication, _ found: Found) -> Origin? {
    owners.first {
      if let variable = found.variable { $0.variable == variable } else { $0.secret == auth.secret }
    }?.origin
  }

  private func missing(_ auth: Authentication, _ job: Job, _ target: Origin) -> SecretOutcome {
    let page = auth.page.map { "get one at \($0), then run" } ?? "if you have one, run"
    let sentence =
      "the job \(job.name) \(auth.isOptional ? "can use" : "needs") a secret for \(target)"
      + " (\"\(auth.secret)\"): \(page): trawl key \(job.name)"
    return auth.isOptional ? .without(sentence) : .missing(sentence)
  }
}

/// What came of looking for a job's secret.
public enum SecretOutcome: Sendable, Equatable {
  /// The job has none.
  case notNeeded
  /// Requests go to this machine itself: none was looked for.
  case notRead
  /// It, and where it was found.
  case found(Credential, place: String)
  /// The job goes without one; the sentence says how to get it.
  case without(String)
  /// The job cannot do without; the sentence says how to get it. Exit 77.
  case missing(String)
  /// There is one that must not be used so. Exit 77.
  case refused(String)
}
