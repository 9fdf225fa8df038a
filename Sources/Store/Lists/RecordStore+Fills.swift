public import Base

/// What one backfill of one list was forecast to cost, and what it has cost so far, over all the
/// runs that it took.
public struct FillRecord: Sendable, Equatable {
  public var range: TimeWindow
  public var beganAt: Instant
  public var requests: Int
  /// Asked on this day and others: how many days it took so far.
  public var days: Int
  public var forecast: Int?
  public var forecastRecords: Int?
  public var forecastDays: Int?
  public var forecastAt: Instant?
  public var endedAt: Instant?
}

extension RecordStore {
  /// Fills of one list that are kept; the oldest go first.
  static let fillsKept = 50

  /// Counts requests to a fill, and makes its row if it is new. One that had ended begins anew.
  public func noteFill(
    _ range: TimeWindow, of list: ListKey, requests: Int
  ) throws(StoreError) {
    let stamp = now.description
    let key: [SQLValue] = [.text(range.from.description), .text(range.to.description)]
    try write { connection in
      try connection.run(
        "DELETE FROM trawl_fills WHERE fill_from = ?4 AND fill_to = ?5 AND ended_at IS NOT NULL "
          + "AND list_number IN (\(Self.listOf))", list.values + key)
      try connection.run(
        "INSERT INTO trawl_fills (list_number, fill_from, fill_to, began_at, requests, days, "
          + "last_day) "
          + "SELECT list_number, ?4, ?5, ?6, ?7, 1, substr(?6, 1, 10) FROM trawl_lists WHERE job "
          + "= ?1 "
          + "AND stream = ?2 AND parameters = ?3 ON CONFLICT DO UPDATE SET "
          + "requests = requests + ?7, days = days + (last_day <> substr(?6, 1, 10)), "
          + "last_day = substr(?6, 1, 10)",
        list.values + key + [.text(stamp), SQLValue(requests)])
      try connection.run(
        "DELETE FROM trawl_fills WHERE list_number IN (\(Self.listOf)) AND began_at < "
          + "ifnull((SELECT began_at FROM trawl_fills WHERE list_number IN (\(Self.listOf)) "
          + "ORDER BY began_at DESC "
          // cut: history that is kept so far back
          + "LIMIT 1 OFFSET \(Self.fillsKept)), '')", list.values)
    }
  }

  private static let listOf =
    "SELECT list_number FROM trawl_lists WHERE job = ?1 AND stream = ?2 AND parameters = ?3"

  /// Keeps the first forecast of a fill; a later one would only tell what is known by then.
  public func noteForecast(
    _ range: TimeWindow, of list: ListKey, requests: Int, records: Int?, days: Int
  ) throws(StoreError) {
    let stamp = now.description
    try write { connection in
      try connection.run(
        "UPDATE trawl_fills SET forecast_requests = ?6, forecast_records = ?7, forecast_days = ?8, "
          + "forecast_at = ?9 WHERE list_number IN (\(Self.listOf)) AND fill_from = ?4 AND "
          + "fill_to = ?5 "
          + "AND forecast_requests IS NULL",
        list.values + [
          .text(range.from.description), .text(range.to.description), SQLValue(requests),
          SQLValue(records), SQLValue(days), .text(stamp),
        ])
    }
  }

  public func endFill(_ range: TimeWindow, of list: ListKey) throws(StoreError) {
    let stamp = now.description
    try write { connection in
      try connection.run(
        "UPDATE trawl_fills SET ended_at = ?6 WHERE list_number IN (\(Self.listOf)) AND "
          + "fill_from = ?4 "
          + "AND fill_to = ?5 AND ended_at IS NULL",
        list.values + [
          .text(range.from.description), .text(range.to.description), .text(stamp),
        ])
    }
  }

  /// The fills of a list, the newest first.
  public func fills(_ list: ListKey) throws(StoreError) -> [FillRecord] {
    try guarded { connection in
      try connection.rows(
        "SELECT fill_from, fill_to, began_at, requests, days, forecast_requests, forecast_records, "
          + "forecast_days, forecast_at, ended_at "
          + "FROM trawl_fills WHERE list_number IN "
          + "(\(Self.listOf)) "
          + "ORDER BY began_at DESC", list.values
      ) { row -> FillRecord in
        func instant(_ column: Int) -> Instant? { row.text(column).flatMap { Instant(stored: $0) } }
        let zero = Instant(seconds: 0)
        return FillRecord(
          range: TimeWindow(from: instant(0) ?? zero, to: instant(1) ?? zero),
          beganAt: instant(2) ?? zero, requests: row.int(3), days: row.int(4),
          forecast: row.optionalInt(5), forecastRecords: row.optionalInt(6),
          forecastDays: row.optionalInt(7), forecastAt: instant(8), endedAt: instant(9))
      }
    }
  }
}
