internal import Base

/// How many of a job's pictures are here, and why the others are not: of those that records in lists show.
public struct PictureStanding: Sendable, Equatable {
  public var all = 0
  public var here = 0
  /// Those that were asked for in vain, by reason.
  public var refused: [String: Int] = [:]
  /// When the last one came.
  var cameAt: Instant?
  /// When the newest was first wanted of those that were refused: of the ones that are not gone, and of those that are.
  var wantedAt: Instant?
  var goneAt: Instant?

  public var refusedCount: Int { refused.values.reduce(0, +) }

  /// Their server says that they are not there.
  private static let gone: Set = ["status 404", "status 410"]
  /// So few need no action, unless nothing comes.
  private static let few = 3
  /// Pictures of one run come in any order.
  private static let runMax = Duration.seconds(3600)

  /// A person should look: more than a tenth are refused; or nothing has come since one was wanted that is refused, or
  /// that is gone as more than half are.
  public var isTrouble: Bool {
    let gone = Self.gone.reduce(0) { $0 + (refused[$1] ?? 0) }
    let others = refusedCount - gone
    return others > max(Self.few, all / 10) || others > 0 && isLast(wantedAt)
      || gone > max(Self.few, all / 2) && isLast(goneAt)
  }

  /// No picture has come since then.
  private func isLast(_ wanted: Instant?) -> Bool {
    wanted.map { wanted in cameAt.map { wanted - $0 > Self.runMax } ?? true } ?? false
  }
}

extension RecordStore {
  /// Reads all URLs of the job.
  public func pictureStanding(of job: String) throws(StoreError) -> PictureStanding {
    let moment = now
    return try guarded { try PictureStanding(of: job, at: moment, connection) }
  }
}

extension PictureStanding {
  fileprivate init(of job: String, at moment: Instant, _ connection: Connection) throws(SQLiteError)
  {
    var standing = PictureStanding()
    // A time that is ahead was written while the clock was.
    try connection.each(
      // Nobody has refused a file that was lost here.
      "SELECT nullif(reason, \(SQLName.literal(RecordStore.fileGone))) AS why, "
        + "digest IS NOT NULL AND digest NOT IN (\(RecordStore.missingDigests)) AS is_here, "
        + "count(*), max(iif(fetched_at <= ?2, fetched_at, NULL)), "
        + "max(iif(queued_at <= ?2, queued_at, NULL)) "
        + "FROM trawl_media_urls WHERE job = ?1 "
        + "AND reason IS NOT \(SQLName.literal(RecordStore.inNoList)) GROUP BY is_here, why",
      [.text(job), .text(moment.description)]
    ) { row in
      let count = row.int(2)
      standing.all += count
      if row.boolean(1) {
        standing.here += count
        standing.cameAt = [standing.cameAt, row.instant(3)].compactMap { $0 }.max()
      } else if let reason = row.text(0) {
        standing.refused[reason, default: 0] += count
        let place =
          Self.gone.contains(reason)
          ? \PictureStanding.goneAt : \PictureStanding.wantedAt
        standing[keyPath: place] = [standing[keyPath: place], row.instant(4)]
          .compactMap { $0 }.max()
      }
    }
    self = standing
  }
}
