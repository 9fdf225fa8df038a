/// A validated job: one API, its auth, its limits, its streams. Made by `Jobs` from a job file.
public struct Job: Sendable {
  /// `[a-z][a-z0-9-]{0,63}`; tables are named after it.
  public var name: String
  public var about: String
  /// What the API's terms require of the user, in a sentence or two.
  public var terms: String?
  /// Scheme, host, port and the path prefix of every stream. No query.
  public var base: WebAddress
  /// The origin of the base in the job file, whatever a run's endpoint: secrets are bound to it.
  public var home: Origin
  /// The origin at which tokens are requested, according to the job file.
  public var tokenHome: Origin? {
    guard let token = authentication?.all.lazy.compactMap(\.token).first else { return nil }
    return token.place.hasPrefix("/") ? home : token.address(behind: base)?.origin
  }
  /// Fixed header fields of each request.
  public var fields: [HeaderField] = []
  public var authentication: Authentication?
  /// Texts that depend on parameter values.
  public var texts = JobTexts()
  /// A name for the owner of the quota; without one, a fingerprint of the credential is used.
  public var account: String?
  /// How many other accounts were used before the current one, if the job names no account; counted in the data folder.
  public var era = 0
  public var parameters: [Parameter] = []
  public var quotas: [Quota] = []
  /// How many requests may be in flight at once.
  public var atOnce = 1
  public static let atOnceMax = 32
  /// The API's clock is wrong, so its times are ignored.
  public var trustsOurClock = false
  /// The first match decides; defaults come last.
  public var errors: [ErrorRule] = []
  public var health: Health?
  /// How old the last proof of a changing list may be before a run reports it as less.
  public var patience: Duration?
  /// Where a copy for readers is written after each good run; relative to the data folder.
  public var publish: String?
  /// What happens after its runs.
  public var hooks = JobHooks()
  /// How old the data may be: the interval between runs.
  public var every: Duration?
  /// How long earlier values of changed records are kept; nil: forever.
  public var history: Duration?
  /// How long unseen records are kept, unless their stream says otherwise; nil: forever.
  public var retain: Duration?
  /// Its earlier name, if it was renamed.
  public var was: String?
  /// In the order of the file.
  public var streams: [Stream]
  public var media = MediaSettings()
  /// Where it was read from: a path, or `built in`.
  public var source: String
  /// How commands refer to it, as a word for a shell: the path that was typed, else its name.
  public var word: String

  public init(name: String, about: String, base: WebAddress, streams: [Stream], source: String) {
    self.name = name
    self.about = about
    self.base = base
    home = base.origin
    self.streams = streams
    self.source = source
    word = name
  }

  /// The prefix of table and index names: `my-github` gives `my_github`.
  public var tablePrefix: String { Self.tablePrefix(of: name) }

  public static func tablePrefix(of name: String) -> String {
    name.split(separator: "-").joined(separator: "_")
  }

  /// Where its requests carry secrets.
  public var secretPlaces: [Credential.Place] { authentication?.all.map(\.place) ?? [] }

  public func stream(_ name: String) -> Stream? { streams.first { $0.name == name } }
  public func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }
}

/// How a job identifies itself, and where its secret comes from.
public struct Authentication: Equatable, Sendable {
  public var place: Credential.Place
  /// The name of the secret: a file in the key folders. Empty for a token.
  public var secret: String
  /// An environment variable that may hold it.
  public var environment: String?
  /// Where to get one.
  public var page: String?
  /// The API answers without a key too, with a smaller quota.
  public var isOptional: Bool
  /// The request carries an access token, which is requested with secrets.
  public var token: TokenRequest?
  /// Further secrets of each request.
  public var others: [Authentication] = []

  public var all: [Authentication] { [self] + others }

  /// The secrets that the user must provide, in the order of the file.
  public var secrets: [NamedSecret] {
    token?.secrets ?? [NamedSecret("", name: secret, environment: environment, page: page)]
  }

