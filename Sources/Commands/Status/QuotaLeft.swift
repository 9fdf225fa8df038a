internal import Base
internal import Crawl

/// What is left of one quota.
struct QuotaLeft: Sendable {
  var key: QuotaKey
  var left: QuotaLedger.Left

  var name: String { key.name }
  /// Whose it is: the job's own name for it, a digest of the key, or that there is none.
  var account: String { key.account }

  /// What holds an API back that has no quota has no name, and is worth a word only while it does.
  var isTold: Bool { !name.isEmpty || left.blockedWhy != nil }
}
