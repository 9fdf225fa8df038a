public import Base

/// The seam to an S3-like object store. Calls block; they may come from any thread.
public protocol ObjectStore: Sendable {
  /// Nil: there is no such object.
  func get(_ key: String) throws(StoreFailure) -> StoredObject?
  /// Stores the whole object or nothing, and only if the condition holds; without one it is stored, or this throws.
  func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition?, type: String
  ) throws(StoreFailure) -> PutOutcome
  /// All objects with this key prefix.
  func list(_ prefix: String) throws(StoreFailure) -> [ListedObject]
  func delete(_ key: String) throws(StoreFailure)
}

public enum PutCondition: Sendable, Equatable {
  /// There is no such object.
  case absent
  /// The object has this tag.
  case tag(String)
}

public enum PutOutcome: Sendable, Equatable {
  /// `date`: by the store's clock.
  case stored(tag: String, date: Instant?)
  /// The condition does not hold (412).
  case refused
}

public struct StoredObject: Sendable {
  public var bytes: [UInt8]
  public var tag: String
  /// The time of the answer, by the store's clock.
  public var date: Instant?

  public init(bytes: [UInt8], tag: String, date: Instant?) {
    self.bytes = bytes
    self.tag = tag
    self.date = date
  }
}

public struct ListedObject: Sendable, Equatable {
  public var key: String
  public var tag: String

  public init(key: String, tag: String) {
    self.key = key
    self.tag = tag
  }
}

/// A failure of the store. The sentence is for the user and contains no secret.
public struct StoreFailure: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// A key is missing, wrong or not allowed to do this.
    case secret
    /// It may pass; whether a put was done is unknown.
    case unreachable
    /// The store has no room, or a quota of it is used up.
    case full
    /// The setup cannot work.
    case configuration
  }

  public var kind: Kind
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
