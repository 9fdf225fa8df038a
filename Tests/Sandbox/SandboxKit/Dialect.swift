internal import Base

/// One imitated API. To add one:
///
/// 1. Make a folder beside `GitHub` with a final class that conforms to this protocol. Everything
///    it knows is a function of `DialectSetting.seed` and its own options, so that the same seed
///    gives the same bytes; what changes while it runs (quotas, lists that drift) sits in `Locked`.
/// 2. Put its sizes and limits into a struct of options with a value for each `SandboxSize`, and a
///    property for it into `SandboxOptions`.
/// 3. Add it to `DialectTable.all`: routing, `--help`, faults, the request log, `/_sandbox/truth`
///    and `/_sandbox/drift` then know it.
///
/// `answer` is called on the server's threads, at the same time: it must not block. The core adds
/// `Date` and `Content-Length`, answers HEAD, and breaks the answer afterwards when a fault was
/// drawn. Two things are the dialect's: a fault kind that only it can carry out (`FaultKind.need` is
/// `.dialect(name)`, it comes as `request.fault`, and `reply.fault` says that it was carried out),
/// and leaving a list alone when `request.isSpoiled`.
///
/// Ordered lists go through `DriftingList`, images through `DialectSetting.media` (one `MediaSet` a
/// dialect), JSON through `JSONWriter.bytes`, draws through `SeededRandom`. Tests take `withSandbox`,
/// and give each trait a test that a naive client fails.
protocol Dialect: AnyObject, Sendable {
  /// The first segment of its paths, and its name in the log: `github`.
  var name: String { get }

  func answer(_ request: SandboxRequest) -> Reply

  /// What a client that does everything right can know now. `of` names one more list to tell of.
  func truth(now: Instant, of: String?) -> Truth

  /// Inserts and deletes at the front of its lists (of one, when `list` names it).
  func drift(insert: Int, delete: Int, list: String?)
}

/// What a dialect is built from.
struct DialectSetting: Sendable {
  let seed: UInt64
  let size: SandboxSize
  let plan: SandboxPlan
  let options: SandboxOptions
  /// `http://127.0.0.1:41873`
  let origin: String
  let media: MediaLibrary
  let startedAt: Instant

  /// Records inserted and deleted per page served; 0 is a list that keeps still.
  var drift: Int { options.drift }
}
