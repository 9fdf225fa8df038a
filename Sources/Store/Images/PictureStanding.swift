internal import Base

/// How many of a job's pictures are here, and why the others are not: of those that records in lists show.
public struct PictureStanding: Sendable, Equatable {
  public var all = 0
  public var here = 0
  /// Those that were asked for in vain, by reason.
  public var refused: [String: Int] = [:]
  /// Those of them that were first wanted after the last picture came.
  var newer: [String: Int] = [:]

  public var refusedCount: Int { refused.values.reduce(0, +) }

  /// Reasons that lie in a picture, its address or its size, not in a host that fails or is not allowed: as
  /// `ImageRefusal` and `PictureFetch` write them.
  static let own: Set = [
    "status 404", "status 410", "status 206, a part of it", "empty", "not-jpeg-png-gif-webp",
    "too-many-bytes", "too-many-pixels", "too-many-frames", "cut", "malformed",
    "its URL repeats the key, which is not stored", "not a URL that can be fetched",
  ]
  /// So few need no action, unless hosts fail and nothing comes.
  private static let few = 3
  /// Pictures of one run come in any order.
  fileprivate static let runMax = Duration.seconds(3600)

  /// A person should look: none has come since newer ones were wanted, or hosts refuse more than are here.
  public var isTrouble: Bool {
    Self.ofHosts(newer) > 0 || newer.values.reduce(0, +) > Self.few
      || Self.ofHosts(refused) > max(Self.few, here)
  }

  private static func ofHosts(_ counts: [String: Int]) -> Int {
    counts.reduce(0) { $0 + (own.contains($1.key) ? 0 : $1.value) }
  }
}

extension RecordStore {
  /// Reads all URLs of the job.
  public func pictureStanding(of job: String) throws(StoreError) -> PictureStanding {
    let moment = now
    return try guarded {
      var standing = PictureStanding()
      // A time that is ahead was written while the clock was. One that was confirmed (304) came when it was wanted.
      let came = try connection.instant(
        "SELECT max(iif(status = 304, queued_at, fetched_at)) FROM trawl_media_urls "
          + "WHERE job = ? AND fetched_at <= ?", [.text(job), .text(moment.description)])
      try connection.each(
        // Nobody has refused a file that was lost here.
        "SELECT nullif(reason, \(SQLName.literal(Self.fileGone))) AS why, "
          + "digest IS NOT NULL AND digest NOT IN (\(Self.missingDigests)) AS is_here, "
          + "count(*), count(*) FILTER (WHERE queued_at <= ?2 AND queued_at > ?3) "
          + "FROM trawl_media_urls WHERE job = ?1 "
          + "AND reason IS NOT \(SQLName.literal(Self.inNoList)) GROUP BY is_here, why",
        [
          .text(job), .text(moment.description),
          .text(came.map { ($0 + PictureStanding.runMax).description } ?? ""),
        ]
      ) { row in
        let count = row.int(2)
        standing.all += count
        if row.boolean(1) {
          standing.here += count
        } else if let reason = row.text(0) {
          standing.refused[reason] = count
          standing.newer[reason] = row.int(3)
        }
      }
      return standing
    }
  }
}
