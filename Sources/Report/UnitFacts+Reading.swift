internal import Base

extension UnitFacts {
  init(report value: JSONValue) {
    let claim = value.claim
    let certificate = Certificate(
      verdict: claim?.verdict ?? .failed, cause: claim?.cause,
      rule: StopRule(rawValue: value.text("rule")) ?? .failure, why: value.text("why"),
      pages: value.number("pages"), counts: Counts(report: value["counts"]),
      distinctKeys: value.number("distinct_keys"),
      firstTotal: value["first_total"]?.integer.map { Int($0) },
      lastTotal: value["last_total"]?.integer.map { Int($0) },
      trust: Total.Trust(rawValue: value.text("total_is")),
      hasMoved: value["moved"]?.boolean ?? false, isAsDeclared: value["as_declared"]?.boolean,
      proofs: value.texts("proofs").compactMap(ProofKind.init(rawValue:)))
    self.init(
      stream: value.text("stream"), table: value.text("table"), listName: value.text("list"),
      parameterText: value.text("parameters"), window: TimeWindow(report: value),
      certificate: certificate, isAsDeclared: certificate.isAsDeclared,
      isNewShortfall: value["newly_less"]?.boolean ?? false, requests: value.number("requests"),
      duration: .zero, newSamples: value.texts("new_samples"))
    if let own = value["this_run"] { counts = Counts(report: own) }
    rows = value.number("rows")
    changedSamples = value.texts("changed_samples")
    goneSamples = value.texts("gone_samples")
    vanished = value.number("vanished")
    withheld = value.number("withheld")
    if let told = value["missing"] {
      var tally = MissingTally(missing: told.number("looked_gone"))
      tally.gone = told.number("gone")
      tally.present = told.number("still_there")
      tally.unknown = told.number("unknown")
      tally.why = told.text("why")
      missing = tally
    }
    forecast = Forecast(report: value["forecast"])
  }
}

extension ListGroup {
  init(report value: JSONValue) {
    self.init(
      stream: value.text("stream"), verdict: value.claim?.verdict ?? .failed,
      cause: value.claim?.cause, isAsDeclared: value["as_declared"]?.boolean ?? false)
    lists = value.number("lists")
    pages = value.number("pages")
    requests = value.number("requests")
    counts = Counts(report: value["this_run"])
    vanished = value.number("vanished")
  }
}

extension JSONValue {
  fileprivate var claim: (verdict: Verdict, cause: Shortfall?)? {
    Verdict(rawValue: text("verdict")).map { ($0, Shortfall(rawValue: text("cause"))) }
  }
}

extension Counts {
  init(report value: JSONValue?) {
    self.init()
    new = value.number("new")
    changed = value.number("changed")
    unchanged = value.number("unchanged")
    repeated = value.number("repeated")
    dropped = value.number("dropped")
    rejected = value.number("rejected")
  }
}

extension TimeWindow {
  fileprivate init?(report value: JSONValue) {
    guard let from = Optional(value).instant("from"), let to = Optional(value).instant("to") else {
      return nil
    }
    self.init(from: from, to: to)
  }
}

extension Forecast {
  init?(report value: JSONValue?) {
    guard let value else { return nil }
    self.init(
      requests: value["requests"]?.integer.map { Int($0) },
      records: value["records"]?.integer.map { Int($0) },
      isEstimate: value["is_estimate"]?.boolean ?? false)
  }
}

extension CoverageFacts {
  init?(report value: JSONValue) {
    guard let range = TimeWindow(report: value) else { return nil }
    self.init(
      stream: value.text("stream"), listName: value.text("list"), range: range,
      stretches: value["stretches"]?.elements.compactMap { stretch in
        guard let window = TimeWindow(report: stretch),
          let claim = stretch.claim
        else { return nil }
        return Stretch(window: window, verdict: claim.verdict, cause: claim.cause)
      } ?? [])
  }
}
