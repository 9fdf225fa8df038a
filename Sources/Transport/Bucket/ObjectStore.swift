public import Base

/// The seam to a store of objects, as S3 has it. Calls block; they may come from any thread.
public protocol ObjectStore: Sendable {
  /// Nil: there is no such object.
  func get(_ key: String) throws(StoreFailure) -> StoredObject?
  /// The whole object or nothing of it; only if the condition holds.
  func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition, type: String
  ) throws(StoreFailure) -> PutOutcome
  /// All objects whose key begins so.
  func list(_ prefix: String) throws(StoreFailure) -> [ListedObject]
  func delete(_ key: String) throws(StoreFailure)
}

public enum PutCondition: Sendable, Equatable {
  case none
  /// Nothing lies there.
  case absent
  /// What lies there has this tag.
  case tag(String)
}

public enum PutOutcome: Sendable, Equatable {
  /// `date`: by the store's clock.
  case stored(tag: String, date: Instant?)
  /// The condition does not hold. 409 and 412 are the same word: look again.
  case refused
}

public struct StoredObject: Sendable {
  public var bytes: [UInt8]
  public var tag: String
  /// When it was answered, by the store's clock.
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
  public var size: Int

  public init(key: String, tag: String, size: Int) {
    self.key = key
    self.tag = tag
    self.size = size
  }
}

/// What a store did not do. The sentence is for a person and holds no secret.
public struct StoreFailure: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// A key is missing, wrong or may not do this.
    case secret
    /// It may pass: whether a put was done is not known.
    case unreachable
    /// It is set up in a way that cannot work.
    case configuration
  }

  public var kind: Kind
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
