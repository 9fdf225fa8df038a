public import Base

/// The requests that ask whether one record is still in its list, and the meaning of their answers. Each answer leads
/// to another request or to a finding.
public struct RecordQuestion: Sendable {
  public enum Finding: Sendable, Equatable {
    case present, gone
    /// The answer says nothing of the record.
    case unknown(String)
    /// A lookup succeeded: the current values for the question.
    case renewed([String: String])
  }

  private let job: Job
  private let confirmation: Confirmation
  private let judge: Judge
  private let slashes: Set<String>
  private let keys: [[JSONPath]]

  public init?(_ job: Job, _ stream: Stream) {
    guard let confirmation = stream.confirmation else { return nil }
    self.job = job
    self.confirmation = confirmation
    judge = Judge(job)
    slashes = stream.slashes
    keys = PageReader.keyPaths(of: stream)
  }

  public var hasLookup: Bool { confirmation.lookup != nil }

  /// - Parameters:
  ///   - record: the record's columns by name, as stored or as a lookup returned them.
  ///   - request: the values that the list itself is requested with.
  public func address(
    isLookup: Bool, record: [String: String], request: [ParameterValue]
  ) throws(StepProblem) -> WebAddress {
    let question = isLookup ? confirmation.lookup ?? confirmation.question : confirmation.question
    let address = try RequestHoles.address(question.path, question.query, in: job, slashes: slashes)
    {
      hole in
      hole.hasPrefix(Confirmation.record)
        ? record[String(hole.dropFirst(Confirmation.record.count))]
        : request.first { $0.name == hole }?.value
    }
    return address.removing(job.secretPlaces)
  }

  /// - Parameter since: how long ago the list's walk began; an answer cached for longer may be older than the list.
  public func read(
    _ answer: Answer, isLookup: Bool, attempt: Int, since: Duration
  ) -> Judged<Finding> {
    let body = AnswerBody(answer)
    let decision = judge.decide(answer, body, attempt: attempt)
    switch decision {
    case nil, .trouble(.absent, _, _): break
    case .some(let decision): return .decision(decision)
    }
    if answer.address.origin != job.base.origin {
      return .value(.unknown("the answer came from elsewhere (\(answer.address.origin))"))
    }
    if let age = answer.fields["Age"].flatMap({ Int64($0) }), .seconds(age) > since {
      return .value(.unknown("the answer is older than the walk (Age: \(age))"))
    }
    switch answer.status {
    case 404, 410: return .value(.gone)
    case 200..<300 where decision == nil:
      return .value(isLookup ? renewed(body) : standing(body))
    default: return .value(.unknown("answered \(answer.status)"))
    }
  }

  private func renewed(_ body: AnswerBody) -> Finding {
    guard let root = body.document?.root else { return .unknown("the lookup gave no JSON") }
    var values: [String: String] = [:]
    for (name, path) in confirmation.renewed {
      guard let value = path.first(in: root), let text = value.string ?? value.rawNumber,
        !text.isEmpty
      else { return .unknown("the lookup gave no \(name)") }
      values[name] = text
    }
    return .renewed(values)
  }

  private func standing(_ body: AnswerBody) -> Finding {
    guard let place = confirmation.records else { return .present }
    let found = body.document.flatMap { place.first(in: $0.root) }
    if let found, found.isArray { return found.count == 0 ? .gone : .present }
    // The record alone, as a stream reads it; without its key the object is a message.
    if let found, !keys.isEmpty, PageReader.hasKey(found, at: keys) { return .present }
    return .unknown("there is neither a list at \(place.text) nor a record with its key")
  }
}
