public import Base

/// A record that is stored as one of a list, and that the walk of the list did not bring.
public struct MissingRecord: Sendable {
  /// What to call it: its title, else its key.
  public let name: String
  /// Its columns that the question about it needs; one without a value is not there.
  public let values: [String: String]
  let key: [SQLValue]
}

public struct MissingRecords: Sendable {
  /// One who was just received may have left since, but hardly three.
  static let controlsMax = 3

  /// Those that are asked for.
  public let records: [MissingRecord]
  /// All that look gone.
  public let count: Int
  /// So many look gone that nothing is asked: an API that has lost its way is likelier.
  public let withheld: Int
  /// A few that the walk has just brought: an API that says of each that it is gone says so of all.
  public let controls: [MissingRecord]
}

extension RecordStore {
  /// What a walk did not bring that does not show who left, and an answer for each may prove. Nil where
  /// nothing is asked: the walk shows it, or did not come to the list's end.
  /// - Parameters:
  ///   - left: how many records the run may still ask for, over all of its lists.
  ///   - streams: those whose records are asked for.
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
      var vanishing = Vanishing(unit, connection, probe, now: now)
      let lists = try listsToCome(unit, streams)
      let most = (left + lists - 1) / lists
      let missing = try vanishing.missing(
        accepting: accepted, most: most, columns: confirmation.columns)
      unit.withheld = missing.withheld
      return missing
    }
  }

  /// So many lists may still have questions in this run, this one among them: those of the last days
  /// that the run has not concluded yet. Each gets its share; what one leaves is there for the others.
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

  /// Keeps what an answer said of one record, in a transaction of its own: whatever becomes of the
  /// run, no more than the question under way is asked again for what is marked.
  public func settle(
    _ record: MissingRecord, isGone: Bool, of id: UnitID
  ) throws(StoreError) {
    let unit = try opened(id)
    let now = now
    if isGone {
      try write {
        var vanishing = Vanishing(unit, connection, probe, now: now)
        try vanishing.mark(record)
        try forgetAnswers(besides: unit)
        settings.faults.reach(.beforeMark)
        unit.confirmed += vanishing.marked
      }
    }
    settings.faults.reach(.afterMark)
  }
}
