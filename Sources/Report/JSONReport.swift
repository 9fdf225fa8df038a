public import Base

/// A run's facts as JSON, as `jobs/report.schema.json` describes it: stable order, wall-clock facts in one
/// block at the end, so that two runs of the same data differ there alone.
public struct JSONReport {
  private let facts: RunFacts

  public init(_ facts: RunFacts) { self.facts = ReportCut.cut(facts) }

  public func bytes(pretty: Bool = true) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
    writer.object { out in
      out.member("schema", RunFacts.schema)
      RunFacts.fields.writeMembers(of: facts, to: &out)
    }
    writer.newline()
    return writer.bytes
  }
}

/// Why a stored report cannot be read.
public struct ReportReadingError: Error, Sendable, CustomStringConvertible {
  public let description: String
}

extension RunFacts {
  /// Reads a stored report back, so that its text can be written again. The chart's single requests are
  /// not kept in the report and stay out.
  public init(report bytes: [UInt8]) throws(ReportReadingError) {
    let document: JSONDocument
    do { document = try JSONDocument.read(bytes) } catch {
      throw ReportReadingError(description: "it is no JSON: \(error)")
    }
    let root = document.root
    guard let schema = root["schema"]?.integer else {
      throw ReportReadingError(description: "it is no report of Trawl's: it names no schema")
    }
    guard schema <= RunFacts.schema else {
      throw ReportReadingError(description: "it was written by a newer Trawl (schema \(schema))")
    }
    self.init(run: "", job: "", command: "", arguments: [], origin: "", startedAt: .start)
    Self.fields.readMembers(of: root, into: &self)
  }
}
