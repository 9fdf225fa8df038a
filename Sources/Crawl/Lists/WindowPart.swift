internal import Base
internal import Walk

/// One window of a fill: what its walk may decide by itself.
struct WindowPart: Sendable {
  /// The fill when it gave the window.
  let fill: WindowFill
  let stream: Stream
  let window: TimeWindow
  /// The list and the window, in words.
  var name = ""
  /// A window that is too wide is split; otherwise it is certified as capped.
  let mayCut: Bool
  /// An empty answer is not a proof: the API may have read the request differently.
  var doubtsEmpty = false
  /// What earlier windows held, for running totals.
  var countsBefore = Counts()
  var pagesBefore = 0

  private var isCounted: Bool { stream.total?.trust == .counted }

  func isTooWide(_ total: Int?, pages: Int?) -> Bool {
    mayCut
      && fill.isTooWide(
        counted: isCounted ? total : nil, pages: pages, pageSize: stream.size?.value)
  }

  /// Page 1 of a window that should be one answer says that more follow.
  func isMoreThanOneAnswer(_ page: Page) -> Bool {
    guard mayCut, fill.isOfOneAnswer, page.more != false else { return false }
    return page.next != nil || page.more == true
  }

  /// Page 1 is enough: the other pages would be requested again anyway.
  func tooWide(_ walker: Walker, _ total: Int?) -> Certificate {
    let many = isCounted ? total.map { "\($0) records" } : nil
    let most = fill.isOfOneAnswer ? "one answer" : "the API gives of one list"
    var certificate = walker.paused(
      .capReached, until: nil,
      message: many.map { "it holds \($0), and the API may give no more of one list" }
        ?? "it holds more than \(most)")
    (certificate.verdict, certificate.cause) = (.limited, .ceiling)
    return certificate
  }

  func found(_ certificate: Certificate, since oldest: Instant?) -> WindowFill.Found {
    let counts = certificate.counts
    let received = counts.received - counts.repeated
    let total = isCounted ? certificate.lastTotal : nil
    switch (certificate.verdict, certificate.cause) {
    case (.complete, _), (.unproven, _), (.incomplete, .rejects): return .all(total ?? received)
    case (.limited, .ceiling) where !certificate.isAsDeclared:
      return .tooMany(total: total, received: received, since: oldest)
    case (.limited, .outOfReach): return .tooOld
    default: return .nothing
    }
  }

  func isCut(_ found: WindowFill.Found) -> Bool {
    switch found {
    case .tooMany: mayCut
    case .tooOld: fill.canCutForReach(window)
    case .all(let records): doubtsEmpty && records == 0
    case .nothing: false
    }
  }

  func density(after found: WindowFill.Found) -> Double? {
    var fill = fill
    fill.concluded(window, found, isCut: true)
    return fill.learner?.rate
  }

  /// Names what a cap hides when the window cannot be split further.
  func named(_ certificate: Certificate) -> Certificate {
    guard certificate.cause == .ceiling, !certificate.isAsDeclared else { return certificate }
    var named = certificate
    let step = "\(window.from) to \(window.to), the finest step of its filter"
    if isCounted, let total = certificate.lastTotal, total > certificate.distinctKeys {
      let residue = total - certificate.distinctKeys
      named.why = "\(residue) of the \(total) records of \(step), are beyond the API's cap"
    } else {
      named.why =
        "\(certificate.distinctKeys) records were received for \(step), and the API ends a list there: "
        + "the number of missing records is unknown"
    }
    return named
  }
}
