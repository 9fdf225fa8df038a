internal import Base
public import Transport

/// A folder in a bucket: its head, and how it is changed.
public struct BucketFolder: Sendable {
  let store: any ObjectStore
  /// `trawl/github`; empty: the bucket itself.
  let path: String

  public init(_ store: any ObjectStore, path: String) {
    self.store = store
    self.path = path
  }

  func key(_ name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

  /// The name of an object of this folder.
  func name(of key: String) -> String { String(key.dropFirst(self.key("").count)) }

  /// A head as the store returned it.
  struct Seen: Sendable {
    var head: Head
    var tag: String
    var date: Instant?

    /// Of a live claim; nil if none is.
    var holder: String? {
      guard let until = head.until, let date, until > date else { return nil }
      return head.owner
    }
  }

  func load() throws(BucketError) -> Seen? {
    try read(key("head")) { (object) throws(BucketError) -> Seen in
      let head = try Head(json: object.bytes, of: key("head"))
      return Seen(head: head, tag: object.tag, date: object.date)
    }
  }

  private static let readsMax = 3

  /// Nil: there is no such object. What makes no sense is requested again: it may have been cut short on its way.
  func read<Value>(
    _ key: String, _ parse: (StoredObject) throws(BucketError) -> Value
  ) throws(BucketError) -> Value? {
    var reads = 0
    while let object = try fetch(key) {
      reads += 1
      do throws(BucketError) { return try parse(object) } catch {
        guard case .damaged = error, reads < Self.readsMax else { throw error }
      }
    }
    return nil
  }

  /// Reads pieces that the head names. If they were removed meanwhile, it reads those that the head names then. Nil:
  /// there is no head.
  func following<Value>(
    _ read: (Seen) throws(BucketError) -> Value
  ) throws(BucketError) -> Value? {
    guard var seen = try load() else { return nil }
    for _ in 1..<Self.readsMax {
      do throws(BucketError) { return try read(seen) } catch {
        guard case .damaged = error, let now = try load(), now.head.seq != seen.head.seq else {
          throw error
        }
        seen = now
      }
    }
    return try read(seen)
  }

  /// Where there is no head: throws if something of a folder is left, since nothing may take its place unseen.
  /// - Parameter cache: where this machine keeps what it had of it.
  func refuseHeadless(cache: String) throws(BucketError) {
    if !CacheFile.isThere("\(cache)/work/\(Claim.database)") {
      // A folder of its own may lie there.
      var left = false
      for name in Claim.databases where !left { left = try !list(key("pieces/\(name)/")).isEmpty }
      guard left else { return }
    }
    // Another machine may have begun it meanwhile.
    guard try load() == nil else { return }
    throw .headless
  }

  /// The holder of a live claim; nil if no claim is live.
  public func holder() throws(BucketError) -> String? { try load()?.holder }

  func fetch(_ key: String) throws(BucketError) -> StoredObject? {
    try asking { () throws(StoreFailure) in try store.get(key) }
  }

  @discardableResult
  func put(
    _ key: String, _ bytes: [UInt8], if condition: PutCondition? = nil,
    type: String = "application/octet-stream"
  ) throws(BucketError) -> PutOutcome {
    try asking { () throws(StoreFailure) in
      try store.put(key, bytes, if: condition, type: type)
    }
  }

  func list(_ prefix: String) throws(BucketError) -> [ListedObject] {
    try asking { () throws(StoreFailure) in try store.list(prefix) }
  }

  func delete(_ key: String) throws(BucketError) {
    try asking { () throws(StoreFailure) in try store.delete(key) }
  }

  private func asking<T>(_ body: () throws(StoreFailure) -> T) throws(BucketError) -> T {
    do throws(StoreFailure) { return try body() } catch { throw .store(error) }
  }

  private static let swapsMax = 5

  /// Changes the head if it still has this tag. If an answer was lost, the nonce in the head shows whether it is ours.
  /// - Parameter mayTryOn: asked after a failed try.
  /// - Returns: the new head as stored, its tag, and the store's date, if it gave one.
  func swap(
    _ head: Head, from tag: String?, nonce: String, mayTryOn: () -> Bool = { true }
  ) throws(BucketError) -> (head: Head, tag: String, date: Instant?) {
    var head = head
    head.nonce = nonce
    let bytes = head.json
    let condition: PutCondition = tag.map { .tag($0) } ?? .absent
    var trouble: BucketError?
    for _ in 0..<Self.swapsMax {
      if let trouble, !mayTryOn() { throw trouble }
      do throws(BucketError) {
        let outcome = try put(key("head"), bytes, if: condition)
        if case .stored(let new, let date) = outcome, !new.isEmpty { return (head, new, date) }
      } catch {
        guard case .store(let failure) = error, failure.kind == .unreachable else { throw error }
        trouble = error
      }
      let seen: Seen?
      do throws(BucketError) { seen = try load() } catch {
        trouble = error
        continue
      }
      if let seen, seen.head.nonce == nonce { return (seen.head, seen.tag, seen.date) }
      // The head did not change: it is tried again.
      if seen?.tag == tag { continue }
      guard let seen else { throw .headless }
      throw .fenced(by: seen.head.owner)
    }
    throw trouble ?? .fenced(by: "")
  }
}
