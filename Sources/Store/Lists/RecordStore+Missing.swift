public import Model
internal import SQLite

/// A record that is stored as one of a list, and that the walk of the list did not bring.
public struct MissingRecord: Sendable {
  /// What to call it: its title, else its key.
  public let name: String
  /// Its columns that the question about it needs; one without a value is not there.
  public let values: [String: String]
  let key: [SQLValue]
}

public struct MissingRecords: Sendable {
  /// Those that are asked for.
  public let records: [MissingRecord]
  /// All that look gone.
  public let count: Int
  /// So many look gone that nothing is asked: an API that has lost its way is likelier.
  public let withheld: Int
}

extension RecordStore {
  /// What a walk that proves nothing did not bring, and an answer for each may prove. Nil where
  /// nothing is asked: the walk has a proof, or did not come to the list's end.
  public func missing(
    _ id: UnitID, after certificate: Certificate, accepting accepted: Int, most: Int
  ) throws(StoreError) -> MissingRecords? {
    let unit = try opened(id)
    guard let confirmation = unit.plan.stream.confirmation,
      certificate.verdict == .unproven
        || certificate.verdict == .incomplete && certificate.cause == .moved,
      Self.readsToTheEnd(certificate, unit)
    else { return nil }
    let stamp = now.description
    return try guarded { connection in
      var vanishing = Vanishing(unit, connection, probe, now: stamp)
      let missing = try vanishing.missing(
        accepting: accepted, most: most, columns: confirmation.columns)
      unit.withheld = missing.withheld
      return missing
    }
  }

  /// Keeps what an answer said of one record, in a transaction of its own: whatever becomes of the
  /// run, no more than the question under way is asked again for what is marked.
  public func settle(
    _ record: MissingRecord, isGone: Bool, of id: UnitID
  ) throws(StoreError) {
    let unit = try opened(id)
    let stamp = now.description
    if isGone {
      try write { connection in
        var vanishing = Vanishing(unit, connection, probe, now: stamp)
        try vanishing.mark(record)
        settings.faults.reach(.beforeMark)
        unit.confirmed += vanishing.marked > 0 ? [record.name] : []
      }
    }
    settings.faults.reach(.afterMark)
  }
}
