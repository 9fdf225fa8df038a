public import Base
public import Transport

/// Why a folder in a bucket cannot be used, or no longer.
public enum BucketError: Error, Sendable, Equatable {
  case store(StoreFailure)
  /// Another one has it; `until` by the store's clock.
  case held(by: String, until: Instant?)
  /// The claim went to another one: what was not put is not there.
  case fenced(by: String)
  /// A head that a newer program wrote.
  case newer(Int)
  case damaged(String)
  /// The store answers without a date.
  case noClock
  /// It takes what it must refuse.
  case unsound
  /// A file of the cache.
  case disk(String, String)
}
