internal import Base
internal import Crawl

struct QuotaLeft: Sendable {
  var key: QuotaKey
  var left: QuotaLedger.Left

  var name: String { key.name }
  /// Whose it is: the job's own name for it, a digest of the key, or none.
  var account: String { key.account }

  /// Waits of an API without quotas have no name, and are shown only while they last.
  var isTold: Bool { !name.isEmpty || left.blockedWhy != nil }
}
