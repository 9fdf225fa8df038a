public import Base

/// One job's changes as one JSON object, with the same members as in a report.
public enum ChangesJSON {
  public static func document(
    schema: Int, job: String, since: Instant, _ tables: [TableChanges]
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { out in
      out.member("schema", schema)
      out.member("job", job)
      out.member("since", since.description)
      out.array("tables") { out in
        for table in tables { out.object { table.write(to: &$0) } }
      }
    }
    return writer.bytes
  }
}
