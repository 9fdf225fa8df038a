internal import Base

/// Why a stored report cannot be read.
struct ReportReadingError: Error, Sendable, CustomStringConvertible {
  let description: String
}

extension RunFacts {
  /// As `jobs/report.schema.json` describes it: in stable order, with wall-clock facts in a block at the end, where
  /// alone two runs of the same data differ.
  var report: [UInt8] {
    var writer = JSONWriter(pretty: true)
    writer.object { out in
      out.member("schema", RunFacts.schema)
      RunFacts.fields.writeMembers(of: ReportCut.cut(self), to: &out)
    }
    writer.newline()
    return writer.bytes
  }

  /// Reads a stored report, to render it again. It lacks the chart's single requests.
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
