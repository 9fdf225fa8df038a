internal import Base

/// Every key of a job file. The check, `job.schema.json` (JobsTests writes it) and trawl.json5(5) come from here, so a key
/// that is added here is known everywhere.
enum JobShape {
  static let namesMax = 0...100

  private static let schemaKey = KeyShape(
    "$schema", .text(.line(mayBeEmpty: false)), "for editors; Trawl does not look at it")

  private static let was = KeyShape(
    "was", .text(.jobName),
    "what the job was called before: its tables, lists and all that is known of them go on under"
      + " the new name")

  private static let publish = KeyShape(
    "publish", .text(.line(mayBeEmpty: false)), without: "no copy",
    "a file for other programs, written after each run that ends as declared, as by"
      + " `trawl backup --readers`: a path, in the data folder where it does not begin with `/`")

  private static let every = KeyShape(
    "every", .text(.duration), without: "only `--max-age` judges its age",
    "how often it runs (`1h`, `1d`): what `trawl run --if-due`, as the shipped timers say it, waits for, and"
      + " by which a list is late that is not read any more: nearly three such turns, 47 hours at least"
  )

  private static let history = KeyShape(
    "history", .text(.duration), without: "all of it",
    "how long it is kept what records held before they changed (`trawl_changes`, `<table>_history`);"
      + " older values are forgotten at the end of a run")

  static let retain = KeyShape(
    "retain", .text(.duration), without: "for ever",
    "how long a record is kept that neither a list nor a request of its own has shown again: a run then forgets it,"
      + " as `trawl forget` does, and stores it anew if it is shown once more")

  /// A whole job.
  static let job = ObjectShape(
    "Job",
    "One API: its address, its limits, its lists. Or, with `use`, another job under a name of your own, with your values: it"
      + " takes \(ofUse.dropFirst().map { "`\($0)`" }.joined(separator: ", ")).",
    [
      KeyShape(
        "name", .text(.jobName), without: "the file's name",
        "what the job is called; its tables begin with it (`my-api` gives `my_api_…`)"),
      KeyShape(
        "use", .text(.jobName), without: "it is a job of its own",
        "the job whose settings these are"),
      was,
      KeyShape("about", .text(.line(mayBeEmpty: true)), "one line for a person"),
      KeyShape(
        "terms", .text(.line(mayBeEmpty: false)),
        "what the API's terms require of the user; `trawl check` shows it"),
      KeyShape(
        "base", .text(.base), isRequired: true,
        "where the API lives; every path of a stream is put behind it. A label of its host or a part of"
          + " its path may be a parameter of one value: `https://{shop}.example.com`. With `use`: where your server lives,"
          + " only for jobs without a secret"),
      KeyShape(
        "account", .text(.line(mayBeEmpty: false)), without: "derived from the secret",
        "a name for the owner of the quota; jobs with one account share its quotas"),
      KeyShape(
        "headers", .map(key: .headerName, .scalar(.headerTemplate), count: namesMax),
        "header fields of every request; `{account}` is filled with a parameter of one value"),
      KeyShape(
        "auth", .oneOrList(.object(auth), count: 1...4), without: "no secret",
        "how requests authenticate: one secret, or a list of several that go together"),
      KeyShape(
        "params", .map(key: .name, parameter, count: namesMax),
        "values that a person may choose with `--set NAME=VALUE`; with `use` your values in place of the defaults"
      ),
      KeyShape(
        "quotas",
        .map(key: .name, .either([.object(quota), .integer(1...1_000_000_000)]), count: 0...20),
        "the API's quotas, counted in the ledger and shared by all runs that use the same secret; with `use` how much your"
          + " plan gives in the window of each (`{ core: 15000 }`), without a key never more than the job says"
      ),
      KeyShape(
        "atOnce", .integer(1...Job.atOnceMax), without: "1",
        "how many of its requests may be in flight at the same time: of several lists, and of one list's"
          + " pages where a counted total says that they are there; the quotas hold as ever"),
      KeyShape(
        "clock", .text(.choice(["ours"])),
        without: "a run pauses if this machine's clock is ahead of the API's",
        "`ours`: the API's clock is wrong; the times in its answers are ignored"),
      errors(
        "what answers mean that are not pages; the first rule that fits decides, and sound"
          + " defaults follow"),
      KeyShape(
        "health", .text(.health), without: "no health check",
        "the path of a request that must succeed before any stream is read, and what its body must say, if not any 2xx"
          + " will do (`/health OK`); quotes and blanks around it do not count"),
      KeyShape(
        "patience", .text(.duration), without: "14d",
        "a list that changes in each walk, and other records each time, is as good as it was while its"
          + " last `complete` is younger than this; then it is reported as less (exit code 3, and an alert)"
      ),
      every, history, retain,
      KeyShape("media", .object(media), "how images (JPEG, PNG, GIF, WebP) are kept"),
      publish,
      KeyShape(
        "streams", .map(key: .name, .object(StreamShape.stream), count: 1...50), isRequired: true,
        "the lists"),
      schemaKey,
    ] + HookShape.keys, standIn: ("use", ["base", "streams"]))

