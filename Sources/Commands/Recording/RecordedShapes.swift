public import Base

/// The members of a recording, each declared once, for `Recorder` to write and `ReplayFile` to read.
enum RecordedShapes {
  static let reading = JSONFields<SteppedClock.Reading>([
    .value("at", \.now), .value("elapsed", \.elapsed),
  ])

  /// Followed by the body.
  static let answer = JSONFields<Answer>([
    .value("status", \.status), .value("address", \.address), .value("fields", \.fields),
    .optional("leadsTo", \.shownTarget), .value("sentAt", \.sentAt),
    .value("receivedAt", \.receivedAt), .value("took", \.duration), .value("http", \.httpVersion),
    .value("wentThroughProxy", \.wentThroughProxy), .value("isEndProven", \.isEndProven),
  ])

  static let failure = JSONFields<ExchangeFailure>([
    .value("kind", \.kind), .value("cause", \.cause), .optional("address", \.address),
    .value("sentence", \.sentence), .nullable("status", \.status), .value("wasSent", \.wasSent),
  ])
}

extension Recorder.Heading: JSONShape {
  static let empty = Recorder.Heading(
    job: "", base: "", command: "", arguments: [], hasKey: false)
  static let fields = JSONFields<Recorder.Heading>([
    .made("recording") { _ in RecordingFile.version }, .made("trawl") { _ in Version.number },
    .value("job", \.job), .value("base", \.base), .value("command", \.command),
    .value("arguments", \.arguments), .value("hasKey", \.hasKey), .value("at", \.at),
    .value("seed", \.seed),
  ])
}

extension ExchangeFailure.Kind: JSONScalar {}
extension Cause: JSONScalar {}

extension WebAddress: JSONScalar {
  public static func read(_ json: JSONValue) -> WebAddress? {
    json.string.flatMap { try? WebAddress($0) }  // else it is none
  }
  public func write(to out: inout JSONWriter) { out.string(description) }
}

/// As lists of name and value.
extension HeaderFields: JSONScalar {
  public static func read(_ json: JSONValue) -> HeaderFields? {
    HeaderFields(json.elements.map { HeaderField($0[0]?.string ?? "", $0[1]?.string ?? "") })
  }
  public func write(to out: inout JSONWriter) { all.map { [$0.name, $0.value] }.write(to: &out) }
}

extension Answer {
  fileprivate var shownTarget: WebAddress? {
    get { leadsTo?.shown }
    set { leadsTo = newValue.map { RedirectTarget($0, shown: $0) } }
  }
}

extension SecretScreen {
  func clean(_ answer: Answer) -> Answer {
    var answer = answer
    (answer.address, answer.fields) = (clean(answer.address), clean(answer.fields))
    answer.shownTarget = answer.shownTarget.map(clean)
    return answer
  }

  func clean(_ failure: ExchangeFailure) -> ExchangeFailure {
    var failure = failure
    failure.address = failure.address.map(clean)
    failure.sentence = clean(failure.sentence)
    return failure
  }
}
