internal import Base
internal import Crawl

/// What a job's file says as far as it tells how the job stands. All that `trawl status` and the index of reports judge
/// by is in here, so that it is the same whether it was read from the file now or kept from an earlier look.
struct JobOutline: Sendable {
  struct Stream: Sendable {
    let name: String
    /// How late records come to a list of it, and how long its answers are good for.
    let delay: Duration?
    /// By `Unit.parameterText`, of a job with `every`; nil: stored records name its lists.
    let lists: Set<String>?
  }

  /// Whose quotas it draws on, and which; without streams and rules.
  let payer: Job
  let every: Duration?
  let streams: [Stream]
  /// A stream is asked for each record that it is for, and again when one is new or has changed.
  let restsUntilNews: Bool

  init(_ job: Job) {
    var payer = Job(name: job.name, about: "", base: job.base, streams: [], source: "")
    payer.home = job.home
    payer.authentication = job.authentication
    payer.texts.base = job.texts.base
    payer.texts.token = job.texts.token
    payer.hooks.secrets = job.hooks.secrets
    payer.account = job.account
    payer.quotas = job.quotas
    self.payer = payer
    every = job.every
    let planner = ListPlanner(job: job, options: CrawlOptions())
    streams = job.streams.map { stream in
      var delay = stream.window?.delay
      if case .stale(let period) = stream.parent?.when { delay = (delay ?? .zero) + period }
      return Stream(
        name: stream.name, delay: delay, lists: job.every == nil ? nil : planner.named(stream))
    }
    restsUntilNews = job.streams.contains { [.new, .changed].contains($0.parent?.when) }
  }

  func stream(_ name: String) -> Stream? { streams.first { $0.name == name } }

  /// Whether a run without `--set` walks a list.
  func reads(_ name: String, _ parameters: String) -> Bool {
    guard let stream = stream(name) else { return false }
    return stream.lists?.contains(parameters) ?? true
  }
}

/// A job's file: what it says of how the job stands, and all that it says where it was read now.
struct JobFileText: Sendable {
  var outline: JobOutline
  var job: Job?
}

// MARK: kept

extension JobOutline {
  /// More lists than this are named anew each time.
  private static let listsMax = 1_000

  /// Tokens and programs that print secrets are not: few jobs have them.
  var canBeKept: Bool {
    let isPlain = payer.authentication?.all.allSatisfy { $0.token == nil } ?? true
    return isPlain && payer.hooks.secrets.isEmpty && payer.texts.token == nil
      && streams.reduce(0) { $0 + ($1.lists?.count ?? 0) } <= Self.listsMax
  }

  func write(_ out: inout JSONWriter) {
    out.member("name", payer.name)
    out.member("base", payer.base.description)
    if payer.home != payer.base.origin {
      out.member("home", WebAddress(origin: payer.home, path: "/").description)
    }
    if let text = payer.texts.base { out.member("text", text) }
    if let account = payer.account { out.member("account", account) }
    if let every { out.member("every", every.components.seconds) }
    if restsUntilNews { out.member("rests", true) }
    if let authentication = payer.authentication {
      out.array("secrets") { out in
        for one in authentication.all { out.object { Self.write(one, &$0) } }
      }
    }
    if !payer.quotas.isEmpty {
      out.array("quotas") { out in
        for quota in payer.quotas { out.object { Self.write(quota, &$0) } }
      }
    }
    out.array("streams") { out in
      for stream in streams {
        out.object { out in
          out.member("name", stream.name)
          if let delay = stream.delay { out.member("delay", delay.components.seconds) }
          guard let lists = stream.lists else { return }
          out.array("lists") { out in
            for list in lists.sorted() { out.string(list) }
          }
        }
      }
    }
  }

  private static func write(_ one: Authentication, _ out: inout JSONWriter) {
    out.member("secret", one.secret)
    if let name = one.environment { out.member("environment", name) }
    if one.isOptional { out.member("optional", true) }
    switch one.place {
    case .header(let name, let prefix):
      out.member("header", name)
      out.member("prefix", prefix)
    case .query(let name): out.member("query", name)
    case .basic(let user): out.member("basic", user)
    }
  }

  private static func write(_ quota: Quota, _ out: inout JSONWriter) {
    out.member("name", quota.name)
    out.member("allow", quota.allow)
    if let allow = quota.allowWithoutKey { out.member("allowWithoutKey", allow) }
    out.member("burst", quota.burst)
    switch quota.window {
    case .rolling(let length): out.member("per", length.components.seconds)
    case .daily(let hour, let minute, let zone):
      out.member("hour", hour)
      out.member("minute", minute)
      out.member("zone", zone)
    }
  }

  /// Nil: it is of another form than what `write` wrote.
  init?(_ kept: JSONValue) {
    guard let name = kept["name"]?.string, let base = kept["base"]?.string,
      // What is no address was not written by us.
      let base = try? WebAddress(base)
    else { return nil }
    var payer = Job(name: name, about: "", base: base, streams: [], source: "")
    if let text = kept["home"]?.string {
      // As above.
      guard let home = try? WebAddress(text).origin else { return nil }
      payer.home = home
    }
    payer.texts.base = kept["text"]?.string
    payer.account = kept["account"]?.string
    let secrets = kept["secrets"]?.elements.map { Self.authentication($0) } ?? []
    let quotas = kept["quotas"]?.elements.map { Self.quota($0) } ?? []
    guard !secrets.contains(nil), !quotas.contains(nil) else { return nil }
    payer.authentication = secrets.first.flatMap(\.self)
    payer.authentication?.others = secrets.dropFirst().compactMap(\.self)
    payer.quotas = quotas.compactMap(\.self)
    self.payer = payer
    every = kept["every"]?.duration
    restsUntilNews = kept["rests"]?.boolean ?? false
    guard let streams = kept["streams"]?.elements else { return nil }
    self.streams = streams.map { stream in
      Stream(
        name: stream["name"]?.string ?? "", delay: stream["delay"]?.duration,
        lists: stream["lists"].map { Set($0.elements.compactMap(\.string)) })
    }
  }

  private static func authentication(_ kept: JSONValue) -> Authentication? {
    guard let secret = kept["secret"]?.string else { return nil }
    let place: Credential.Place
    if let name = kept["header"]?.string {
      place = .header(name: name, prefix: kept["prefix"]?.string ?? "")
    } else if let name = kept["query"]?.string {
      place = .query(name: name)
    } else if let user = kept["basic"] {
      place = .basic(user: user.string)
    } else {
      return nil
    }
    return Authentication(
      place: place, secret: secret, environment: kept["environment"]?.string,
      isOptional: kept["optional"]?.boolean ?? false)
  }

  private static func quota(_ kept: JSONValue) -> Quota? {
    guard let name = kept["name"]?.string, let allow = kept["allow"]?.int,
      let burst = kept["burst"]?.int
    else { return nil }
    let window: Quota.Window
    if let length = kept["per"]?.duration {
      window = .rolling(length)
    } else if let hour = kept["hour"]?.int, let minute = kept["minute"]?.int,
      let zone = kept["zone"]?.string
    {
      window = .daily(hour: hour, minute: minute, zone: zone)
    } else {
      return nil
    }
    return Quota(
      name: name, allow: allow, window: window, burst: burst,
      allowWithoutKey: kept["allowWithoutKey"]?.int)
  }
}

extension JSONValue {
  fileprivate var int: Int? { integer.flatMap { Int(exactly: $0) } }
  fileprivate var duration: Duration? { integer.map { .seconds($0) } }
}
