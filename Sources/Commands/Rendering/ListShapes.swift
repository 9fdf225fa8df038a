public import Base

// What a report says of lists and records.

extension Verdict: JSONScalar {}
extension Shortfall: JSONScalar {}
extension StopRule: JSONScalar {}
extension ProofKind: JSONScalar {}

extension Counts: JSONShape {
  public static let empty = Counts()
  public static let fields = JSONFields<Counts>([
    .made("received") { $0.received }, .count("new", \.new), .count("changed", \.changed),
    .count("unchanged", \.unchanged), .count("repeated", \.repeated),
    .count("dropped", \.dropped), .count("rejected", \.rejected),
  ])
}

extension UnitFacts: JSONShape {
  public static let empty = UnitFacts(
    stream: "", table: "", listName: "",
    certificate: Certificate(
      verdict: .failed, rule: .failure, why: "", pages: 0, counts: Counts(), distinctKeys: 0))

  public static let fields = JSONFields<UnitFacts>([
    .value("stream", \.stream), .value("table", \.table), .value("list", \.listName),
    .value("parameters", \.parameterText), .optional("window", \.window),
    .value("verdict", \.certificate.verdict),
    .made("proof") { $0.certificate.proof },
    .value("proofs", \.certificate.proofs, unless: []), .optional("cause", \.certificate.cause),
    .value("rule", \.certificate.rule), .value("why", \.certificate.why),
    .value("as_declared", \.certificate.isAsDeclared), .value("newly_less", \.isNewShortfall),
    .count("rows", \.rows), .count("pages", \.certificate.pages),
    .value("counts", \.certificate.counts),
    .value("this_run", \.counts), .count("vanished", \.vanished), .count("withheld", \.withheld),
    .optional("missing", \.missing), .count("distinct_keys", \.certificate.distinctKeys),
    .nullable("first_total", \.certificate.firstTotal),
    .nullable("last_total", \.certificate.lastTotal),
    .nullable("total_is", \.certificate.trust), .value("moved", \.certificate.hasMoved),
    .count("requests", \.requests), .optional("forecast", \.forecast),
  ])
}

extension TimeWindow: JSONShape {
  public static let empty = TimeWindow(from: .start, to: .start)
  public static let fields = JSONFields<TimeWindow>([.time("from", \.from), .time("to", \.to)])
}

extension MissingTally: JSONShape {
  public static let empty = MissingTally(missing: 0)
  public static let fields = JSONFields<MissingTally>([
    .count("looked_gone", \.missing), .count("gone", \.gone), .count("still_there", \.present),
    .count("unknown", \.unknown), .made("waiting") { $0.waiting }, .value("why", \.why),
  ])
}

extension Forecast: JSONShape {
  public static let empty = Forecast()
  public static let fields = JSONFields<Forecast>([
    .nullable("requests", \.requests), .nullable("records", \.records),
    .value("is_estimate", \.isEstimate),
  ])
}

extension ListGroup: JSONShape {
  public static let empty = ListGroup(stream: "", verdict: .failed, cause: nil, isAsDeclared: false)

  public static let fields = JSONFields<ListGroup>([
    .value("stream", \.stream), .value("verdict", \.verdict), .optional("cause", \.cause),
    .value("as_declared", \.isAsDeclared), .count("lists", \.lists), .count("pages", \.pages),
    .count("requests", \.requests), .value("this_run", \.counts), .count("vanished", \.vanished),
  ])
}

extension CoverageFacts: JSONShape {
  public static let empty = CoverageFacts(stream: "", listName: "", range: .empty, stretches: [])

  public static let fields = JSONFields<CoverageFacts>([
    .value("stream", \.stream), .value("list", \.listName), .time("from", \.range.from),
    .time("to", \.range.to), .made("share") { rounded($0.share) },
    .made("unproven_share") { rounded($0.share(of: .unproven)) },
    .value("stretches", \.stretches),
  ])

  private static func rounded(_ share: Double) -> Double { (share * 10_000).rounded() / 10_000 }
}

extension CoverageFacts.Stretch: JSONShape {
  public static let empty = CoverageFacts.Stretch(window: .empty, verdict: .failed)
  public static let fields = JSONFields<CoverageFacts.Stretch>([
    .time("from", \.window.from), .time("to", \.window.to), .value("verdict", \.verdict),
    .optional("cause", \.cause),
  ])
}

// MARK: records

extension RecordChange.Kind: JSONScalar {}

extension TableChanges: JSONShape {
  public static let empty = TableChanges(table: "")
  public static let fields = JSONFields<TableChanges>([
    .value("table", \.table), .value("of_lists", \.isOfLists, unless: false),
    .count("new", \.new), .count("changed", \.changed), .count("moving", \.moving),
    .count("gone", \.gone), .count("back", \.back),
    .time("known_since", \.knownSince),
    .value("records", \.records),
  ])
}

extension RecordChange: JSONShape {
  public static let empty = RecordChange(
    kind: .new, key: "", title: nil, link: nil, imagePath: nil, list: nil)

  public static let fields = JSONFields<RecordChange>([
    .value("change", \.kind), .value("key", \.key), .nullable("title", \.title),
    .nullable("link", \.link), .nullable("image", \.imagePath), .nullable("in_list", \.list),
    .value("columns", \.columns),
  ])
}

extension ColumnChange: JSONShape {
  public static let empty = ColumnChange(name: "", old: nil, new: nil)
  public static let fields = JSONFields<ColumnChange>([
    .value("column", \.name), .nullable("old", \.old), .nullable("new", \.new),
  ])
}
