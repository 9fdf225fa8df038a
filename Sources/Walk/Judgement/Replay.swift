public import Base

/// Walks a list again over its stored answers, in the order in which they were taken: a walker of its own
/// asks, each question must be the one that the next answer was given to, and where the walk was resumed
/// another walker goes on as it did then.
public struct Replay: Sendable {
  /// One stored answer, or what replaced it.
  public struct Row: Sendable {
    var page: PageSummary
    var address: String
    /// What the walk was handed before it, where it began, or was resumed, here.
    var handed: Handed?
    /// The rules that are named there.
    var rules: WalkRules?

    public init(_ page: PageSummary, address: String, handed: Handed?, rules: WalkRules?) {
      self.page = page
      self.address = address
      self.handed = handed
      self.rules = rules
    }
  }

  private var walker: Walker?
  private var move: Walker.Move?
  /// The first answer that does not follow from those before it.
  public private(set) var problem: String?

  public init() {}

  /// What was handed last.
  public var handed: Handed? { walker?.handed }
  /// More is to be requested: it has not come to its end.
  public var isOpen: Bool { if case .conclude = move { false } else { true } }

  /// - Parameter before: the pages before this one, as a walk that is resumed reads them.
  public mutating func take<Failure: Error>(
    _ row: Row, before: () throws(Failure) -> [PageSummary]
  ) throws(Failure) {
    guard problem == nil else { return }
    if let handed = row.handed {
      guard let rules = row.rules else {
        problem = "the rules of its walk are not there"
        return
      }
      if !hasPages { firstAddress = row.address }
      try begin(handed, rules, before: before)
      guard problem == nil else { return }
    }
    guard walker != nil, let move else {
      problem = "nothing says what its walk was handed"
      return
    }
    follow(row.page, move)
  }

  /// The walk begins, or goes on, with what it was handed here.
  public mutating func begin<Failure: Error>(
    _ handed: Handed, _ rules: WalkRules, before: () throws(Failure) -> [PageSummary]
  ) throws(Failure) {
    guard problem == nil else { return }
    guard handed.isResumed == hasPages else {
      problem =
        handed.isResumed
        ? "its walk was resumed, and what it had read before is not there"
        : "its walk begins twice"
      return
    }
    var next = Walker(
      rules, StoredSteps(first: rules.paging == .chain ? firstAddress : ""), handed,
      resuming: handed.isResumed ? try before() : [])
    move = next.begin()
    walker = next
  }

  private var firstAddress = ""
  /// Something came that a later run goes on with.
  private var hasPages = false

  private mutating func follow(_ page: PageSummary, _ last: Walker.Move) {
    guard case .ask(let step) = last else {
      problem = "\(Self.told(page)) came when its walk was at its end"
      return
    }
    // A run that was killed before it began again leaves what it had read: another one resumes it there.
    guard walker?.startsAgain != true else {
      problem = "before \(Self.told(page)) its walk began again, and what it read then is not there"
      return
    }
    guard step.purpose == page.purpose, step.ordinal == page.ordinal, step.cursor == page.cursor
    else {
      problem =
        "\(Self.told(page)) is stored where its walk asks for "
        + "\(Self.told(step.purpose, step.ordinal, step.cursor))"
      return
    }
    hasPages = hasPages || page.trouble == nil || page.isUnreadable
    if let trouble = page.trouble {
      move = walker?.troubled(Walker.Trouble(trouble), at: step)
    } else {
      move = walker?.received(page)
    }
  }

  private static func told(_ page: PageSummary) -> String {
    told(page.purpose, page.ordinal, page.cursor)
  }

  private static func told(_ purpose: Step.Purpose, _ ordinal: Int, _ cursor: Cursor) -> String {
    switch purpose {
    case .page: "page \(ordinal) (\(cursor))"
    case .seam: "page \(ordinal) again, where it is resumed (\(cursor))"
    case .repair: "page \(ordinal) once more (\(cursor))"
    case .closingCheck: "page \(ordinal) again, at the end (\(cursor))"
    case .lastPage: "a look at the last page (\(cursor))"
    case .signOfMore: "a look at page \(ordinal) by one record less (\(cursor))"
    case .lastRecord: "a look at the last record (\(cursor))"
    case .pageBefore: "a look at the page before the first (\(cursor))"
    }
  }

  /// What follows from all that was taken.
  /// - Parameter claimed: how the walk is said to have stopped, if it is unfinished.
  public func certificate(claimed rule: StopRule) -> Certificate? {
    if case .conclude(let certificate) = move { return certificate }
    return walker?.paused(rule, until: nil, message: "")
  }
}

/// The requests of a walk that are no longer made.
private struct StoredSteps: StepMaking {
  private let first: WebAddress?
  private static let nowhere = try? WebAddress("http://localhost/")

  init(first text: String) {
    // `POST address digest`
    if text.isEmpty {
      first = nil
      return
    }
    let parts = text.split(separator: " ")
    first = try? WebAddress(String(parts.count > 1 ? parts[1] : parts.first ?? ""))  // no counting
  }

  func step(
    _ purpose: Step.Purpose, ordinal: Int, at cursor: Cursor
  ) throws(StepProblem) -> Step {
    var address = first ?? Self.nowhere
    if case .address(let text) = cursor {
      address = try? WebAddress(text)  // nothing was requested there
    }
    guard let address else { throw StepProblem("it is not an address") }
    return Step(purpose: purpose, ordinal: ordinal, cursor: cursor, address: address)
  }
}
