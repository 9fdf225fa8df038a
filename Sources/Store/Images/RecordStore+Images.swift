internal import Base

extension RecordStore {
  /// A stored image whose server gave a validator is asked after this time whether it changed.
  static let imageRevalidation = Duration.seconds(30 * 86_400)
  /// A refused one is asked again after a day, two, four, and so on up to this.
  static let imageRetryMax = Duration.seconds(30 * 86_400)
  /// One whose host did not answer others is asked again after this time.
  static let imagePostponement = Duration.seconds(3600)

  /// Images that are due now, oldest first.
  public func imagesDue(of job: String, limit: Int) throws(StoreError) -> [ImageDue] {
    try guarded { connection in
      try connection.rows(
        "SELECT identity, url, table_name || ' ' || record_key, digest, etag, last_modified "
          + "FROM trawl_media_urls WHERE job = ? AND next_attempt_at <= ? "
          // cut: the caller asks again until fewer come than it asked for
          + "ORDER BY next_attempt_at LIMIT ?",
        [.text(job), .text(now.description), SQLValue(limit)]
      ) { row in
        ImageDue(
          identity: row.text(0) ?? "", url: row.text(1) ?? "", title: row.text(2) ?? "",
          digest: row.text(3), etag: row.text(3) == nil ? nil : row.text(4),
          lastModified: row.text(3) == nil ? nil : row.text(5))
      }
    }
  }

  /// How many images are due now.
  public func imagesPending(of job: String) throws(StoreError) -> Int {
    try guarded { connection in
      Int(
        try connection.integer(
          "SELECT count(*) FROM trawl_media_urls WHERE job = ? AND next_attempt_at <= ?",
          [.text(job), .text(now.description)]) ?? 0)
    }
  }

  /// Bytes of all files that the database knows.
  public func imageBytesStored() throws(StoreError) -> Int64 {
    try guarded {
      try $0.integer("SELECT bytes FROM trawl_row_counts WHERE table_name = 'trawl_media'") ?? 0
    }
  }

  /// Writes down what came of a group, after its files are durable: a row never comes before its
  /// file. Rows that a power cut takes are written again: the image is due still.
  public func recordImages(_ outcomes: [ImageOutcome], of job: String) throws(StoreError) {
    let stamp = now
    try write { connection in
      let areSomeUnneeded =
        try connection.integer("SELECT EXISTS (SELECT 1 FROM trawl_unneeded)") != 0
      for outcome in outcomes {
        switch outcome {
        case .stored(let identity, let image, let status, let etag, let modified):
          try keep(image, at: stamp, connection)
          if areSomeUnneeded {
            try connection.run(
              "DELETE FROM trawl_unneeded WHERE digest = ?", [.text(image.digest)])
          }
          let isAskedAgain = etag != nil || modified != nil
          try connection.run(
            "UPDATE trawl_media_urls SET digest = ?2, etag = ?3, last_modified = ?4, status = ?5, "
              + "reason = NULL, attempts = 0, fetched_at = ?6, next_attempt_at = ?7 "
              + "WHERE identity = ?1",
            [
              .text(identity), .text(image.digest), SQLValue(etag), SQLValue(modified),
              SQLValue(status), .text(stamp.description),
              SQLValue(isAskedAgain ? (stamp + Self.imageRevalidation).description : nil),
            ])
        case .unchanged(let identity):
          try connection.run(
            "UPDATE trawl_media_urls SET status = 304, attempts = 0, fetched_at = ?2, "
              + "next_attempt_at = ?3 WHERE identity = ?1",
            [
              .text(identity), .text(stamp.description),
              .text((stamp + Self.imageRevalidation).description),
            ])
        case .postponed(let identity, let reason, let until):
          try connection.run(
            "UPDATE trawl_media_urls SET reason = ?2, next_attempt_at = ?3 WHERE identity = ?1",
            [
              .text(identity), .text(reason),
              .text(Self.postponed(until, at: stamp).description),
            ])
        case .refused(let identity, let status, let reason, let mayBeAskedAgain):
          try refuse(identity, status, reason, mayBeAskedAgain, at: stamp, connection)
        }
      }
    }
    for outcome in outcomes { wanted.answered(outcome.identity) }
    settings.faults.reach(.afterMediaRow)
  }

  /// No host's wait is longer than the rest of one that was refused.
  private static func postponed(_ until: Instant?, at stamp: Instant) -> Instant {
    guard let until, until > stamp else { return stamp + imagePostponement }
    return min(until, stamp + imageRetryMax)
  }

  private func keep(
    _ image: StoredImageRow, at stamp: Instant, _ connection: Connection
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO trawl_media (digest, path, size, type, width, height, stored_at) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      [
        .text(image.digest), .text(image.path), SQLValue(image.size), .text(image.type),
        SQLValue(image.width), SQLValue(image.height), .text(stamp.description),
      ])
  }

  private func refuse(
    _ identity: String, _ status: Int?, _ reason: String, _ mayBeAskedAgain: Bool,
    at stamp: Instant, _ connection: Connection
  ) throws(SQLiteError) {
    let attempts =
      try connection.integer(
        "SELECT attempts FROM trawl_media_urls WHERE identity = ?", [.text(identity)]) ?? 0
    let wait = min(Duration.seconds(86_400 << min(attempts, 5)), Self.imageRetryMax)
    try connection.run(
      "UPDATE trawl_media_urls SET status = ?2, reason = ?3, attempts = attempts + 1, "
        + "next_attempt_at = ?4 WHERE identity = ?1",
      [
        .text(identity), SQLValue(status), .text(reason),
        SQLValue(mayBeAskedAgain ? (stamp + wait).description : nil),
      ])
  }
}
