internal import Glibc
internal import Base
internal import Transport

/// From the cache into the bucket.
extension Claim {
  public static let ledger = "ledger.db"
  public static let database = "trawl.db"
  /// All that a head may name.
  public static let databases = [ledger, database]

  /// A file prepared for a put.
  private typealias Ready = (file: Head.File, notes: PageNotes)

  /// Puts what differs from what the head names, and moves the head; on return it is kept. Processes of this cache put
  /// a file one at a time.
  /// - Parameters:
  ///   - isWhole: all pages anew, so that nothing rests on older pieces.
  ///   - isWritten: a run is writing: the file is copied, so that the log can be moved while pieces are sent.
  /// - Returns: whether there was anything to put.
  @discardableResult
  public func put(
    _ names: [String], isWhole: Bool = false, isWritten: Bool = false
  ) throws(BucketError) -> Bool {
    guard isRestored else { return false }
    var locks: [FileLock?] = []
    for name in names {
      locks.append(try CacheFile.lock("\(settings.cache)/put-\(name).lock", waiting: nil))
    }
    defer { withExtendedLifetime(locks) {} }
    // From here on no other process changes what the head says of these files, so new pieces get higher numbers than
    // the pieces that it names.
    learn()
    var ready: [String: Ready] = [:]
    var versions: [String: DatabaseVersion] = [:]
    for name in names {
      let path = "\(settings.work)/\(name)"
      let isWhole = isWhole || torn.contains(name)
      guard CacheFile.isThere(path), isWhole || !isPut(name) else { continue }
      let copy = "\(settings.cache)/\(name).copy"
      defer { Self.removeDatabase(copy) }
      if !isWritten, let resting = RestingFile(path) {
        versions[name] = resting.version
        ready[name] = try prepare(name, resting, isWhole: isWhole)
      } else {
        // Whatever is written from now on is another version.
        versions[name] = try version(of: path)
        try Self.copy(path, to: copy)
        ready[name] = try prepare(name, PageFile(reading: copy), isWhole: isWhole)
      }
    }
    if !ready.isEmpty {
      let files = ready.mapValues { $0.file }
      try change(
        alsoThen: { () throws(BucketError) in
          for (name, made) in ready { try made.notes.write(to: self.notes(of: name)) }
        },
        { head, now, lease in head.holding(files, at: now, for: lease) })
      state.withLock { $0.torn.subtract(files.keys) }
    }
    notePut(versions)
    return !ready.isEmpty
  }

  private func version(of path: String) throws(BucketError) -> DatabaseVersion {
    do throws(SQLiteError) { return try DatabaseVersion(path) } catch {
      throw .disk(path, error.message)
    }
  }

  /// By SQLite itself: closing a descriptor of our own on an open file would release the locks of the whole process on
  /// it.
  static func copy(_ path: String, to copy: String) throws(BucketError) {
    removeDatabase(copy)
    do throws(SQLiteError) {
      try Connection.copy(path, to: copy)
    } catch {
      throw .disk(copy, error.message)
    }
  }

  static func removeDatabase(_ path: String) {
    for end in ["", "-wal", "-shm", "-journal"] { CacheFile.remove(path + end) }
  }

  func notes(of name: String) -> String { "\(settings.cache)/notes/\(name)" }

  /// Puts the pieces that are missing in the bucket. Nil: there are none.
  private func prepare(
    _ name: String, _ copy: any PageSource, isWhole: Bool
  ) throws(BucketError) -> Ready? {
    let new = try PageDigests(of: copy)
    let digest = new.digest
    let (head, old) = (self.head, self.head.files[name])
    if old?.digest == digest, !isWhole { return nil }
    // Notes that do not match the head's digest say nothing about the bucket.
    let known = PageNotes(notes(of: name)).flatMap { notes in
      notes.now.digest == old?.digest && notes.now.pageBytes == new.pageBytes ? notes : nil
    }
    var file = Head.File(
      size: copy.size, pageBytes: new.pageBytes, digest: digest, pieces: [], baseCount: 0)
    var base = known?.base
    if let old, let known, !isWhole {
      // Many deltas become one, or a new base once they reach half the size of one.
      let isMerged = old.pieces.count - old.baseCount >= Head.deltasMax
      let changed = new.changed(since: isMerged ? known.base : known.now)
      let kept = isMerged ? Array(old.pieces.prefix(old.baseCount)) : old.pieces
      // An estimate by the packed size of the base.
      let coming = old.baseBytes / max(1, known.base.pages.count) * changed.count
      let before = isMerged ? 0 : old.deltaBytes
      if before + coming <= old.baseBytes / 2 {
        file.pieces = kept + (try put(changed, of: copy, new.pageBytes, name, head, digest))
        file.baseCount = old.baseCount
      }
    }
    if file.pieces.isEmpty {
      file.pieces = try put(new.changed(since: nil), of: copy, new.pageBytes, name, head, digest)
      file.baseCount = file.pieces.count
      base = new
    }
    return (file: file, notes: PageNotes(now: new, base: base ?? new))
  }

  private func put(
    _ numbers: [Int], of copy: any PageSource, _ pageBytes: Int, _ name: String, _ head: Head,
    _ digest: String
  ) throws(BucketError) -> [Head.Piece] {
    let most = PieceBytes.rawBytesMax / (pageBytes + 4)
    var pieces: [Head.Piece] = []
    // A file that only lost pages gets a piece, too: it holds the digest.
    for start in stride(from: 0, to: max(1, numbers.count), by: most) {
      let part = Array(numbers[start..<min(start + most, numbers.count)])
      let bytes = try PieceBytes.packed(part, of: copy, pageBytes)
      let piece = "\(head.epoch)-\(head.seq + 1)-\(Self.nonce(settings))"
      // Under a unique name, so that a second try puts the same.
      try folder.put(key(of: piece, name), bytes)
      settings.onWork()
      pieces.append(Head.Piece(name: piece, bytes: bytes.count, digest: ""))
    }
    pieces[pieces.count - 1].digest = digest
    return pieces
  }

  func key(of piece: String, _ name: String) -> String { folder.key("pieces/\(name)/\(piece)") }

  // MARK: what is not needed any more

  /// Removes pieces that no head of the last day named.
  /// - Parameter isWhole: removes all that the head does not name now; a reader in the middle of them begins again.
  public func collect(isWhole: Bool = false) throws(BucketError) {
    let head = self.head
    let now = storeTime
    for name in head.files.keys.sorted() {
      let prefix = folder.key("pieces/\(name)/")
      guard isWhole || !head.collectable(["0-0-0"], of: name, at: now).isEmpty else { continue }
      let names = try folder.list(prefix).map { String($0.key.dropFirst(prefix.count)) }
      let old = isWhole ? head.unnamed(names, of: name) : head.collectable(names, of: name, at: now)
      for piece in old {
        try folder.delete(prefix + piece)
        settings.onWork()
      }
    }
  }
}
