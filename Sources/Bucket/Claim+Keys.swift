public import Base
internal import Transport

/// An API key is spent by one folder of a bucket at a time: an object for each key names the folder and the claim that
/// spend it. It holds as long as that claim, and needs no renewal.
extension Claim {
  /// Processes of this cache take keys one at a time.
  public func lockKeys() throws(BucketError) -> FileLock? {
    try CacheFile.lock("\(settings.cache)/keys.lock", waiting: nil)
  }

  /// - Parameter key: whose quota it is, as the ledger calls it.
  /// - Returns: the folder that spent the key before, until `noteCounted` says that its uses are counted here.
  public func take(key origin: String, _ account: String) throws(BucketError) -> String? {
    let name = Self.object(of: origin, account)
    // If another worker takes it at the same moment, it is tried again.
    for _ in 0..<5 {
      let seen = try holder(of: name)
      var former: String?
      if let (holder, _) = seen {
        former = holder.folder == folder.path ? holder.former : holder.folder
        if holder.folder != folder.path {
          try refuse(holder)
        } else if holder.epoch == epoch {
          return former
        }
      }
      let outcome = try put(name, former, if: seen.map { .tag($0.tag) } ?? .absent)
      if case .stored = outcome { return former }
    }
    throw .held(by: "another folder that takes the same key", until: nil)
  }

  /// Notes that the ledger of this folder, as it was put, counts what the former one has spent of the key.
  public func noteCounted(key origin: String, _ account: String) throws(BucketError) {
    let name = Self.object(of: origin, account)
    guard let seen = try holder(of: name), seen.holder.folder == folder.path else { return }
    // A refusal means that another process has changed it.
    _ = try put(name, nil, if: .tag(seen.tag))
  }

  /// The ledger of another folder, as it was put last, in a file of the cache; nil: it has none.
  public func fetchLedger(of former: String) throws(BucketError) -> String? {
    let other = BucketFolder(folder.store, path: former)
    let path = "\(settings.cache)/other-\(Self.ledger)"
    return try other.following { (seen) throws(BucketError) -> String? in
      guard let file = seen.head.files[Self.ledger] else { return nil }
      Self.removeDatabase(path)
      _ = try other.restore(Self.ledger, file, to: path, from: nil)
      return path
    } ?? nil
  }

  private func holder(
    of name: String
  ) throws(BucketError) -> (holder: Holder, tag: String)? {
    try folder.read(name) { (object) throws(BucketError) -> (holder: Holder, tag: String) in
      (try Holder(object, name), object.tag)
    }
  }

  private static func object(of origin: String, _ account: String) -> String {
    "keys/\(Hexadecimal.text(SHA256.of(Array("\(origin)\n\(account)".utf8))))"
  }

  private func put(
    _ name: String, _ former: String?, if condition: PutCondition
  ) throws(BucketError) -> PutOutcome {
    let object: JSONObject = [
      "format": Head.format, "folder": folder.path, "epoch": epoch, "former": former,
    ]
    return try folder.put(name, object.bytes, if: condition)
  }

  /// The content of such an object.
  private struct Holder {
    var folder: String
    var epoch: Int
    var former: String?

    init(_ object: StoredObject, _ name: String) throws(BucketError) {
      guard let root = try? JSONDocument.read(object.bytes).root,  // reported here
        let folder = root["folder"]?.string, let epoch = root.count("epoch")
      else { throw .damaged("the object \(name) is not one of a key") }
      (self.folder, self.epoch, former) = (folder, epoch, root["former"]?.string)
    }
  }

  /// Throws if the claim that the key was taken with still holds.
  private func refuse(_ holder: Holder) throws(BucketError) {
    guard let seen = try BucketFolder(folder.store, path: holder.folder).load(),
      seen.head.epoch == holder.epoch, let until = seen.head.until, until > seen.date ?? storeTime
    else { return }
    throw .held(
      by: "the folder \(holder.folder), which spends the same key (\(seen.head.owner))",
      until: until)
  }
}
