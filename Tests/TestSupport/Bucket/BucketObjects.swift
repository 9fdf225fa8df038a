public import Base
public import Transport

/// The content of an object store, with S3's conditions.
public struct BucketObjects: Sendable {
  public struct Object: Sendable {
    public var bytes: [UInt8]
    public var tag: String
  }

  public private(set) var objects: [String: Object] = [:]
  private var count = 0
  /// Set for stores that ignore conditions.
  public var ignoresConditions = false

  public init() {}

  @discardableResult
  public mutating func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition? = nil
  ) -> String? {
    let isMet =
      switch condition {
      case nil: true
      case .absent: objects[key] == nil
      case .tag(let tag): objects[key]?.tag == tag
      }
    guard isMet || ignoresConditions else { return nil }
    count += 1
    let tag = "\"\(count)-\(AnswerDigest.of(bytes.withUnsafeBytes { $0 }))\""
    objects[key] = Object(bytes: bytes, tag: tag)
    return tag
  }

  public mutating func remove(_ key: String) { objects[key] = nil }
}

/// The same behind the seam, in memory, with its own clock and possible faults.
public final class MemoryStore: ObjectStore {
  public enum Fault: Sendable {
    /// The request does not reach the store.
    case lost
    /// The request does, but its answer is lost.
    case answerLost
    /// Half of the object comes.
    case short
  }

  public struct State: Sendable {
    public var content = BucketObjects()
    /// Requests, such as `PUT trawl/head`.
    public var log: [String] = []
  }

  public let state = Locked(State())
  private let clock: @Sendable () -> Instant?
  /// Called before each request, on the requesting thread.
  private let fault: Locked<@Sendable (String) -> Fault?>

  public init(clock: @escaping @Sendable () -> Instant?) {
    self.clock = clock
    fault = Locked { _ in nil }
  }

  public func interfere(_ fault: @escaping @Sendable (String) -> Fault?) {
    self.fault.withLock { $0 = fault }
  }

  public func requests(_ start: String) -> [String] {
    state.withLock { $0.log.filter { $0.hasPrefix(start) } }
  }

  private func carryOut<Value>(
    _ request: String, short: (Value) -> Value = { $0 }, _ body: (inout BucketObjects) -> Value
  ) throws(StoreFailure) -> Value {
    let fault = fault.withLock { $0 }(request)
    let failure = StoreFailure(.unreachable, "the store cannot be asked")
    if fault == .lost { throw failure }
    let value = state.withLock { state in
      state.log.append(request)
      return body(&state.content)
    }
    if fault == .answerLost { throw failure }
    return fault == .short ? short(value) : value
  }

  private static func half(_ object: BucketObjects.Object?) -> BucketObjects.Object? {
    // cut: as a proxy would
    object.map {
      BucketObjects.Object(bytes: Array($0.bytes.prefix($0.bytes.count / 2)), tag: $0.tag)
    }
  }

  public func get(_ key: String) throws(StoreFailure) -> StoredObject? {
    let object = try carryOut("GET \(key)", short: Self.half) { $0.objects[key] }
    return object.map { StoredObject(bytes: $0.bytes, tag: $0.tag, date: date) }
  }

  public func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition? = nil, type: String
  ) throws(StoreFailure) -> PutOutcome {
    let tag = try carryOut("PUT \(key)") { $0.put(key, bytes, if: condition) }
    return tag.map { .stored(tag: $0, date: date) } ?? .refused
  }

  public func list(_ prefix: String) throws(StoreFailure) -> [ListedObject] {
    try carryOut("LIST \(prefix)") { content in
      content.objects.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.map {
        ListedObject(key: $0.key, tag: $0.value.tag)
      }
    }
  }

  public func delete(_ key: String) throws(StoreFailure) {
    try carryOut("DELETE \(key)") { $0.remove(key) }
  }

  /// A `Date` field has whole seconds.
  private var date: Instant? { clock().map { Instant(seconds: $0.seconds) } }
}
