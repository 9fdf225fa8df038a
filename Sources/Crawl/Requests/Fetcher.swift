internal import Base
internal import Store
internal import Walk

/// Reads the pages of one list: makes a step's request, and reads its answer for the walk.
final class Fetcher: Sendable {
  /// How a step ended, after all its tries.
  enum Fetched: Sendable {
    case page(Page, Answer)
    case notModified(Answer)
    case trouble(Walker.Trouble, cause: Cause)
    /// The unit stops here and resumes later; if its host does not answer, this run makes no further request there.
    case stopped(Stop)
    /// Needs a person; the run ends.
    case fatal(RunOutcome.Kind, message: String)
  }

  private let context: RunContext
  private let stream: Stream
  private let label: UnitLabel
  private let reader: PageReader
  private let judge: Judge
  private let wasRead: Bool

  /// - Parameters:
  ///   - unit: the list; nil: a batch of them.
  ///   - wasRead: an earlier walk read pages of the list, requested and mapped as now.
  init(
    _ context: RunContext, stream: Stream, label: UnitLabel, unit: Unit? = nil, wasRead: Bool
  ) {
    self.context = context
    self.wasRead = wasRead
    self.stream = stream
    self.label = label
    reader = PageReader(job: context.job, stream: stream, unit: unit)
    // If the key worked for another list of the stream, a refusal concerns this list only.
    judge = Judge(
      context.job, stream, wasRead: wasRead || context.recorder.hasRead(stream.name))
  }

  /// What a 304 says; nil if it is of another answer, or cannot be read.
  func head(of answer: Answer, for validator: Validator, at cursor: Cursor) -> Page? {
    let tag = answer.fields["ETag"].map(Self.tag)
    guard tag == nil || validator.etag.map(Self.tag) == tag else { return nil }
    return try? reader.head(of: answer, at: cursor)  // what cannot be read is requested in full
  }

  /// Weak tags compare like strong ones.
  private static func tag(_ text: String) -> Substring {
    let plain = text.trimmingBlanks
    return plain.hasPrefix("W/") ? plain.dropFirst(2) : plain[...]
  }

  /// - Parameter pastCaches: an earlier answer came from a cache and was too old.
  func fetch(
    _ step: Step, _ validator: Validator?, pastCaches: Bool = false
  ) async -> Fetched {
    let tried = Locked(Tried())
    var patience =
      step.purpose == .pageBefore
      ? Patience.glance(context.options) : .pages(context.options)
    patience.isOfFirstPage = step.ordinal == 1 && step.purpose == .page
    let call = Call(
      request: request(for: step, validator, pastCaches), booking: context.booking(stream.spends),
      patience: patience, label: label,
      name: "\(label.listName): page \(step.ordinal)", tally: context.tally, lane: context.lane,
      wasRead: wasRead || context.recorder.hasRead(stream.name)
    ) { [self] number in
      Attempt { [self] in
        read(
          $0, number, at: step.cursor, isFirst: !wasRead && step.ordinal == 1,
          isConditional: validator != nil, tried)
      }
    }
    switch await context.requester.perform(call) {
    case .value(let fetched):
      if case .page(_, let answer) = fetched, answer.isMasked {
        context.recorder.warn(
          "an answer repeats one of the job's secrets; *** is stored in its place", about: label)
      }
      return fetched
    case .stopped(let stop): return .stopped(stop)
    case .unreachable(let message):
      return .stopped(Stop(rule: .failure, message: message, kind: .unreachable))
    case .givenUp(let cause, let message, _):
      return .trouble(Walker.Trouble(.unreadable, message), cause: cause)
    case .broken(let error): return .fatal(.cannotWrite, message: "\(error)")
    case .decided(let decision, _):
      return Self.fetched(decision, status: tried.withLock { $0.status })
    }
  }

  private func request(
    for step: Step, _ validator: Validator?, _ pastCaches: Bool
  ) -> Request {
    var request = context.request(step.address)
    request.body = step.body
    // The stream's own fields take precedence.
    let own = stream.fields + step.fields
    request.fields.removeAll { field in
      own.contains { $0.name.equalsIgnoringCase(field.name) }
    }
    request.fields += own
    if let etag = validator?.etag { request.fields.append(HeaderField("If-None-Match", etag)) }
    if let date = validator?.lastModified {
      request.fields.append(HeaderField("If-Modified-Since", date))
    }
    // A request that compares must bypass caches.
    let isComparison = step.purpose == .closingCheck || step.purpose.isLook || pastCaches
    return isComparison ? request.pastCaches : request
  }

  private func read(
    _ answer: Answer, _ number: Int, at cursor: Cursor, isFirst: Bool,
    isConditional: Bool, _ tried: Locked<Tried>
  ) -> Judged<Fetched> {
    tried.withLock { $0.status = answer.status }
    let body = AnswerBody(answer, isFeed: stream.readsFeed)
    if let decision = judge.decide(answer, body, attempt: number) {
      if case .trouble(.cap, _, let message) = decision,
        let page = reader.page(answer, body, endedBy: message)
      {
        return .value(.page(page, answer))
      }
      return .decision(decision)
    }
    switch reader.read(answer, body, at: cursor) {
    case .page(let page): return .value(.page(page, answer))
    case .notModified where isConditional: return .value(.notModified(answer))
    // The judge has decided about a 202.
    case .notModified, .later:
      return .decision(
        .retry(
          after: nil, cause: .status,
          message: "The API answers \(answer.status) where a page was requested."))
    case .trouble(let trouble):
      let decision = judge.decide(trouble, answer, body, attempt: number, isFirst: isFirst)
      guard case .retry(_, let cause, let message) = decision, isDocument(body),
        isSame(answer, tried)
      else { return .decision(decision) }
      return .decision(
        .trouble(
          .unreadable, cause: cause, message: "\(message); the same came \(Patience.sameMax) times")
      )
    }
  }

  /// The body is complete, as far as its form shows, and is no foreign page.
  private func isDocument(_ body: AnswerBody) -> Bool {
    switch body {
    case .json: true
    case .other: stream.readsFeed
    case .blank, .foreign: false
    }
  }

  /// The answers for one page, over its tries.
  private struct Tried {
    var status: Int?
    /// Of the last unreadable answer, and how often it came.
    var (digest, times): (UInt64, Int) = (0, 0)
  }

  private func isSame(_ answer: Answer, _ tried: Locked<Tried>) -> Bool {
    let digest = Digest64.of(answer.body)
    return tried.withLock { last in
      (last.digest, last.times) = (digest, last.digest == digest ? last.times + 1 : 1)
      return last.times >= Patience.sameMax
    }
  }

  private static func fetched(_ decision: Decision, status: Int?) -> Fetched {
    switch decision {
    case .fatal(let message): .fatal(.failed, message: message)
    case .keyRefused(let message): .fatal(.secret, message: message)
    case .trouble(let kind, let cause, let message):
      .trouble(Walker.Trouble(kind, message, status: status), cause: cause)
    // The requester itself repeats these.
    case .retry, .postpone:
      .trouble(Walker.Trouble(.unreadable, decision.message), cause: .status)
    }
  }
}
