internal import Model

/// What the heads of a walk's answers say of their age: a cache on the way may have an answer since before
/// the walk began, or one that is older than the answer before it.
struct AnswerAges: Sendable {
  /// Clocks of the servers behind one address differ.
  static let skew = Duration.seconds(5)

  /// What the last answer said.
  private(set) var sign: UnreadSign?
  /// One answer was too old to show the list as it is.
  private(set) var hasOld = false
  private var lastReceived: Instant?
  private var lastDate: Instant?

  /// - Parameter walked: how long the walk has taken.
  mutating func note(_ answer: Answer, walked: Duration) {
    sign = sign(of: answer, walked: walked)
    if sign != nil { hasOld = true }
  }

  private mutating func sign(of answer: Answer, walked: Duration) -> UnreadSign? {
    defer {
      lastReceived = answer.receivedAt
      lastDate = answer.toldDate
    }
    if let age = answer.age {
      let value = "\(age.components.seconds) s"
      if age > walked { return UnreadSign("Age", .old, value) }
      // Whole seconds are told, and the rest is not.
      guard let lastReceived, age + .seconds(1) > answer.receivedAt - lastReceived else {
        return nil
      }
      return UnreadSign("Age", .older, value)
    }
    guard let lastDate, let date = answer.toldDate, lastDate - date > Self.skew else { return nil }
    return UnreadSign("Date", .older, date.description)
  }
}
