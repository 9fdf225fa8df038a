internal import Base
internal import Store

/// The proof as one JSON object a line: each table, certificate and finding, and the whole last.
enum ProveJSON {
  static func lines(_ proof: Proof) -> [[UInt8]] {
    proof.tables.map { table in
      object { out in
        out.member("is", "table")
        out.member("table", table.name)
        out.member("kind", table.kind)
        out.member("rows", table.rows)
        out.member("damaged", table.damaged)
      }
    } + proof.certificates.map { one in object { write(one, to: &$0) } }
      + proof.findings.map { finding in
        object { out in
          out.member("is", "finding")
          out.member("table", finding.table)
          out.member("key", finding.key)
          out.member("what", finding.what)
        }
      } + [
        object { out in
          out.member("is", "proof")
          out.member("holds", proof.holds)
          out.member("rows", proof.rows)
          out.member("pages", proof.pages)
          out.member("certificates", proof.certificates.count)
          out.member("derived", proof.derivedCount)
          out.member("as_recorded", proof.recordedCount)
          out.member("intervals", proof.intervals)
          out.member("findings", proof.findingCount)
        }
      ]
  }

  static func line(_ citation: Citation, rows: Int, digest: String) -> [UInt8] {
    object { out in
      out.member("is", "citation")
      out.member("job", citation.job)
      out.member("origin", citation.origin)
      out.member("stream", citation.stream)
      out.member("table", citation.table)
      out.array("list_numbers") { out in
        for number in citation.listNumbers.sorted() { out.integer(number) }
      }
      out.member("list", citation.listName)
      out.member("rows", rows)
      out.member("walked_rows", citation.walked)
      out.member("verdict", citation.verdict)
      out.member("because", citation.because)
      out.member("why", citation.why)
      out.member("as_of", citation.asOf.isEmpty ? nil : citation.asOf)
      out.member("pages", citation.pages)
      out.member("sha256", digest)
      out.member("sql", citation.sql)
    }
  }

  private static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("schema", JSONFormat.proof.schema)
      body(&out)
    }
    return writer.bytes
  }

  private static func write(_ one: ProvedCertificate, to out: inout JSONWriter) {
    out.member("is", "certificate")
    out.member("job", one.job)
    out.member("stream", one.stream)
    out.member("list_number", one.listNumber)
    out.member("list", one.listName)
    out.member("from", one.windowFrom.isEmpty ? nil : one.windowFrom)
    out.member("to", one.windowTo.isEmpty ? nil : one.windowTo)
    out.member("verdict", one.verdict)
    out.member("rule", one.rule)
    out.member("why", one.why)
    out.member("rows", one.rows)
    out.member("pages", one.pages)
    out.member("keys", one.keys)
    out.member("issued_at", one.issuedAt)
    out.member("as_recorded", one.asRecorded)
    out.member("holds", one.holds)
    out.array("problems") { out in for problem in one.problems { out.string(problem) } }
  }
}
