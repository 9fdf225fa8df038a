public import Base

/// A record that is stored as one of a list, and that the list's walk did not return.
public struct MissingRecord: Sendable {
  /// For messages: its title, else its key.
  public let name: String
  /// The columns that the request for it needs; one without a value is absent.
  public let values: [String: String]
  let key: [SQLValue]
}

public struct MissingRecords: Sendable {
  /// A control record that was just received may have left since, but hardly three.
  static let controlsMax = 3

  /// Those to request.
  public let records: [MissingRecord]
  /// How many look gone.
  public let count: Int
  /// How many look gone if they are too many to request: an API failure is more likely.
  public let withheld: Int
  /// A few that the walk has just returned: an API that says of each missing record that it is gone
  /// may say so of all.
  public let controls: [MissingRecord]
}

extension RecordStore {
  /// The missing records of a walk that does not show which records left; single requests may show it. Nil if nothing
  /// is requested: the walk shows it, or did not reach the list's end.
  /// - Parameters:
  ///   - left: how many records the run may still request, over all of its lists.
  ///   - streams: the streams whose records are requested.
  public func missing(
    _ id: UnitID, after certificate: Certificate, accepting accepted: Int, left: Int,
    of streams: [String]
  ) throws(StoreError) -> MissingRecords? {
    let unit = try opened(id)
    guard let confirmation = unit.plan.stream.confirmation,
      certificate.verdict.isWhole && !certificate.showsWhoLeft
        || certificate.verdict == .incomplete && certificate.cause == .moved,
      Self.readsToTheEnd(certificate, unit)
    else { return nil }
    let now = now
    return try guarded {
      var vanishing = try Vanishing(unit, connection, probe, now: now)
      let lists = try listsToCome(unit, streams)
      let most = (left + lists - 1) / lists
      let missing = try vanishing.missing(
        accepting: accepted, most: most, columns: confirmation.columns)
      unit.withheld = missing.withheld
      return missing
    }
  }

  /// How many lists may still have such requests in this run, this one included: those of recent
  /// days that the run has not concluded yet. Each gets its share; what one leaves is there for the
  /// others.
  private func listsToCome(_ unit: OpenUnit, _ streams: [String]) throws(SQLiteError) -> Int {
    let names = streams.indices.map { "?\($0 + 4)" }.joined(separator: ", ")
    let count = try connection.integer(
      "SELECT count(DISTINCT list_number) FROM trawl_certificates JOIN trawl_windows w USING (window) "
        + "JOIN trawl_lists USING (list_number) WHERE job = ?1 AND stream IN (\(names)) "
        + "AND window_from = '' AND issued_at >= ?2 AND window NOT IN "
        + "(SELECT window FROM trawl_certificates WHERE run = ?3)",
      [
        .text(unit.plan.job), .text((now - Self.listsOfLateAge).description), .integer(unit.run),
      ] + streams.map { .text($0) })
    return max(1, Int(count ?? 1))
  }

  private static let listsOfLateAge = Duration.seconds(7 * 86_400)

  /// Stores what an answer said of one record, in its own transaction: whatever becomes of the run,
  /// at most the current request is repeated.
  public func settle(
    _ record: MissingRecord, isGone: Bool, of id: UnitID
  ) throws(StoreError) {
    let unit = try opened(id)
    let now = now
    if isGone {
      try write {
        var vanishing = try Vanishing(unit, connection, probe, now: now)
        try vanishing.mark(record)
        try forgetAnswers(besides: unit)
        settings.faults.reach(.beforeMark)
        unit.confirmed += vanishing.marked
      }
    }
    settings.faults.reach(.afterMark)
  }
}
