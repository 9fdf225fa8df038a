internal import Base
internal import Transport

/// From the bucket into a file of the cache.
extension BucketFolder {
  /// Makes the draft into the file that the head names. A draft that exists, with notes that fit it, gets only the
  /// missing pieces, and keeps its base; otherwise it is made of all of them.
  /// - Returns: its notes.
  func restore(
    _ name: String, _ file: Head.File, to draft: String, from known: PageNotes?,
    onWork: () -> Void = {}
  ) throws(BucketError) -> PageNotes {
    var pieces = file.pieces[...]
    var kept: PageDigests?
    if let known, known.now.pageBytes == file.pageBytes,
      let missing = Head.missing(of: file, behind: known.now.digest)
    {
      pieces = missing
      kept = known.base
    }
    let target = try kept == nil ? PageFile(making: draft) : PageFile(changing: draft)
    var base = PageDigests(pageBytes: file.pageBytes, pages: [])
    for (index, piece) in zip(pieces.indices, pieces) {
      let key = key("pieces/\(name)/\(piece.name)")
      let written = try read(key) { (object) throws(BucketError) in
        try PieceBytes.unpack(object.bytes, file.pageBytes, into: target)
      }
      guard let written else {
        throw .damaged(
          "the object \(key), which the head names, is not there: a run on the machine that wrote last uploads everything again, if its cache is whole; else bring the object back"
        )
      }
      if index < file.baseCount { base.note(written) }
      onWork()
    }
    // Free pages at the end of the file are in no piece.
    try target.cut(to: file.size)
    let now = try PageDigests(of: target)
    guard now.digest == file.digest else {
      throw .damaged(
        "\(name) in the bucket is not what was put: its digest differs from the head's")
    }
    try target.sync()
    return PageNotes(now: now, base: kept ?? base)
  }
}

extension PageDigests {
  /// Pages that a base does not hold were free in it.
  mutating func note(_ written: [(number: Int, digest: UInt64)]) {
    for (number, digest) in written {
      while pages.count <= number { pages.append(Self.free) }
      pages[number] = digest
    }
  }
}

extension Claim {
  /// Brings the files of the cache to what the head names. What a process of this cache wrote after
  /// that stays, unless another machine wrote since: then it is noted as discarded.
  public func restore() throws(BucketError) {
    let there = head.files.isEmpty ? [] : Set(try folder.list(folder.key("pieces/")).map(\.key))
    let whole = WorkMark(cache: settings.cache).take(of: settings.databasePaths)
    for name in Self.databases {
      let path = "\(settings.work)/\(name)"
      guard let file = head.files[name] else {
        // What is here was never put.
        if name == Self.database, CacheFile.isThere(path) { noteDiscarded() }
        CacheFile.remove(notes(of: name))
        Self.removeDatabase(path)
        continue
      }
      let known = PageNotes(notes(of: name))
      let isThere =
        CacheFile.isThere(path) && (whole.contains(path) || WorkMark.isWhole(path))
      // A lifecycle rule of the bucket may have deleted pieces that this cache does not need.
      if !file.pieces.allSatisfy({ there.contains(key(of: $0.name, name)) }) {
        state.withLock { _ = $0.torn.insert(name) }
      }
      if isThere, known?.now.digest == file.digest { continue }
      let draft = "\(settings.cache)/\(name).draft"
      defer { Self.removeDatabase(draft) }
      var begins: PageNotes?
      if isThere, let known {
        try Self.copy(path, to: draft)
        let here = try PageDigests(of: PageFile(reading: draft))
        if here == known.now {
          begins = known
        } else if name == Self.database, here.digest != file.digest {
          noteDiscarded()
        }
      }
      let notes = try folder.restore(
        name, file, to: draft, from: begins, onWork: settings.onWork)
      // In this order: notes never fit a file that is not there.
      CacheFile.remove(self.notes(of: name))
      Self.removeDatabase(path)
      try CacheFile.move(draft, to: path)
      try notes.write(to: self.notes(of: name))
    }
    state.withLock { $0.isRestored = true }
  }
}
