internal import Model

/// How a walk came to its end, before the proof is weighed.
struct Ending: Sendable, Equatable {
  var rule: StopRule
  var say: String
  /// The API ends the list here, whatever it still has.
  var isCap = false
  var isFailure = false
  /// Set where the end itself is the verdict.
  var verdict: Verdict?

  init(
    _ rule: StopRule, _ say: String, isCap: Bool = false, isFailure: Bool = false,
    verdict: Verdict? = nil
  ) {
    self.rule = rule
    self.say = say
    self.isCap = isCap
    self.isFailure = isFailure
    self.verdict = verdict
  }

  static func failure(_ say: String) -> Ending { Ending(.failure, say, isFailure: true) }

  static func loop(_ say: String) -> Ending { Ending(.loop, say, isFailure: true) }

  static func pageLimit(_ pagesMax: Int) -> Ending {
    Ending(
      .pageLimit, "stopped after \(pagesMax) pages, the most that one walk asks",
      isFailure: true)
  }

  static func capSign(at place: String) -> Ending {
    Ending(
      .capSign, "\(place) is empty and its total fell to 0: the API shows nothing past its ceiling",
      isCap: true)
  }
}
