internal import Base

/// What may be claimed of a list.
extension Book {
  /// The claims, worst first: besides the verdicts `void`, of a list that the job requests otherwise now, `unfinished`,
  /// of one whose first walk has not come to its end, and `orphaned`, of one that is requested no more.
  static let claims = [
    "failed", "void", "unfinished", "paused", "incomplete", "absent", "limited", "unproven",
    "complete", orphaned,
  ]

  static let orphaned = "orphaned"

  /// Lists that the job stopped requesting and that were not read since.
  static let orphans = """
    SELECT p.list_number, p.fact FROM trawl_facts p WHERE p.kind = 'absent' AND p.subject = 'parent'
      AND p.fact = ifnull((SELECT max(certificate) FROM trawl_windows w
        JOIN trawl_certificates USING (window) WHERE w.list_number = p.list_number), 0)
    """

  /// The claims in one text, worst last: a claim further to the right is worse.
  private static let ranking = SQLName.literal(claims.reversed().joined(separator: " "))

  /// One row per list: what its last certificates claim.
  static let trust = """
    CREATE VIEW trawl_trust
      (list_number, table_name, list, rows, rejected, verdict, proof, cause, why, as_of,
        complete_as_of, resumes_at, read_from, read_to) AS
      WITH orphans (list_number, last) AS (
        \(orphans)
      ), present (list_number, request_print, certificate, window_began) AS (
        -- What was requested of a list last: SQLite takes the row of the greatest certificate.
        SELECT w.list_number, w.request_print, max(ifnull(c.certificate, 0)),
          iif(w.window_from <> '', c.began_at, NULL)
        FROM trawl_windows w LEFT JOIN trawl_certificates c USING (window) GROUP BY w.list_number
      ), stretches AS (
        -- Times of a list that was read in windows: what windows say, and what older ones said.
        SELECT list_number, covered_from, max(covered_to) OVER (PARTITION BY list_number
            ORDER BY covered_from, covered_to DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
        FROM (SELECT list_number, covered_from, covered_to FROM trawl_coverage
            JOIN present USING (list_number, request_print)
          UNION ALL SELECT list_number, window_from, window_to FROM trawl_windows
            JOIN present USING (list_number, request_print) WHERE window_from <> '')
      ), ranges AS (
        -- Over a hole there is no range that was read. If the last window was read more than a minute after the
        -- end of all that is covered, what is younger is not claimed, of a list that was read whole either.
        SELECT list_number,
          nullif(min(covered_from), \(SQLName.literal(Instant.beginning.description))) AS read_from,
          max(covered_to) AS read_to,
          max(covered_to) < strftime('%Y-%m-%dT%H:%M:%SZ', window_began, '-1 minute') AS is_behind
        FROM trawl_coverage JOIN present USING (list_number, request_print)
        WHERE list_number NOT IN (SELECT list_number FROM stretches WHERE reached < covered_from)
        GROUP BY list_number
      ), latest AS (
        SELECT w.list_number, c.certificate, c.standing, c.proof, c.cause, c.why, c.issued_at,
          c.resumes_at, (SELECT max(x.issued_at) FROM trawl_certificates x WHERE x.window = w.window
            AND x.verdict = 'complete' AND x.standing = 'valid') AS complete_at,
          CASE WHEN c.certificate IS NULL THEN 'unfinished'
            WHEN c.standing = 'other request' THEN 'void' ELSE c.verdict END AS claim,
          1 AS is_window, w.window_from = '' AS is_of_all
        FROM trawl_windows w JOIN present p ON p.list_number = w.list_number
          AND p.request_print = w.request_print LEFT JOIN trawl_certificates c ON c.certificate =
          (SELECT max(certificate) FROM trawl_certificates x WHERE x.window = w.window)
        WHERE w.list_number NOT IN (SELECT list_number FROM orphans)
          -- Where the API cut the whole list, windows have read on.
          AND NOT (c.verdict = 'limited' AND w.window_from = '' AND EXISTS (SELECT 1
            FROM trawl_coverage v WHERE v.list_number = w.list_number
              AND v.request_print = w.request_print AND v.covered_from < c.oldest
              AND v.covered_to >= c.oldest))
        UNION ALL
        SELECT o.list_number, NULL, 'valid', NULL, NULL, NULL, c.issued_at, NULL, NULL,
          '\(orphaned)', 1, 0
        FROM orphans o LEFT JOIN trawl_certificates c ON c.certificate = o.last
        UNION ALL
        -- Old windows live on in the coverage.
        SELECT v.list_number, NULL, 'valid', NULL, NULL, 'from ' || v.covered_from || ' to '
            || v.covered_to || ' it was read without a proof', v.as_of, NULL, NULL, 'unproven', 0, 0
        FROM trawl_coverage v JOIN present USING (list_number, request_print)
        WHERE v.verdict = 'unproven' AND v.list_number NOT IN (SELECT list_number FROM orphans)
        UNION ALL
        -- What nobody requested yet.
        SELECT list_number, NULL, 'valid', NULL, NULL, 'nothing was read from ' || reached || ' to '
            || covered_from, NULL, NULL, NULL, 'unfinished', 0, 0
        FROM stretches WHERE reached < covered_from
          AND list_number NOT IN (SELECT list_number FROM orphans)
        UNION ALL
        SELECT list_number, NULL, 'valid', NULL, NULL, NULL, NULL, NULL, NULL, 'unfinished', 0, 0
        FROM trawl_lists WHERE list_number NOT IN (SELECT list_number FROM trawl_windows
          UNION ALL SELECT list_number FROM orphans)
      ), rejects (list_number, rejected) AS (
        -- Once for all lists of a stream: it may have thousands, and as many rejects.
        SELECT x.list_number, count(DISTINCT j.key_digest)
        FROM (SELECT DISTINCT job, stream FROM trawl_lists) s
          CROSS JOIN trawl_rejects j ON j.job = s.job AND j.stream = s.stream
            AND j.column_name = ''
          JOIN trawl_windows w USING (window)
          JOIN trawl_lists x ON x.list_number = w.list_number AND x.job = s.job AND x.stream = s.stream
        GROUP BY x.list_number
      ), worst AS (
        -- Of several windows of a list the worst decides, and of those the newest: with max(), SQLite
        -- takes the other columns from its row.
        SELECT *, max((100 + instr(\(ranking), claim)) || ifnull(issued_at, '')),
          sum(is_window) AS windows, sum(is_of_all) > 0 AS is_whole, sum(complete_at IS NULL) AS others,
          group_concat(complete_at, '","') AS complete_times
        FROM latest GROUP BY list_number
      )
      SELECT l.list_number, l.table_name, l.list, l.rows, ifnull(x.rejected, 0), r.claim,
        CASE r.claim WHEN 'complete' THEN iif(r.windows > 1, 'joined', r.proof) END,
        CASE WHEN r.claim IN ('limited', 'incomplete') THEN r.cause END,
        CASE WHEN r.claim = 'void' THEN \
    'the job requests it, or recognises its end, in another way now; the next run reads it again'
          WHEN r.claim = '\(orphaned)' THEN \
    'requested no more: what it was requested for has left, or has another value'
          WHEN r.claim = 'unfinished' THEN ifnull(r.why, 'the first walk has not come to its end')
          WHEN r.standing = 'older mapping' THEN 'older mapping: ' || r.why ELSE r.why END
          || CASE WHEN r.windows > 1 AND r.is_window THEN ' (the worst of ' || r.windows || ' windows)' ELSE '' END
          || CASE WHEN t.read_to IS NULL THEN '' WHEN r.is_whole OR t.read_from IS NULL
            THEN '; that holds up to ' || t.read_to
            ELSE '; only from ' || t.read_from || ' to ' || t.read_to || ' was read' END,
        r.issued_at,
        CASE r.others WHEN 0 THEN (SELECT min(value)
          FROM json_each('["' || r.complete_times || '"]')) END,
        r.resumes_at, iif(r.is_whole, NULL, t.read_from), t.read_to
      FROM worst r JOIN trawl_lists l USING (list_number) LEFT JOIN rejects x USING (list_number)
        LEFT JOIN ranges t ON t.list_number = r.list_number
          AND (NOT r.is_whole AND t.read_from IS NOT NULL
            OR t.is_behind AND r.claim IN ('complete', 'unproven', 'limited'))
    """
}
