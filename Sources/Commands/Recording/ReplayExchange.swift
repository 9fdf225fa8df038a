internal import Base

/// Answers from a recording, without network or waiting: each request gets what the same request got then, in the same
/// order, and the clock moves as it did then.
final class ReplayExchange: Exchange {
  let recording: ReplayFile
  private let clock: SteppedClock
  private struct State {
    /// How often each request was answered.
    var answered: [ExactText: Int] = [:]
    var sleeps = 0
    var missing: String?
  }
  private let state = Locked(State())

  init(_ recording: ReplayFile) {
    self.recording = recording
    clock = SteppedClock(at: recording.head.at, seed: UInt64(recording.head.seed) ?? 0)
  }

  /// A request to which the recording has no answer.
  var missing: String? { state.withLock { $0.missing } }

  var timekeeper: Timekeeper {
    clock.timekeeper { [self] span in
      try Task.checkCancellation()
      let index = state.withLock { state in
        defer { state.sleeps += 1 }
        return state.sleeps
      }
      if index < recording.sleeps.count {
        clock.move(to: recording.sleeps[index])
      } else {
        clock.move(by: max(span, .zero))
      }
    }
  }

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    let isKept = request.token == nil
    let body = isKept ? request.body.map { String(decoding: $0.bytes, as: UTF8.self) } : nil
    let key = ReplayFile.key(request.address.description, request.fields, body)
    let index = state.withLock { state in
      defer { state.answered[key, default: 0] += 1 }
      return state.answered[key, default: 0]
    }
    guard let entry = recording.entry(key, index) else {
      state.withLock { $0.missing = $0.missing ?? request.address.description }
      throw ExchangeFailure(
        .closed, cause: .store, address: request.address,
        sentence: "the recording holds no answer to \(request.address)")
    }
    let recorded = try recording.read(entry, for: request.address)
    var answer: Answer?
    if case .success(let whole) = recorded.outcome { answer = whole }
    let isSunk = answer.map { $0.kind == .content } ?? !recorded.body.isEmpty
    if let sink, isSunk {
      sink.begin(answer?.fields ?? HeaderFields())
      let isTaken = recorded.body.withUnsafeBytes { sink.receive($0) }
      answer?.body = []
      if !isTaken, answer != nil {
        throw ExchangeFailure(
          .sinkRefused, cause: .store, address: request.address, sentence: "the body was refused",
          status: answer?.status)
      }
    }
    clock.move(to: recorded.reading)
    if let answer { return answer }
    return try recorded.outcome.get()
  }
}
