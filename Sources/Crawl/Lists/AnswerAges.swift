internal import Base

/// What the heads of a walk's answers say of their age: a cache on the way may have an answer since before
/// the walk began, or one that is older than what had been answered when it was requested.
struct AnswerAges: Sendable {
  /// Clocks of the servers behind one address differ.
  private static let skew = Duration.seconds(5)
  /// So many answers back a page in flight may have been requested.
  private static let heardMax = Job.atOnceMax + 1

  /// What was read before is read again to compare it: what a cache has from then shows nothing, however young.
  var isSecondReading = false
  /// What the last answer said.
  private(set) var sign: UnreadSign?
  /// One answer was too old to show the list as it is.
  private(set) var hasOld = false
  /// When the last answers came, in the order of their pages.
  private var heard: [Instant] = []

  /// - Parameter began: when the walk did.
  mutating func note(_ answer: Answer, since began: Duration, _ context: RunContext) {
    // It may have waited for the pages before it.
    let waited = max(.zero, context.time.now() - answer.receivedAt)
    sign = sign(
      of: answer, walked: context.time.elapsed() - began - waited, context.dates.age(of: answer))
    if sign != nil { hasOld = true }
    if heard.count == Self.heardMax { heard.removeFirst() }
    heard.append(answer.receivedAt)
  }

  /// When the last answer came that was known when this one was requested. Those in flight beside it may be younger.
  private func last(before answer: Answer) -> Instant? {
    heard.filter { $0 <= answer.sentAt }.max() ?? heard.first
  }

  private func sign(
    of answer: Answer, walked: Duration, _ made: (age: Duration, isRight: Bool)?
  ) -> UnreadSign? {
    if let age = answer.age {
      let value = "\(age.components.seconds) s"
      if age > walked { return UnreadSign("Age", .old, value) }
      // Only whole seconds are given.
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
