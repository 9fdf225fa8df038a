public import Base

extension WalkRules {
  /// What keeps a single answer from being complete, by the rules of a list of one page; nil: nothing. Rejects are
  /// weighed over all answers.
  func doubt(ofAnswer page: PageSummary) -> Certificate? {
    var answer = page
    answer.ordinal = 1
    answer.unseen = page.counts.received
    answer.counts = Counts()
    answer.counts.unchanged = page.counts.received
    (answer.rejectReason, answer.keyClashes) = (nil, KeyClashes())
    var handed = Handed(rules: 0)
    // Missing values are recorded one by one.
    handed.memory.isAccepted = true
    var walker = Walker(self, StoredSteps(), handed)
    guard case .end(let ending) = walker.outcome(of: answer) else { return nil }
    let certificate = Judgement(walker, ending).certificate
    return certificate.verdict == .complete ? nil : certificate
  }

  /// Whether its values are requested again, until an answer is beyond doubt.
  /// - Parameter shared: records that other answers have with other values.
  public func isDoubtful(_ page: PageSummary, shared: Int = 0) -> Bool {
    if page.counts.rejected > 0 || page.rejectReason != nil || page.keyClashes.onPage > shared {
      return true
    }
    guard let doubt = doubt(ofAnswer: page) else { return false }
    if doubt.cause != nil { return !doubt.isAsDeclared }
    // If only the job leaves open whether there are pages, the same answer again says no more.
    return !isSearch
      && (!page.signs.isEmpty || SeenEnd.usualSizes.contains(page.counts.received))
  }
}
