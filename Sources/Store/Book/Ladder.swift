internal import SQLite

/// The steps that bring the book of an older file to today's shape: numbered, append-only. A step
/// that was released is never edited; the number of the last one is the version of the file.
///
/// A step moves contents into the tables and columns of its version and need not care for
/// constraints, comments, indexes or seals: `Upgrade` makes every table anew as `Book` has it.
enum Ladder {
  struct Step: Sendable {
    /// What a file has afterwards.
    let version: Int64
    let changes: [Change]
  }

  enum Change: Sendable {
    /// A table that some files of earlier versions lack.
    case adds(table: String, String)
    /// Rows were not sealed before: they are taken as they are.
    case seals
    /// A table gets another name, or other names for some of its columns.
    case moves(String, to: String, columns: [String: String] = [:])
    /// A column, with the value that it has in the rows that are there.
    case addsColumn(String, to: String, value: String)
    /// Values that have another name now, or stand in another table too: one statement.
    case rewrites(String)
    /// Search indexes have another form now: each begins empty, with all rows as its rest.
    case searchesAnew
    /// Histories are rows with numbers for columns and instants now, and views over them.
    case shortensHistories
  }

  static let steps = [
    Step(version: 2, changes: [.seals]),
    Step(
      version: 3,
      changes: [
        .adds(
          table: "trawl_densities",
          "list INTEGER, per_second REAL, request_print INTEGER, as_of TEXT"),
        .adds(
          table: "trawl_fills",
          "list INTEGER, fill_from TEXT, fill_to TEXT, began_at TEXT, requests INTEGER, "
            + "days INTEGER, last_day TEXT, foretold INTEGER, foretold_records INTEGER, "
            + "foretold_days INTEGER, foretold_at TEXT, ended_at TEXT"),
        // Words that people and programs see, before the first release.
        .moves(
          "trawl_lists", to: "trawl_lists", columns: ["list": "list_number", "found_by": "list"]),
        .moves(
          "trawl_units", to: "trawl_windows", columns: ["unit": "window", "list": "list_number"]),
        .moves("trawl_coverage", to: "trawl_coverage", columns: ["list": "list_number"]),
        .moves("trawl_densities", to: "trawl_densities", columns: ["list": "list_number"]),
        .moves(
          "trawl_fills", to: "trawl_fills",
          columns: [
            "list": "list_number", "foretold": "forecast_requests",
            "foretold_records": "forecast_records", "foretold_days": "forecast_days",
            "foretold_at": "forecast_at",
          ]),
        .moves("trawl_pages", to: "trawl_pages", columns: ["unit": "window"]),
        .moves("trawl_certificates", to: "trawl_certificates", columns: ["unit": "window"]),
        .moves("trawl_rejects", to: "trawl_rejects", columns: ["unit": "window"]),
      ]),
    Step(
      version: 4,
      changes: [
        .moves(
          "trawl_certificates", to: "trawl_certificates", columns: ["goes_on_at": "resumes_at"]),
        .rewrites(
          "UPDATE trawl_certificates SET rule = 'lastCompleteRange' WHERE rule = 'knownGround'"),
      ]),
    Step(
      version: 5,
      changes: [
        .adds(
          table: "trawl_signs",
          "job TEXT, stream TEXT, request_print INTEGER, says_more INTEGER, seen_at TEXT"),
        .adds(table: "trawl_row_counts", "table_name TEXT, rows INTEGER"),
        .addsColumn(
          "proof", to: "trawl_certificates",
          // What the certificates of that time show by themselves: a counted total that equals the
          // distinct keys, with page 1 unmoved.
          value: "CASE WHEN verdict = 'complete' AND trust = 'counted' AND has_moved = 0 "
            + "AND first_total = last_total AND last_total = distinct_keys "
            + "THEN CASE pages WHEN 1 THEN 'one answer' ELSE 'counted' END END"),
        .addsColumn(
          "cause", to: "trawl_certificates",
          value: "CASE verdict WHEN 'capped' THEN 'ceiling' WHEN 'gap' THEN 'out of reach' "
            + "WHEN 'drifted' THEN 'moved' WHEN 'short' THEN 'count' END"),
        .addsColumn("is_told", to: "trawl_certificates", value: "NOT is_as_declared"),
        .addsColumn("proofs", to: "trawl_certificates", value: "proof"),
        .addsColumn("whole_at", to: "trawl_certificates", value: "issued_at"),
        .addsColumn("pattern", to: "trawl_certificates", value: "NULL"),
        .addsColumn("reject_reason", to: "trawl_pages", value: "NULL"),
        .addsColumn("ambiguous", to: "trawl_pages", value: "0"),
        .addsColumn("altered", to: "trawl_pages", value: "0"),
        .addsColumn("ambiguous_key", to: "trawl_pages", value: "NULL"),
        // Files of the first versions have none.
        .adds(
          table: "trawl_misses",
          "job TEXT, stream TEXT, value TEXT, tried_at TEXT, run INTEGER, tries INTEGER, "
            + "next_attempt_at TEXT"),
        .addsColumn(
          "reason", to: "trawl_misses",
          value: "CASE WHEN next_attempt_at IS NULL THEN 'failed' ELSE 'absent' END"),
        .addsColumn("signs", to: "trawl_pages", value: "NULL"),
        .addsColumn("empty_since", to: "trawl_certificates", value: "NULL"),
        .rewrites(
          "UPDATE trawl_certificates SET verdict = iif(verdict IN ('capped', 'gap'), 'limited', "
            + "'incomplete') WHERE verdict IN ('capped', 'gap', 'drifted', 'short')"),
        .rewrites(
          "UPDATE trawl_certificates SET verdict = 'unproven', "
            + "why = why || '; certified before proofs were kept' "
            + "WHERE verdict = 'complete' AND proof IS NULL"),
        // What is covered stays covered. Of a stretch that several windows cover it is not known any
        // more which of them had a proof.
        .addsColumn("verdict", to: "trawl_coverage", value: "'unproven'"),
        .rewrites(
          "UPDATE trawl_coverage SET verdict = 'complete' WHERE EXISTS (SELECT 1 "
            + "FROM trawl_certificates c JOIN trawl_windows w USING (window) "
            + "WHERE c.verdict = 'complete' AND w.list_number = trawl_coverage.list_number "
            + "AND w.window_from = covered_from AND w.window_to = covered_to)"),
      ]),
    Step(
      version: 6,
      changes: [
        .addsColumn("sort_span", to: "trawl_pages", value: "NULL"),
        .addsColumn("added_at", to: "trawl_columns", value: "NULL"),
        .addsColumn("clock_shift", to: "trawl_runs", value: "NULL"),
        .addsColumn("covers_to", to: "trawl_certificates", value: "NULL"),
      ]),
    Step(
      version: 7,
      changes: [
        .addsColumn("unproven_reads", to: "trawl_certificates", value: "0"),
        .addsColumn("proving_at", to: "trawl_certificates", value: "NULL"),
        .addsColumn("shown_before", to: "trawl_fills", value: "0"),
        .addsColumn("shown_again", to: "trawl_fills", value: "0"),
        .addsColumn("shown_both", to: "trawl_fills", value: "0"),
        .addsColumn("sizes_hold", to: "trawl_signs", value: "NULL"),
        .addsColumn("runs", to: "trawl_rounds", value: "1"),
        .addsColumn("runs_before", to: "trawl_rounds", value: "NULL"),
        .adds(table: "trawl_fields", "job TEXT, stream TEXT, path TEXT, first_seen_at TEXT"),
        .adds(
          table: "trawl_watched",
          "job TEXT, watch TEXT, row_key TEXT, content TEXT, changed_at TEXT, delivered_at TEXT, "
            + "is_there INTEGER"),
        .adds(
          table: "trawl_earlier",
          "table_name TEXT, record_key TEXT, column_name TEXT, at TEXT, value ANY"),
        .addsColumn("file", to: "trawl_jobs", value: "NULL"),
        .addsColumn("file_print", to: "trawl_jobs", value: "NULL"),
        .addsColumn("last_cursor", to: "trawl_pages", value: "NULL"),
      ]),
    Step(
      version: 8,
      changes: [
        .searchesAnew,
        .addsColumn(
          "bytes", to: "trawl_row_counts",
          value: "CASE table_name WHEN 'trawl_media' "
            + "THEN (SELECT coalesce(sum(size), 0) FROM trawl_media) END"),
      ]),
    Step(
      version: 9,
      changes: [
        .adds(
          table: "trawl_history_columns",
          "table_name TEXT, column_number INTEGER, column_name TEXT"),
        .adds(
          table: "trawl_thinned",
          "table_name TEXT, column_number INTEGER, thinned_to TEXT, done_to TEXT, removed INTEGER"),
        .shortensHistories,
      ]),
    Step(
      version: 10,
      changes: [
        .adds(
          table: "trawl_tallies",
          "list_number INTEGER, minute TEXT, new INTEGER, changed INTEGER, vanished INTEGER"),
        // What the certificates of that time still tell of the last two days.
        .rewrites(
          "INSERT INTO trawl_tallies SELECT list_number, substr(issued_at, 1, 16), sum(new), "
            + "sum(changed), sum(vanished), 1 FROM trawl_certificates JOIN trawl_windows "
            + "USING (window) WHERE new + changed + vanished > 0 AND issued_at >= (SELECT "
            + "strftime('%Y-%m-%dT%H:%M', max(issued_at), '-2 days') FROM trawl_certificates) "
            + "GROUP BY 1, 2"),
      ]),
    Step(
      version: 11,
      changes: [
        .adds(table: "trawl_altered", "table_name TEXT, key_digest INTEGER, page INTEGER"),
        .addsColumn("answer_print", to: "trawl_pages", value: "NULL"),
      ]),
  ]

  /// Indexes of earlier versions that have another name now: they are no person's.
  static let formerIndexes: Set = [
    "trawl_certificates_by_unit", "trawl_media_urls_due", "trawl_pages_by_unit",
  ]

  static let version = steps.last?.version ?? 1

  /// Whether the steps lead on from this file. Lists say since before the first release which rows
  /// are theirs, and nothing else does.
  static func begins(at version: Int64, _ connection: Connection) throws(SQLiteError) -> Bool {
    let columns = try connection.integer(
      "SELECT count(*) FROM pragma_table_info('trawl_lists') "
        + "WHERE name IN ('list_table', 'list_key', 'list_where', 'list_digest')")
    return version >= 1 && columns == 4
  }
}
