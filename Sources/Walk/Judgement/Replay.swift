public import Base

/// Walks a list again over its stored answers, in the order in which they were taken: a fresh walker asks, each request
/// must match the next stored answer, and after a pause another walker resumes as it did then.
public struct Replay: Sendable {
  /// One stored answer, or its replacement.
  public struct Row: Sendable {
    var page: PageSummary
    var address: String
    /// What the walk was handed before this answer, if it began or was resumed here.
    var handed: Handed?
    /// The rules named there.
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
  /// Names the first answer that does not follow from those before it.
  public private(set) var problem: String?

  public init() {}

  /// What was handed last.
  public var handed: Handed? { walker?.handed }
  /// Whether the walk has not ended.
  public var isOpen: Bool { if case .conclude = move { false } else { true } }

  /// - Parameter before: the earlier pages that a resumed walk reads.
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

  /// The walk begins, or resumes, with what it is handed here.
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
  /// Something was received that a later run can resume from.
  private var hasPages = false

  private mutating func follow(_ page: PageSummary, _ last: Walker.Move) {
    guard case .ask(let step) = last else {
      problem = "\(Self.told(page)) came when its walk was at its end"
      return
    }
    // A run killed before its restart leaves its pages: the next run resumes there.
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

  /// The certificate that follows from the answers.
  /// - Parameter claimed: the stored stop rule, if the walk is unfinished.
  public func certificate(claimed rule: StopRule) -> Certificate? {
    if case .conclude(let certificate) = move { return certificate }
    return walker?.paused(rule, until: nil, message: "")
  }
}

/// The requests of a stored walk, which are never sent.
struct StoredSteps: StepMaking {
  private let first: WebAddress?
  private static let nowhere = try? WebAddress("http://localhost/")

  init(first text: String = "") {
    // `POST address digest`
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