  public init(
    place: Credential.Place, secret: String, environment: String? = nil, page: String? = nil,
    isOptional: Bool = false
  ) {
    self.place = place
    self.secret = secret
    self.environment = environment
    self.page = page
    self.isOptional = isOptional
  }
}

/// A value that the user chooses: from the job file's default, `--set`, or a stored list.
public struct Parameter: Equatable, Sendable {
  public var name: String
  /// What it is, and what its pattern means: `login names, of up to 39 letters, …`.
  public var about: String
  public var defaults: [String]
  /// A POSIX extended regular expression that a whole value must match.
  public var pattern: String?
  /// A value is split: `octocat/hello` by `{owner}/{name}` fills both.
  public var splits: Template?

  public init(
    name: String, about: String = "", defaults: [String] = [], pattern: String? = nil
  ) {
    self.name = name
    self.about = about
    self.defaults = defaults
    self.pattern = pattern
  }
}

extension Parameter {
  /// What a value must be, for the message about one that does not match.
  public var fitting: String {
    (about.isEmpty ? "" : "\(about); ") + "it must match \(pattern ?? "")"
  }

  /// The parts of a value, by the names in `splits`; nil if it does not fit.
  public func parts(of value: String) -> [ParameterValue]? {
    var parts: [ParameterValue] = []
    var rest = Array(value.utf8)[...]
    var hole: String?
    func take(_ bytes: ArraySlice<UInt8>) {
      if let name = hole {
        parts.append(ParameterValue(name, String(decoding: bytes, as: UTF8.self)))
      }
      hole = nil
    }
    for part in splits?.parts ?? [] {
      switch part {
      case .hole(let name): hole = name
      case .text(let text):
        let mark = Array(text.utf8)
        guard let at = rest.indices.first(where: { rest[$0...].starts(with: mark) }),
          hole != nil || at == rest.startIndex
        else { return nil }
        take(rest[..<at])
        rest = rest[(at + mark.count)...]
      }
    }
    guard hole != nil || rest.isEmpty else { return nil }
    take(rest)
    return parts.allSatisfy { !$0.value.isEmpty } ? parts : nil
  }
}

extension Job {
  /// The parameter whose values fill a hole: the one of its name, or one that is split.
  public func parameter(filling hole: String) -> Parameter? {
    parameter(hole) ?? parameters.first { $0.splits?.holes.containsBytes(hole) ?? false }
  }
}

/// One quota of an API, counted in the ledger.
public struct Quota: Equatable, Sendable {
  public enum Window: Equatable, Sendable {
    /// Any stretch of this length holds at most `allow`.
    case rolling(Duration)
    /// Starts anew each day at an hour and minute of a time zone.
    case daily(hour: Int, minute: Int, zone: String)

    public var length: Duration {
      if case .rolling(let length) = self { length } else { .seconds(86400) }
    }
  }

  public var name: String
  public var allow: Int
  public var window: Window
  /// Requests that may be sent at once before they are spaced out; 1 is smooth.
  public var burst: Int
  /// The allowance without a credential, if different.
  public var allowWithoutKey: Int?
  /// The server's name for it in its headers (`x-ratelimit-resource`), if different.
  public var serverName: String?
  /// The API states no limit; this one is a courtesy, and local servers do not need it.
  public var isCourtesy: Bool
  /// Where an answer's body says how much is left.
  public var left: JSONPath?
  /// Where an answer's body asks for a wait before the next request, in seconds.
  public var pause: JSONPath?

  public init(
    name: String, allow: Int, window: Window, burst: Int = 1, allowWithoutKey: Int? = nil,
    serverName: String? = nil, isCourtesy: Bool = false
  ) {
    self.name = name
    self.allow = allow
    self.window = window
    self.burst = burst
    self.allowWithoutKey = allowWithoutKey
    self.serverName = serverName
    self.isCourtesy = isCourtesy
  }
}

/// A request that must succeed before any stream is requested.
public struct Health: Equatable, Sendable {
  public var path: String
  /// What the body must be, apart from quotes and blanks around it; nil: any 2xx will do.
  public var says: String?

  public init(path: String, says: String?) {
    self.path = path
    self.says = says
  }
}
