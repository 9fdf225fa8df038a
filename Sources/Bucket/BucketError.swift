public import Base
public import Transport

/// Why a folder in a bucket cannot be used, or no longer.
public enum BucketError: Error, Sendable, Equatable {
  case store(StoreFailure)
  /// Another worker has it; `until` by the store's clock.
  case held(by: String, until: Instant?)
  /// Another worker took over the claim: what was not put is lost.
  case fenced(by: String)
  /// A head that a newer program wrote.
  case newer(Int)
  /// The head is gone, and something of the folder is left.
  case headless
  case damaged(String)
  /// The store answers without a date.
  case noClock
  /// The store accepts what it must refuse.
  case unsound
  /// A file of the cache: its path, and what failed.
  case disk(String, String)
}
