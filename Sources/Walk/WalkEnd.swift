internal import Base

/// How a walk came to its end, before the proof is weighed.
struct WalkEnd: Sendable, Equatable {
  var rule: StopRule
  var message: String
  /// The API ends the list here, whatever it still has.
  var isCap = false
  var isFailure = false
  /// What came in the place of a page says that nothing follows, and no records show it.
  var isUnshown = false
  /// Set where the end itself is the verdict.
  var verdict: Verdict?
  /// Without one: what speaks against a list that ends so.
  var cause: Shortfall?

  init(
    _ rule: StopRule, _ message: String, isCap: Bool = false, isFailure: Bool = false,
    isUnshown: Bool = false, verdict: Verdict? = nil, cause: Shortfall? = nil
  ) {
    self.rule = rule
    self.message = message
    self.isCap = isCap
    self.isFailure = isFailure
    self.isUnshown = isUnshown
    self.verdict = verdict
    self.cause = cause
  }

  static func failure(_ message: String) -> WalkEnd { WalkEnd(.failure, message, isFailure: true) }

  static func loop(_ message: String) -> WalkEnd { WalkEnd(.loop, message, isFailure: true) }

  static func capSign(at place: String) -> WalkEnd {
    WalkEnd(
      .capSign, "\(place) is empty and its total fell to 0: the API shows nothing past its limit",
      isCap: true)
  }
}
