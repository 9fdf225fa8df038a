internal import Base

/// How a walk ended, before the proof is weighed.
struct WalkEnd: Sendable, Equatable {
  var rule: StopRule
  var message: String
  /// The API ends the list here, although it may have more.
  var isCap = false
  var isFailure = false
  /// An answer other than a page says that nothing follows; no records show it.
  var isUnshown = false
  /// Set if the end itself is the verdict.
  var verdict: Verdict?
  /// Otherwise: what counts against a list that ends like this.
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

  static func moreFlag(_ page: PageSummary) -> WalkEnd {
    WalkEnd(.moreFlag, "page \(page.ordinal) says that no more follow")
  }
}
