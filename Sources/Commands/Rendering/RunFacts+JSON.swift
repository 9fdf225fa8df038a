internal import Base

/// Why a stored report cannot be read.
struct ReportReadingError: Error, Sendable, CustomStringConvertible {
  let description: String
}

extension RunFacts {
  /// As `jobs/report.schema.json` describes it: stable order, wall-clock facts in one block at the end, so that two runs
  /// of the same data differ there alone.
  var report: [UInt8] {
    var writer = JSONWriter(pretty: true)
    writer.object { out in
      out.member("schema", RunFacts.schema)
      RunFacts.fields.writeMembers(of: ReportCut.cut(self), to: &out)
    }
    writer.newline()
    return writer.bytes
  }

  /// Reads a stored report back, so that its text can be written again. The chart's single requests are
  /// not kept in the report and stay out.
  init(report bytes: [UInt8]) throws(ReportReadingError) {
    let document: JSONDocument
    do { document = try JSONDocument.read(bytes) } catch {
      throw ReportReadingError(description: "it is not JSON: \(error)")
    }
    let root = document.root
    guard let schema = root["schema"]?.integer else {
      throw ReportReadingError(description: "it is not a report of Trawl's: it names no schema")
    }
    guard schema <= RunFacts.schema else {
      throw ReportReadingError(description: "it was written by a newer Trawl (schema \(schema))")
    }
    self.init(run: "", job: "", command: "", arguments: [], origin: "", startedAt: .start)
    Self.fields.readMembers(of: root, into: &self)
  }
}
