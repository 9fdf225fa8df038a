internal import Base

extension Walker {
  /// A size parameter that the API ignores or clamps costs three times the requests in silence.
  /// Page 1 tells it at half the size or less; two equal short pages tell the rest,
  /// but for a single record that is left out of each (a suspended account).
  mutating func noteSize(_ page: PageSummary, isFollowed: Bool) {
    let received = page.counts.received
    let first = state.firstReceived
    if page.ordinal == 1 { state.firstReceived = received }
    guard isFollowed, page.ordinal <= 2, let parameter = rules.sizeParameter,
      let asked = rules.size(at: page.cursor), received > 0, received < asked,
      page.next != nil || page.more == true || (page.total ?? 0) > state.covered
    else { return }
    let isHalf = page.ordinal == 1 && received * 2 <= asked
    let isTwice =
      page.ordinal == 2 && first == received && received * 2 > asked
      && asked - received > 1
    guard isHalf || isTwice else { return }
    warnings.append(
      "asked for \(asked) a page by \"\(parameter)\" and got \(received) with more to come: "
        + "the API does not know that parameter, or allows no more")
  }
}
