import Base
@testable import Store
internal import Testing

@Suite("A date of an API")
struct TimeTests {
  let fixture = Fixture()

  /// What each form becomes in a column of each type; nil is NULL. A misfit adds a reject.
  static let table: [(String, time: String?, date: String?, misfits: Bool)] = [
    (#""2019-12-05T19:00:10.000Z""#, "2019-12-05T19:00:10Z", "2019-12-05", false),
    (#""2005-09-18T22:37:10Z""#, "2005-09-18T22:37:10Z", "2005-09-18", false),
    (#""2020-06-01T08:55:21.2983005Z""#, "2020-06-01T08:55:21Z", "2020-06-01", false),
    (#""2020-06-01T08:55:21.298300512Z""#, "2020-06-01T08:55:21Z", "2020-06-01", false),
    (#""2017-03-04T23:30:00-05:00""#, "2017-03-05T04:30:00Z", "2017-03-05", false),
    (#""2017-03-04T00:30:00+0900""#, "2017-03-03T15:30:00Z", "2017-03-03", false),
    (#""2017-03-04T00:30:00+00:00""#, "2017-03-04T00:30:00Z", "2017-03-04", false),
    (#""2018-11-02 09:45:01""#, "2018-11-02T09:45:01", "2018-11-02", false),
    (#""2022-01-24T00:00:00.00""#, "2022-01-24T00:00:00", "2022-01-24", false),
    (#""2022-01-03 00:00:00.000""#, "2022-01-03T00:00:00", "2022-01-03", false),
    (#""2022-11-16T08:25:27.27""#, "2022-11-16T08:25:27", "2022-11-16", false),
    (#""2026-01-31""#, "2026-01-31T00:00:00", "2026-01-31", false),
    ("1643000000", "2022-01-24T04:53:20Z", "2022-01-24", false),
    ("1643000000.75", "2022-01-24T04:53:20Z", "2022-01-24", false),
    (#""1643000000""#, "2022-01-24T04:53:20Z", "2022-01-24", false),
    ("1643000000123", "2022-01-24T04:53:20Z", "2022-01-24", false),
    ("20260131", "2026-01-31T00:00:00", "2026-01-31", false),
    (#""20240229""#, "2024-02-29T00:00:00", "2024-02-29", false),
    ("20260231", nil, nil, true),
    (#""19840500""#, nil, nil, true),
    ("1999", nil, nil, true),
    (#""1984""#, nil, nil, true),
    (#""1984-05""#, nil, nil, true),
    (#""198405""#, nil, nil, true),
    ("198405", nil, nil, true),
    ("20240102030405", "2024-01-02T03:04:05", "2024-01-02", false),
    (#""20231231235959""#, "2023-12-31T23:59:59", "2023-12-31", false),
    (#""202401020304""#, "2024-01-02T03:04:00", "2024-01-02", false),
    ("20241302030405", nil, nil, true),
    ("204001234567", "1976-06-19T03:00:34Z", "1976-06-19", false),
    (#""198413""#, "1970-01-03T07:06:53Z", "1970-01-03", false),
    ("1999.5", "1970-01-01T00:33:19Z", "1970-01-01", false),
    ("1", "1970-01-01T00:00:01Z", "1970-01-01", false),
    (#""86400""#, "1970-01-02T00:00:00Z", "1970-01-02", false),
    ("-86400", "1969-12-31T00:00:00Z", "1969-12-31", false),
    (#""0000-00-00 00:00:00""#, nil, nil, false),
    (#""0000-00-00""#, nil, nil, false),
    (#""1970-01-01 00:00:00""#, "1970-01-01T00:00:00", "1970-01-01", false),
    (#""1970-01-01T00:00:00Z""#, "1970-01-01T00:00:00Z", "1970-01-01", false),
    (#""0001-01-01T00:00:00""#, nil, nil, false),
    ("-62135596800", nil, nil, false),
    ("0", "1970-01-01T00:00:00Z", "1970-01-01", false),
    ("null", nil, nil, false),
    (#""""#, nil, nil, false),
    (#""1970-01-01""#, "1970-01-01T00:00:00", "1970-01-01", false),
    (#""2026-02-30T00:00:00Z""#, nil, nil, true),
    (#""2024-02-29T00:00:00Z""#, "2024-02-29T00:00:00Z", "2024-02-29", false),
    (#""2016-12-31T23:59:60Z""#, "2016-12-31T23:59:59Z", "2016-12-31", false),
    (#""9999-12-31T23:59:59Z""#, "9999-12-31T23:59:59Z", "9999-12-31", false),
    (#""9999-12-31T23:59:59-01:00""#, nil, nil, true),
    (#""2038-01-19T03:14:08Z""#, "2038-01-19T03:14:08Z", "2038-01-19", false),
    (#""-0500-01-01T00:00:00Z""#, nil, nil, true),
    (#""0000-05-01T00:00:00Z""#, nil, nil, true),
    (#""11/21/2026""#, nil, nil, true),
    (#""yesterday""#, nil, nil, true),
    (#""2026-01-01T00:00:00.1234567890Z""#, nil, nil, true),
    (#""2026-01-01T24:00:00Z""#, nil, nil, true),
    ("1e300", nil, nil, true),
    ("{}", nil, nil, true),
    ("true", nil, nil, true),
  ]

  @Test("becomes text whose order is the order of time, or NULL and a reject with the value")
  func forms() async throws {
    let store = try await fixture.open(
      .things([Column.id, Column("time", "v", .time), Column("date", "v", .date)]))
    let records = Self.table.enumerated().map { #"{"id": \#($0 + 1), "v": \#($1.0)}"# }
    let (_, receipts) = try await store.store(things: "[\(records.joined(separator: ","))]")
    let rows = try fixture.rows("SELECT time, date FROM box_things ORDER BY id")
    let misfits = try fixture.rows(
      "SELECT DISTINCT json_extract(record_key, '$[0]') FROM trawl_rejects")
    for (index, entry) in Self.table.enumerated() {
      #expect(
        rows[index] == "\(entry.time ?? "-")|\(entry.date ?? "-")", "for \(entry.0)")
      #expect(misfits.contains("\(index + 1)") == entry.misfits, "for \(entry.0)")
    }
    let misfitting = 2 * Self.table.filter(\.misfits).count
    #expect(
      try fixture.one("SELECT zero_dates, field_rejects FROM trawl_pages") == "8|\(misfitting)")
    #expect(receipts[0].summary.counts.new == Self.table.count)
  }

  /// One of each form, from the oldest to the newest.
  private static let rising = [
    "-86400", #""2005-09-18T22:37:10Z""#, #""2017-03-03T20:00:00.000Z""#,
    #""2017-03-04T00:30:00+00:00""#, #""2017-03-04T23:30:00-05:00""#, #""2018-11-02 09:45:01""#,
    #""2019-12-05T19:00:10.000Z""#, #""2019-12-05T19:00:11Z""#, #""2020-06-01T08:55:21.2983005Z""#,
    #""2020-06-01T08:55:22Z""#, #""2020-06-01T08:55:23.4""#, #""2020-06-01T08:55:24.0001Z""#,
    #""2020-06-01T08:55:25Z""#, #""2020-06-01T08:55:26.98765Z""#, #""2020-06-01T08:55:27Z""#,
    #""2020-06-01T08:55:28.000001Z""#, #""2020-06-01T08:55:29Z""#, #""2022-01-03 00:00:00.000""#,
    "1643000000",
    #""2022-01-24T05:00:00.00""#, #""2022-11-16T08:25:27.27""#, #""2022-11-16T08:25:28""#,
    #""2026-01-31""#, #""2038-01-19T03:14:08Z""#,
  ]

  @Test("in any form sorts as time does", arguments: [0, 3])
  func order(digits: Int) async throws {
    let store = try await fixture.open(
      .things([Column.id, Column("at", nil, .time(digits: digits, zone: "UTC"))]))
    let records = Self.rising.enumerated().map { #"{"id": \#($0), "at": \#($1)}"# }
    // Stored from both ends towards the middle, so that no order of storing is that of time.
    let mixed = records.indices.map {
      $0 % 2 == 0 ? records[$0 / 2] : records[records.count - 1 - $0 / 2]
    }
    try await store.store(things: "[\(mixed.joined(separator: ","))]")
    #expect(
      try fixture.rows("SELECT id FROM box_things ORDER BY at").compactMap { Int($0) }
        == Array(records.indices))
  }

  /// What one time becomes in a column of times.
  private func stored(_ text: String, digits: Int, zone: String?) async throws -> String? {
    let at = Column("at", nil, .time(digits: digits, zone: zone))
    let store = try await fixture.open(.things([Column.id, at]))
    try await store.store(things: #"[{"id": 1, "at": "\#(text)"}]"#)
    return try fixture.one("SELECT at FROM box_things")
  }

  @Test(
    "without a zone is placed in the zone that the job names, across its changes of clock",
    arguments: [
      ("Asia/Seoul", "2022-01-24T00:00:00.00", "2022-01-23T15:00:00Z"),
      ("Asia/Seoul", "2022-01-24T00:00:00Z", "2022-01-24T00:00:00Z"),
      ("America/Los_Angeles", "2026-07-01 00:00:00", "2026-07-01T07:00:00Z"),
      ("America/Los_Angeles", "2026-01-01 00:00:00", "2026-01-01T08:00:00Z"),
      ("Nowhere/Land", "2026-01-01 00:00:00", "-"),
    ])
  func zones(zone: String, text: String, expected: String) async throws {
    #expect(try await stored(text, digits: 0, zone: zone) == expected)
  }

  @Test(
    "in a column of time(3) always has three digits",
    arguments: [
      ("2020-06-01T08:55:21.2983005Z", "2020-06-01T08:55:21.298Z"),
      ("2020-06-01T08:55:21Z", "2020-06-01T08:55:21.000Z"),
      ("2020-06-01T08:55:21.5", "2020-06-01T08:55:21.500"),
    ])
  func milliseconds(text: String, expected: String) async throws {
    #expect(try await stored(text, digits: 3, zone: nil) == expected)
  }
}
