internal import Base

/// What the heads of a walk's answers say of their age: a cache on the way may have an answer since before
/// the walk began, or one that is older than what had been answered when it was requested.
struct AnswerAges: Sendable {
  private struct Heard: Sendable {
    var received: Instant
    var date: Instant?
  }

  /// Clocks of the servers behind one address differ.
  static let skew = Duration.seconds(5)
  /// So many answers back a page in flight may have been requested.
  static let heardMax = Job.atOnceMax + 1

  /// What the last answer said.
  private(set) var sign: UnreadSign?
  /// One answer was too old to show the list as it is.
  private(set) var hasOld = false
  /// The last answers, in the order of their pages.
  private var heard: [Heard] = []

  /// - Parameter walked: how long the walk has taken.
  mutating func note(_ answer: Answer, walked: Duration) {
    sign = sign(of: answer, walked: walked)
    if sign != nil { hasOld = true }
    if heard.count == Self.heardMax { heard.removeFirst() }
    heard.append(Heard(received: answer.receivedAt, date: answer.toldDate))
  }

  /// The answer that whoever requested this one had heard last; those in flight beside it may be younger.
  private func last(before answer: Answer) -> Heard? {
    var last: Heard?
    for one in heard where one.received <= answer.sentAt {
      if one.received >= last?.received ?? one.received { last = one }
    }
    return last ?? heard.first
  }

  private func sign(of answer: Answer, walked: Duration) -> UnreadSign? {
    let last = last(before: answer)
    if let age = answer.age {
      let value = "\(age.components.seconds) s"
      if age > walked { return UnreadSign("Age", .old, value) }
      // Whole seconds are told, and the rest is not.
      guard let last, age + .seconds(1) > answer.receivedAt - last.received else { return nil }
      return UnreadSign("Age", .older, value)
    }
    guard let last = last?.date, let date = answer.toldDate, last - date > Self.skew else {
      return nil
    }
    return UnreadSign("Date", .older, date.description)
  }
}
