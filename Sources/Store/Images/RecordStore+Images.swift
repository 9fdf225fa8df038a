internal import Base

extension RecordStore {
  /// Images that are due now, oldest first.
  public func imagesDue(of job: String, limit: Int) throws(StoreError) -> [ImageDue] {
    try guarded {
      try connection.rows(
        "SELECT identity, url, table_name || ' ' || record_key, digest, iif(digest IS NULL, NULL, etag), "
          + "iif(digest IS NULL, NULL, last_modified) FROM trawl_media_urls "
          + "WHERE job = ? AND next_attempt_at <= ? "
          // cut: the caller asks again until fewer come than it asked for
          + "ORDER BY next_attempt_at LIMIT ?",
        [.text(job), .text(now.description), SQLValue(limit)], as: ImageDue.init)
    }
  }

  /// How many images are due now.
  public func imagesPending(of job: String) throws(StoreError) -> Int {
    try guarded {
      try connection.count(
        of: "trawl_media_urls WHERE job = ? AND next_attempt_at <= ?",
        [.text(job), .text(now.description)])
    }
  }

  /// Waits that were written while the clock was ahead: their images are due.
  public func endImpossibleWaits(of job: String) throws(StoreError) {
    let stamp = now
    try write {
      _ = try connection.set(
        Book.mediaURLs, [("next_attempt_at", .text(stamp.description))],
        where: "job = ? AND next_attempt_at > ?",
        [.text(job), .text((stamp + RetryTimes.imageWaitMax).description)])
    }
  }

  /// Images that another rule of the job refused are due.
  public func note(
    imageRule rule: String, refusing reasons: [String], of job: String
  ) throws(StoreError) {
    let (key, stamp) = (FactKey(.images, job: job), now)
    let known = try guarded { try connection.fact(key) }
    if known == .text(rule) { return }
    try write {
      try connection.note(key, .text(rule))
      let those = reasons.map { SQLName.literal($0) }.joined(separator: ", ")
      _ = try connection.set(
        Book.mediaURLs, [("attempts", 0), ("next_attempt_at", .text(stamp.description))],
        where: "job = ? AND reason IN (\(those))", [.text(job)])
    }
  }

  /// Bytes of all files that the database knows.
  public func imageBytesStored() throws(StoreError) -> Int64 {
    try guarded { try connection.fact(FactKey(.bytes))?.integer ?? 0 }
  }

  /// Stores the results of a group, after its files are durable: a row never comes before its file.
  /// Rows that a power cut takes are written again, since the image is still due.
  public func recordImages(_ outcomes: [ImageOutcome], of job: String) throws(StoreError) {
    let stamp = now
    try write {
      for outcome in outcomes {
        let replaced = try keep(outcome, at: stamp)
        try connection.set(
          Book.mediaURLs, values(of: outcome, at: stamp), where: "identity = ?",
          [.text(outcome.identity)])
        guard let replaced,
          try !connection.has("trawl_media_urls WHERE digest = ?", [.text(replaced)])
        else { continue }
        try Self.forget(replaced, connection)
      }
    }
    for outcome in outcomes { wanted.answered(outcome.identity) }
    settings.faults.reach(.afterMediaRow)
  }

  private func values(
    of outcome: ImageOutcome, at stamp: Instant
  ) throws(SQLiteError) -> Connection.Values {
    switch outcome {
    case .stored(_, let image, let status, let etag, let modified):
      let isAskedAgain = etag != nil || modified != nil
      let next = isAskedAgain ? stamp + RetryTimes.imageCheck : nil
      return [
        ("digest", .text(image.digest)), ("etag", SQLValue(etag)),
        ("last_modified", SQLValue(modified)), ("status", SQLValue(status)), ("reason", nil),
        ("attempts", 0), ("fetched_at", .text(stamp.description)),
        ("next_attempt_at", SQLValue(next?.description)),
      ]
    case .unchanged:
      return [
        ("status", 304), ("reason", nil), ("attempts", 0), ("fetched_at", .text(stamp.description)),
        ("next_attempt_at", .text((stamp + RetryTimes.imageCheck).description)),
      ]
    case .postponed(_, let reason, let until):
      // A host's wait is at most the longest retry time of a refused image.
      let next = until.flatMap { $0 > stamp ? min($0, stamp + RetryTimes.absentMax) : nil }
      return [
        ("reason", .text(reason)),
        ("next_attempt_at", .text((next ?? stamp + RetryTimes.imagePostponed).description)),
      ]
    case .refused(let identity, let status, let reason, let mayBeAskedAgain):
      let attempts = try connection.count(
        "SELECT attempts + 1 FROM trawl_media_urls WHERE identity = ?", [.text(identity)])
      let wait = RetryTimes.absent(after: attempts)
      return [
        ("status", SQLValue(status)), ("reason", .text(reason)), ("attempts", SQLValue(attempts)),
        ("next_attempt_at", SQLValue(mayBeAskedAgain ? (stamp + wait).description : nil)),
      ]
    }
  }

  /// Adds the row of a stored file, or marks it as needed. Returns the digest of the missing file that it replaces.
  private func keep(_ outcome: ImageOutcome, at stamp: Instant) throws(SQLiteError) -> String? {
    guard case .stored(let identity, let image, _, _, _) = outcome else { return nil }
    // Its record was forgotten during the request.
    guard try connection.has("trawl_media_urls WHERE identity = ?", [.text(identity)]) else {
      try noteUnwiped([image])
      return nil
    }
    let missing = try connection.text(
      "SELECT digest FROM trawl_media_urls WHERE identity = ? AND digest <> ? AND \(Self.lacksFile)",
      [.text(identity), .text(image.digest)])
    let isNew = try connection.insertIfNew(
      Book.media,
      [
        ("digest", .text(image.digest)), ("path", .text(image.path)),
        ("size", SQLValue(image.size)), ("type", .text(image.type)),
        ("width", SQLValue(image.width)), ("height", SQLValue(image.height)),
        ("stored_at", .text(stamp.description)),
      ])
    if isNew {
      try connection.add(image.size, to: FactKey(.bytes))
    } else {
      try connection.update(
        Book.media, [("unneeded_since", "NULL"), ("missing_since", "NULL")],
        where: "digest = ? AND coalesce(unneeded_since, missing_since) IS NOT NULL",
        [.text(image.digest)])
    }
    return missing
  }
}
