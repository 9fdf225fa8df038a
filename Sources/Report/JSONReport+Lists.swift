internal import Base

/// What the report says of each list.
extension JSONReport {
  static func write(_ unit: UnitFacts, to out: inout JSONWriter) {
    let certificate = unit.certificate
    out.member("stream", unit.stream)
    out.member("table", unit.table)
    out.member("list", unit.listName)
    out.member("parameters", unit.parameterText)
    if let window = unit.window {
      out.member("from", window.from.description)
      out.member("to", window.to.description)
    }
    out.member("verdict", certificate.verdict.rawValue)
    if !certificate.proofs.isEmpty {
      out.member("proof", certificate.proof?.rawValue)
      strings("proofs", certificate.proofs.map(\.rawValue), to: &out)
    }
    if let cause = certificate.cause { out.member("cause", cause.rawValue) }
    out.member("rule", certificate.rule.rawValue)
    out.member("why", certificate.why)
    out.member("as_declared", unit.isAsDeclared)
    out.member("newly_less", unit.isNewShortfall)
    out.member("rows", unit.rows)
    out.member("pages", certificate.pages)
    out.object("counts") { write(certificate.counts, to: &$0) }
    out.object("this_run") { write(unit.counts, to: &$0) }
    out.member("vanished", unit.vanished)
    out.member("withheld", unit.withheld)
    if let missing = unit.missing {
      out.object("missing") { out in
        out.member("looked_gone", missing.missing)
        out.member("gone", missing.gone)
        out.member("still_there", missing.present)
        out.member("unknown", missing.unknown)
        out.member("waiting", missing.waiting)
        out.member("why", missing.why)
      }
    }
    out.member("distinct_keys", certificate.distinctKeys)
    out.member("first_total", certificate.firstTotal)
    out.member("last_total", certificate.lastTotal)
    out.member("total_is", certificate.trust?.rawValue)
    out.member("moved", certificate.hasMoved)
    out.member("requests", unit.requests)
    write(unit.forecast, to: &out)
    strings("new_samples", unit.newSamples, to: &out)
    strings("changed_samples", unit.changedSamples, to: &out)
    strings("gone_samples", unit.goneSamples, to: &out)
  }

  static func write(_ group: ListGroup, to out: inout JSONWriter) {
    out.member("stream", group.stream)
    out.member("verdict", group.verdict.rawValue)
    if let cause = group.cause { out.member("cause", cause.rawValue) }
    out.member("as_declared", group.isAsDeclared)
    out.member("lists", group.lists)
    out.member("pages", group.pages)
    out.member("requests", group.requests)
    out.object("this_run") { write(group.counts, to: &$0) }
    out.member("vanished", group.vanished)
  }

  static func write(_ forecast: Forecast?, to out: inout JSONWriter) {
    guard let forecast else { return }
    out.object("forecast") { out in
      out.member("requests", forecast.requests)
      out.member("records", forecast.records)
      out.member("is_estimate", forecast.isEstimate)
    }
  }

  static func write(_ coverage: CoverageFacts, to out: inout JSONWriter) {
    out.member("stream", coverage.stream)
    out.member("list", coverage.listName)
    out.member("from", coverage.range.from.description)
    out.member("to", coverage.range.to.description)
    out.member("share", (coverage.share * 10_000).rounded() / 10_000)
    out.member(
      "unproven_share", (coverage.share(of: .unproven) * 10_000).rounded() / 10_000)
    out.array("stretches") { out in
      for stretch in coverage.stretches {
        out.object { out in
          out.member("from", stretch.window.from.description)
          out.member("to", stretch.window.to.description)
          out.member("verdict", stretch.verdict.rawValue)
          if let cause = stretch.cause { out.member("cause", cause.rawValue) }
        }
      }
    }
  }
}