  /// The keys of a file with `use`: a user's values. It may not touch requests, nor what is stored of answers.
  static let ofUse =
    [
      "name", "use", "was", "about", "account", "base", "params", "quotas", "every", "history",
      "retain", "media", "publish", "$schema",
    ] + HookShape.keys.map(\.name)

  private static let values = Shape.list(.scalar(.line(mayBeEmpty: true)), count: 0...10_000)

  private static let ownValues = Shape.either([.scalar(.line(mayBeEmpty: true)), values])

  private static let parameter = Shape.either([
    .scalar(.line(mayBeEmpty: true)), values,
    .object(
      ObjectShape(
        "Param", "A value that a person may choose.",
        [
          KeyShape(
            "default", ownValues, without: "no value: its streams are idle until one is set",
            "one value or a list; each value of a list is requested on its own; `@stream` means"
              + " what that stream has stored, and `@stream.column` for one of its columns"),
          KeyShape(
            "about", .text(.line(mayBeEmpty: false)),
            "what it is, and what its pattern means: it is shown where a value does not fit"),
          KeyShape(
            "pattern", .text(.pattern), without: "any text",
            "a POSIX extended regular expression that the whole value must match"),
          KeyShape(
            "splits", .text(.template), without: "it is one value",
            "takes each value apart, so that its parts go together: `{owner}/{name}` of"
              + " `octocat/hello` fills `{owner}` and `{name}`"),
        ])),
  ])

  private static let auth = ObjectShape(
    "Auth",
    "Where the secret goes and where it comes from. The secret itself is never written here.",
    [
      KeyShape(
        "to", .text(.secretPlace), isRequired: true,
        "where a request carries it: `header:X-Api-Key`, `header:Authorization Bearer {secret}`, `?api_key` or `basic`; HTTP"
          + " Basic, which Trawl encodes, has the secret as the user's name, or `basic {secret}:WORD` with a password that the"
          + " API has all send, or `basic {mail}:{secret}`, where `{mail}` is a parameter of one value"
      ),
      KeyShape(
        "secret", .either([.text(.secret), .map(key: .name, .text(.secret), count: 1...10)]),
        isRequired: true,
        "its name: a file of that name in the folders for keys; behind it an environment variable that may hold it:"
          + " `shop-key $SHOP_KEY`. With `token`, what fills its holes: `{ id: \"shop-id\", key: \"shop-key $SHOP_KEY\" }`"
      ),
      KeyShape("get", .text(.page), "where a person gets one"),
      KeyShape(
        "optional", .boolean, without: "false", "whether the API answers without one as well"),
      KeyShape(
        "token", .object(TokenShape.token), without: "the secret itself is sent",
        "what is sent is an access token, which is requested with the secrets"),
    ])

