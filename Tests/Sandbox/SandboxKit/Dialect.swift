internal import Base

/// One imitated API. To add one:
///
/// 1. Make a folder beside `GitHub` with a final class that conforms to this protocol. Everything it knows is a
///    function of `DialectSetting.seed` and its own options, so that the same seed gives the same bytes; what changes
///    at run time (quotas, drifting lists) is in a `Locked`.
/// 2. Put its sizes and limits into an options struct with a value for each `SandboxSize`, and add a property for it to
///    `SandboxOptions`.
/// 3. Add it to `DialectTable.all`: routing, `--help`, faults, the request log, `/_sandbox/truth` and `/_sandbox/drift`
///    then know it.
///
/// `answer` is called on several server threads at once and must not block. The core adds `Date` and `Content-Length`,
/// answers HEAD, and breaks the answer afterwards if a fault was drawn. Two things are up to the dialect: a fault that
/// only it can carry out (`FaultKind.need` is `.dialect(name)`; it arrives as `request.fault`, and `reply.fault`
/// confirms it), and naming the list of which an answer is a page, so that it can move.
///
/// Use `DriftingLists` for ordered lists, `DialectSetting.media` (one `MediaSet` for each dialect) for images,
/// `JSONWriter.bytes` for JSON, `SeededRandom` for draws.
protocol Dialect: AnyObject, Sendable {
  /// The first segment of its paths, and its name in the log: `github`.
  var name: String { get }

  func answer(_ request: SandboxRequest) -> Reply

  /// What a perfect client can know now. `of` names one more list.
  func truth(now: Instant, of: String?) -> Truth

  /// Inserts and deletes at the front of its lists, or of `list` only.
  func drift(insert: Int, delete: Int, list: String?)
}

/// The setting that a dialect is built from.
struct DialectSetting: Sendable {
  let seed: UInt64
  let options: SandboxOptions
  /// `http://127.0.0.1:41873`
  let origin: String
  let media: MediaLibrary
  let startedAt: Instant
}
