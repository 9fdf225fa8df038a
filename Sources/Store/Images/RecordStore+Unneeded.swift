public import Base

/// Which files are no longer needed by any record, and since when.
extension RecordStore {
  /// What a collection found or removed.
  public struct ImageCollection: Sendable, Equatable {
    public var images: [StoredImageRow] = []
    /// URLs whose images are removed with them.
    public var urls = 0
    /// Files that are not needed either, but not for long enough.
    public var waiting = 0
    /// Files that no earlier collection has seen unneeded.
    fileprivate var seenFirst: [String] = []
    /// Files that are needed again.
    fileprivate var neededAgain: [String] = []
  }

  /// Files that no live record or favorite has had since the limit, and that were not stored or fetched since. For a
  /// vanished record the time is known; what a changed record or a reset left behind counts from the first collection
  /// that sees it.
  public func collectableImages(before limit: Instant) throws(StoreError) -> ImageCollection {
    let stamp = now
    return try guarded { try collectable(before: limit, at: stamp) }
  }

  /// The same, and deletes their rows, all in one transaction. The files are to be removed
  /// afterwards; a run that needs one again fetches it again.
  public func collectImages(before limit: Instant) throws(StoreError) -> ImageCollection {
    let stamp = now
    return try write {
      let found = try collectable(before: limit, at: stamp)
      try noteUnneeded(found.neededAgain, since: nil)
      try noteUnneeded(found.seenFirst, since: stamp)
      for image in found.images {
        try connection.delete(Book.mediaURLs, where: "digest = ?", [.text(image.digest)])
        try Self.forget(image.digest, connection)
      }
      return found
    }
  }

  private func noteUnneeded(_ digests: [String], since stamp: Instant?) throws(SQLiteError) {
    for digest in digests {
      try connection.set(
        Book.media, [("unneeded_since", SQLValue(stamp?.description))], where: "digest = ?",
        [.text(digest)])
    }
  }

  /// Files of a vanished record that is no longer a favorite are unneeded from now on.
  func clearUnneededMark(_ name: String, key: String, at stamp: Instant) throws(SQLiteError) {
    for table in try Self.pictured(connection, name) {
      for path in table.paths.map({ SQLName.quoted($0) }) {
        let digests = try connection.texts(
          "SELECT digest FROM trawl_media WHERE path IN (SELECT t.\(path) FROM (\(table.allRows)) t "
            + "WHERE t.vanished_at IS NOT NULL AND \(ViewDesign.keyText(table.key)) = ?)",
          [.text(key)])
        try noteUnneeded(digests, since: stamp)
      }
    }
  }

  /// Paths of records' files, as digests: a collision would only keep a file. Gone: of records that vanished before the
  /// limit.
  private func shown(
    before limit: Instant
  ) throws(SQLiteError) -> (kept: KeySet, gone: KeySet) {
    var (kept, gone) = (KeySet(), KeySet())
    // A removed table may be put back: until then no file is known to be unneeded.
    for table in try Self.pictured(connection, isStrict: true) {
      let isKept =
        "(t.vanished_at IS NULL OR t.vanished_at >= ?1 OR \(ViewDesign.keyText(table.key)) IN "
        + "(SELECT record_key FROM trawl_favorites WHERE table_name = ?2))"
      for path in table.paths.map({ SQLName.quoted($0) }) {
        try connection.each(
          "SELECT \(path), \(isKept) FROM (\(table.allRows)) t WHERE \(path) IS NOT NULL",
          [.text(limit.description), .text(table.name)]
        ) { row in
          let digest = Digest64.of((row.text(0) ?? "").utf8)
          _ = row.boolean(1) ? kept.insert(digest) : gone.insert(digest)
        }
      }
    }
    return (kept, gone)
  }

  private func collectable(
    before limit: Instant, at stamp: Instant
  ) throws(SQLiteError) -> ImageCollection {
    let shown = try shown(before: limit)
    var found = ImageCollection()
    try connection.each(
      "SELECT \(StoredImageRow.columns), m.stored_at < ?1 AND NOT EXISTS (SELECT 1 FROM trawl_media_urls u "
        + "WHERE u.digest = m.digest AND u.fetched_at >= ?1), m.unneeded_since "
        + "FROM trawl_media m ORDER BY m.digest", [.text(limit.description)]
    ) { rows in
      var columns = ColumnReader(rows)
      let image = columns.next(StoredImageRow.self)
      let path = Digest64.of(image.path.utf8)
      let marked = rows.instant(7)
      if shown.kept.contains(path) {
        if marked != nil { found.neededAgain.append(image.digest) }
        return
      }
      let isDated = marked != nil || shown.gone.contains(path)
      if !isDated { found.seenFirst.append(image.digest) }
      let isLongAgo = isDated ? (marked.map { $0 <= limit } ?? true) : stamp <= limit
      if rows.boolean(6), isLongAgo {
        found.images.append(image)
      } else {
        found.waiting += 1
      }
    }
    for image in found.images {
      found.urls += try connection.count(
        of: "trawl_media_urls WHERE digest = ?", [.text(image.digest)])
    }
    return found
  }
}
