internal import Base

/// How old a walk's answers are by their headers: a cache may return one from before the walk began, or one older than
/// other answers were when it was requested.
struct AnswerAges: Sendable {
  /// Clocks behind one address may differ so much.
  private static let skew = Duration.seconds(5)
  /// A page in flight may have been requested this many answers ago.
  private static let heardMax = Job.atOnceMax + 1

  /// The walk reads again to compare, so any older answer from a cache shows nothing, however young.
  var isSecondReading = false
  /// The last answer's sign of age.
  private(set) var sign: UnreadSign?
  /// Some answer was too old to show the list as it is.
  private(set) var hasOld = false
  /// When the last answers arrived, in page order.
  private var heard: [Instant] = []

  /// - Parameter began: the start of the walk.
  mutating func note(_ answer: Answer, since began: Duration, _ context: RunContext) {
    // The answer may have waited for the pages before it.
    let waited = max(.zero, context.time.now() - answer.receivedAt)
    sign = sign(
      of: answer, walked: context.time.elapsed() - began - waited, context.dates.age(of: answer))
    if sign != nil { hasOld = true }
    if heard.count == Self.heardMax { heard.removeFirst() }
    heard.append(answer.receivedAt)
  }

  /// When the last answer came that was known when this one was requested. Answers in flight beside it may be younger.
  private func last(before answer: Answer) -> Instant? {
    heard.filter { $0 <= answer.sentAt }.max() ?? heard.first
  }

  private func sign(
    of answer: Answer, walked: Duration, _ made: (age: Duration, isRight: Bool)?
  ) -> UnreadSign? {
    if let age = answer.age {
      let value = "\(age.components.seconds) s"
      if age > walked { return UnreadSign("Age", .old, value) }
      // `Age` has whole seconds.
      guard let last = last(before: answer), age + .seconds(1) > answer.receivedAt - last else {
        return nil
      }
      return UnreadSign("Age", .older, value)
    }
    if let words = answer.staleWords { return UnreadSign("cache", .old, words) }
    guard let made, let date = answer.toldDate else { return nil }
    if made.isRight, made.age > max(walked, Instant.aheadMax) {
      return UnreadSign("Date", .old, date.description)
    }
    let skew = isSecondReading ? Duration.seconds(1) : Self.skew
    return made.age > skew ? UnreadSign("Date", .older, date.description) : nil
  }
}
