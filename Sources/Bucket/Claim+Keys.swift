internal import Base
internal import Transport

/// One key of an API is spent from one folder of a bucket at a time: each has an object of its own, which names the
/// folder and the claim that spend it. It holds as long as that claim does, and needs no renewal.
extension Claim {
  /// - Parameter key: whose quota it is, as the ledger calls it.
  public func take(key origin: String, _ account: String) throws(BucketError) {
    let name = "keys/\(Hexadecimal.text(SHA256.of(Array("\(origin)\n\(account)".utf8))))"
    let object: JSONObject = [
      "format": Head.format, "folder": folder.path, "epoch": epoch, "nonce": Self.nonce(settings),
    ]
    let bytes = object.bytes
    // Another one that takes it at the same moment makes us look again.
    for _ in 0..<5 {
      let seen = try folder.fetch(name)
      if let seen {
        if seen.bytes == bytes { return }
        guard let root = try? JSONDocument.read(seen.bytes).root,  // told here
          let other = root["folder"]?.string, let epoch = root.count("epoch")
        else { throw .damaged("the object \(name) is not one of a key") }
        if other == folder.path, epoch == self.epoch { return }
        if other != folder.path { try refuse(other, epoch) }
      }
      let outcome = try folder.put(name, bytes, if: seen.map { .tag($0.tag) } ?? .absent)
      if case .stored = outcome { return }
    }
    throw .held(by: "another folder that takes the same key", until: nil)
  }

  /// Throws where the claim that the key was taken with still holds.
  private func refuse(_ other: String, _ epoch: Int) throws(BucketError) {
    guard let seen = try BucketFolder(folder.store, path: other).load(), seen.head.epoch == epoch,
      let until = seen.head.until, until > seen.date ?? storeTime
    else { return }
    throw .held(
      by: "the folder \(other), which spends the same key (\(seen.head.owner))", until: until)
  }
}
