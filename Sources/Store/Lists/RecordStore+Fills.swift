public import Base

/// The forecast and the actual cost so far of one backfill of one list, over all its runs.
public struct FillRecord: Sendable, Equatable {
  public var range: TimeWindow
  public var beganAt: Instant
  public var requests: Int
  /// How many days it has taken so far.
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

  /// Counts requests of a fill, and creates its fact if it is new. An ended fill begins anew.
  public func noteFill(
    _ range: TimeWindow, of list: ListKey, requests: Int
  ) throws(StoreError) {
    let moment = now
    try change(range, of: list) { fill in
      let day = String(moment.description.prefix(10))  // cut: a day is the first part of an instant
      if fill.text("began_at") == nil || fill.text("ended_at") != nil {
        fill = FactFields()
        fill["began_at"] = .text(moment.description)
      }
      if fill.text("last_day") != day { fill["days"] = SQLValue((fill.integer("days") ?? 0) + 1) }
      fill["last_day"] = .text(day)
      fill["requests"] = SQLValue((fill.integer("requests") ?? 0) + requests)
    }
    try forgetOldFills(of: list)
  }

  private func change(
    _ range: TimeWindow, of list: ListKey, _ body: (inout FactFields) -> Void
  ) throws(StoreError) {
    try write {
      let subject = "\(range.from)/\(range.to)"
      guard let key = try list.fact(.fill, connection, subject) else { return }
      var fill = FactFields(try connection.fact(key))
      body(&fill)
      try connection.note(key, fill)
    }
  }

  private func forgetOldFills(of list: ListKey) throws(StoreError) {
    let fills = try fills(list)
    guard fills.count > Self.fillsKept else { return }
    try write {
      // cut: the older ones are history
      for fill in fills.dropFirst(Self.fillsKept) {
        let subject = "\(fill.range.from)/\(fill.range.to)"
        if let key = try list.fact(.fill, connection, subject) { try connection.forget(key) }
      }
    }
  }

  /// Keeps the first forecast of a fill; a later one would only repeat what is known by then.
  public func noteForecast(
    _ range: TimeWindow, of list: ListKey, requests: Int, records: Int?, days: Int
  ) throws(StoreError) {
    let stamp = now.description
    try change(range, of: list) { fill in
      guard fill.text("began_at") != nil, fill.integer("forecast_requests") == nil else { return }
      fill["forecast_requests"] = SQLValue(requests)
      fill["forecast_records"] = SQLValue(records)
      fill["forecast_days"] = SQLValue(days)
      fill["forecast_at"] = .text(stamp)
    }
  }

  public func endFill(_ range: TimeWindow, of list: ListKey) throws(StoreError) {
    let stamp = now.description
    try change(range, of: list) { fill in
      guard fill.text("began_at") != nil, fill.text("ended_at") == nil else { return }
      fill["ended_at"] = .text(stamp)
    }
  }

  /// The fills of a list, newest first.
  public func fills(_ list: ListKey) throws(StoreError) -> [FillRecord] {
    try guarded {
      guard let key = try list.fact(.fill, connection) else { return [] }
      return try connection.facts(key).compactMap { FillRecord($0.subject, FactFields($0.fact)) }
        .sorted { $0.beganAt > $1.beganAt }
    }
  }
}

extension FillRecord {
  /// Nil: nothing was ever requested for it.
  fileprivate init?(_ subject: String, _ fill: FactFields) {
    let ends = subject.split(separator: "/").compactMap { Instant(stored: String($0)) }
    guard ends.count == 2, let began = fill.instant("began_at") else { return nil }
    self.init(
      range: TimeWindow(from: ends[0], to: ends[1]), beganAt: began,
      requests: fill.integer("requests") ?? 0, days: fill.integer("days") ?? 0,
      forecast: fill.integer("forecast_requests"),
      forecastRecords: fill.integer("forecast_records"),
      forecastDays: fill.integer("forecast_days"), forecastAt: fill.instant("forecast_at"),
      endedAt: fill.instant("ended_at"))
  }
}