  private static let quota = ObjectShape(
    "Quota", "One quota.",
    [
      KeyShape(
        "allow", .integer(1...1_000_000_000), isRequired: true, "how much the API gives in a window"
      ),
      KeyShape(
        "per", .text(.quotaWindow), isRequired: true,
        "the window: `second`, `minute`, `hour`, `day` or a duration (`12h`); any stretch of its length counts, but of"
          + " `day from 00:00 America/Los_Angeles`, which begins anew at that instant"),
      KeyShape(
        "burst", .either([.integer(1...1_000_000_000), .text(.choice(["all"]))]),
        without: "all for windows longer than a minute, else 1",
        "how many requests may go at once before they are spaced evenly"),
      KeyShape(
        "allowWithoutKey", .integer(1...1_000_000_000), without: "as `allow`",
        "what it gives to those who send no secret"),
      KeyShape(
        "called", .text(.line(mayBeEmpty: false)), without: "the quota's name",
        "what the API calls it in its own headers (`x-ratelimit-resource`)"),
      KeyShape(
        "courtesy", .boolean, without: "false",
        "whether it is a courtesy where the API states no limit; not kept towards this machine itself"
      ),
      KeyShape(
        "left", .text(.path), "where an answer's body says how much is left (`quota_remaining`)"),
      KeyShape(
        "pause", .text(.path),
        "where an answer's body asks for a wait before the next request, in seconds (`backoff`)"),
    ])

  static let spends = KeyShape(
    "spends",
    .either([.text(.name), .map(key: .name, .integer(0...1_000_000), count: 1...20)]),
    without: "one of every quota",
    "which quotas a request draws on: a quota's name, or names with costs")

  static func errors(_ about: String) -> KeyShape {
    KeyShape("errors", .list(.object(errorRule), count: namesMax), about)
  }

  private static let errorRule = ObjectShape(
    "ErrorRule", "All conditions that are given must hold.",
    [
      KeyShape(
        "status",
        .either([
          .integer(100...599), .text(.status),
          .list(.either([.integer(100...599), .text(.status)]), count: 1...20),
        ]), without: "any status", "the answer's status: 429, \"5xx\", \"500-599\" or a list"),
      KeyShape(
        "where", .text(.answerPlace),
        "the place in the answer that `is` looks at: `error.code`, `header:retry-after`"),
      KeyShape(
        "is", .oneOrList(.scalar(.line(mayBeEmpty: true)), count: 1...20),
        "equal, byte for byte, to one of these, in which `*` matches any run of characters (without `where`: the"
          + " whole body); `null` is also the value null"),
      KeyShape(
        "then", .text(.action),
        isRequired: true,
        "`retry` shortly, or after a wait that the answer does not say (`retry 5s`); `defer` until the quota is there"
          + " again (`defer day 1h`: which quota, and how long where the answer does not say it); `fatal`: a person is needed;"
          + " `key`: the key is refused (exit code 77); `skip`: it is not there; `end` of the list; `cap`: its end by the API's limit;"
          + " `empty`: a list without entries;"
          + " `restart` the list from its first page;"
          + " `gap`: further back than the API answers"),
      KeyShape("message", .text(.line(mayBeEmpty: false)), "the sentence for a person"),
    ])

  private static let media = ObjectShape(
    "Media", "How images are kept.",
    [
      KeyShape("limit", .text(.size), without: "no limit", "all files of the folder together"),
      KeyShape("file", .text(.size), without: "20MB", "the largest single file (up to 1GB)"),
      KeyShape(
        "allow", .list(.text(.host), count: 0...100),
        "hosts that may resolve to addresses that are refused otherwise"),
    ])
}

extension JobShape {
  /// Every kind of object, each once, in the order in which a reader meets them.
  static let objects: [ObjectShape] = {
    var found: [ObjectShape] = []
    var waiting = [job]
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      if found.contains(where: { $0.name == next.name }) { continue }
      found.append(next)
      waiting += next.keys.flatMap(\.shape.objects)
    }
    return found
  }()
}

extension Shape {
  /// The objects that may be here.
  fileprivate var objects: [ObjectShape] {
    switch self {
    case .object(let shape): [shape]
    case .list(let inner, _), .map(_, let inner, _): inner.objects
    case .either(let shapes): shapes.flatMap(\.objects)
    case .text, .integer, .boolean, .scalar, .value: []
    }
  }
}
