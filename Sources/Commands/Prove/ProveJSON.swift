internal import Base
internal import Store

/// The proof as JSON lines: each table, certificate and finding, then the summary.
enum ProveJSON {
  static func lines(_ proof: Proof) -> [JSONObject] {
    proof.tables.map { table in
      [
        "is": "table", "table": table.name, "kind": table.kind, "rows": table.rows,
        "damaged": table.damaged,
      ]
    } + proof.certificates.map(line)
      + proof.forgotten.map { gone in
        [
          "is": "forgotten", "table": gone.table, "job": gone.job, "records": gone.records,
          "last_at": gone.lastAt.description,
        ]
      }
      + proof.findings.map { finding in
        ["is": "finding", "table": finding.table, "key": finding.key, "what": finding.what]
      } + [
        [
          "is": "proof", "holds": proof.holds, "rows": proof.rows, "pages": proof.pages,
          "certificates": proof.certificates.count, "derived": proof.derivedCount,
          "as_recorded": proof.recordedCount, "intervals": proof.intervals,
          "findings": proof.findingCount,
        ]
      ]
  }

  static func line(_ citation: Citation, rows: Int, digest: String) -> JSONObject {
    [
      "is": "citation", "job": citation.job, "origin": citation.origin,
      "stream": citation.stream, "table": citation.table,
      "list_numbers": citation.listNumbers.sorted(), "list": citation.listName, "rows": rows,
      "walked_rows": citation.walked, "verdict": citation.verdict, "because": citation.because,
      "why": citation.why, "read_from": citation.readFrom, "read_to": citation.readTo,
      "as_of": citation.asOf.isEmpty ? nil : citation.asOf,
      "pages": citation.pages, "sha256": digest, "sql": citation.sql,
    ]
  }

  private static func line(_ one: ProvedCertificate) -> JSONObject {
    [
      "is": "certificate", "job": one.job, "stream": one.stream, "list_number": one.listNumber,
      "list": one.listName, "from": one.windowFrom.isEmpty ? nil : one.windowFrom,
      "to": one.windowTo.isEmpty ? nil : one.windowTo, "verdict": one.verdict, "rule": one.rule,
      "why": one.why, "rows": one.rows, "pages": one.pages, "keys": one.keys,
      "issued_at": one.issuedAt, "as_recorded": one.asRecorded, "holds": one.holds,
      "problems": one.problems,
    ]
  }
}
