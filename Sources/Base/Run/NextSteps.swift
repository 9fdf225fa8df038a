/// One thing that follows from how a run ended.
public struct NextStep: Sendable, Equatable {
  /// A sentence; one that a command follows has no full stop.
  public var text: String
  /// To be pasted.
  public var command: String?
  /// Whether it comes about only if a person does something.
  public var needsPerson: Bool

  public init(_ text: String, command: String? = nil, needsPerson: Bool = false) {
    self.text = text
    self.command = command
    self.needsPerson = needsPerson
  }

  public var sentence: String { command.map { "\(text): \($0)" } ?? text }
}

/// What follows from how a run ended and from what its lists can claim. Report, JSON, status, index
/// and alert have it from here, so that they never advise different things.
public struct NextSteps: Sendable {
  public struct List: Sendable {
    var name: String
    var verdict: Verdict
    var cause: Shortfall?
    var isAsDeclared: Bool
    var resumesAt: Instant?
    /// The page that a paused walk requests next, where it goes by pages.
    var page: Int?

    public init(
      name: String, verdict: Verdict, cause: Shortfall?, isAsDeclared: Bool, resumesAt: Instant?,
      page: Int? = nil
    ) {
      self.name = name
      self.verdict = verdict
      self.cause = cause
      self.isAsDeclared = isAsDeclared
      self.resumesAt = resumesAt
      self.page = page
    }
  }

  let job: String
  let command: String
  let kinds: Set<RunOutcome.Kind>
  let lists: [List]
  let rejects: Int
  /// Names of lists in one sentence.
  private static let namesMax = 2

  public init(
    job: String, command: String = "run", kinds: Set<RunOutcome.Kind>, lists: [List],
    rejects: Int = 0
  ) {
    self.job = job
    self.command = command
    self.kinds = kinds
    self.lists = lists
    self.rejects = rejects
  }

  /// What a person has to do comes first.
  public var all: [NextStep] {
    let steps = ofRun + ofLists
    return steps.filter(\.needsPerson) + steps.filter { !$0.needsPerson }
  }

  // MARK: the run

  private var ofRun: [NextStep] {
    var steps: [NextStep] = []
    if kinds.contains(.secret) {
      steps.append(person("A key is missing or refused; to store another one", "key"))
    }
    if kinds.contains(.configuration) {
      steps.append(person("The job file or a setting is wrong; to see the place", "check"))
    }
    if kinds.contains(.damaged) {
      steps.append(
        person("The database or the ledger cannot be used; to see what still holds", "prove"))
    }
    if !kinds.isDisjoint(with: [.cannotCreate, .cannotWrite]) {
      steps.append(
        person("A file could not be written. When there is room and the right to", command))
    }
    if kinds.contains(.bug) {
      steps.append(
        NextStep(
          "This is a bug in Trawl; please report it, with", command: "trawl report \(job) --json",
          needsPerson: true))
    }
    if rejects > 0 {
      steps.append(
        NextStep(
          "\(Wording.count(rejects, "value or record", "values or records")) did not fit and "
            + (rejects == 1 ? "is" : "are")
            + " kept (SELECT * FROM trawl_rejects); after mending the job file",
          command: "trawl \(command) \(job) --retry-rejects", needsPerson: true))
    }
    steps += pauses
    return steps
  }

  private var pauses: [NextStep] {
    let paused = lists.filter { $0.verdict == .paused }
    if let at = lists.compactMap(\.resumesAt).min(), !paused.isEmpty {
      let page = paused.count == 1 ? paused[0].page.map { " at page \($0)" } ?? "" : ""
      return [
        NextStep(
          "Nothing is lost, and nothing is requested twice: the same command after \(at) "
            + "resumes\(page).")
      ]
    }
    if kinds.contains(.interrupted) || kinds.contains(.paused) {
      return [NextStep("The same command resumes where this one stopped.")]
    }
    if kinds.contains(.unreachable) {
      return [
        NextStep("The same command resumes where this one stopped, when the host is back.")
      ]
    }
    return []
  }

  private func person(_ text: String, _ word: String) -> NextStep {
    NextStep(text, command: "trawl \(word) \(job)", needsPerson: true)
  }

  // MARK: the lists

  /// One for each kind of verdict, however many lists have it.
  private var ofLists: [NextStep] {
    var groups: [(key: String, lists: [List])] = []
    for list in lists {
      let key = "\(list.verdict.rawValue) \(list.cause?.rawValue ?? "") \(list.isAsDeclared)"
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].lists.append(list)
      } else {
        groups.append((key, [list]))
      }
    }
    return groups.compactMap { step(for: $0.lists) }
  }

  private func step(for group: [List]) -> NextStep? {
    let (names, list) = (Self.names(group), group[0])
    let (it, was) = group.count == 1 ? ("it", "was") : ("them", "were")
    switch list.verdict {
    case .complete, .paused: return nil
    case .unproven:
      return NextStep("\(names) \(was) read to the end, unproven: the next run reads \(it) again.")
    case .limited: return list.isAsDeclared ? nil : limit(names, list)
    case .incomplete: return shortfall(names, it, was, list.cause)
    case .absent:
      if lists.allSatisfy({ $0.verdict == .absent }) {
        return person(
          "Nothing that was requested exists: check the values of --set, and the address; to see "
            + "what is requested", "check")
      }
      let when = list.resumesAt.map { "after \($0)" } ?? "by a later run"
      return NextStep("\(names) \(was) not found: requested again \(when).")
    case .failed:
      // Another reason, which is said above or passes by itself.
      if !kinds.isDisjoint(with: [.secret, .unreachable, .interrupted]) { return nil }
      return person(
        "\(names) failed, and asking again does not help; to see what is wrong", "check")
    }
  }

  private func limit(_ names: String, _ list: List) -> NextStep {
    list.cause == .outOfReach
      ? NextStep(
        "\(names): what lies further back than the API answers cannot be fetched any more; the "
          + "next run reads what is new.")
      : NextStep(
        "\(names): the API returns no more of one list; narrower values of --set, or a range of "
          + "time, return the rest.")
  }

  private func shortfall(
    _ names: String, _ it: String, _ was: String, _ cause: Shortfall?
  ) -> NextStep? {
    switch cause {
    case .moved:
      return NextStep("\(names) changed during the walk: the next run reads \(it) again.")
    case .count:
      return NextStep(
        "\(names) had fewer records than the API counts: the next run reads \(it) again.")
    case .empty:
      return NextStep(
        "\(names) \(was) empty, which is not believed at once: the next run reads \(it) again.")
    case .unread:
      return NextStep(
        "The answers to \(names) say more than the job file reads; to see what",
        command: "trawl try \(job)", needsPerson: true)
    case .ambiguousKey:
      return person(
        "\(names): one key is that of different records; the job file needs another key; to see it",
        "check")
    case .fields:
      return NextStep(
        "\(names): columns that were filled came empty, and keep what they hold; to see what comes in their "
          + "place (if it is true: trawl run \(job) --accept-empty COLUMN)",
        command: "trawl try \(job)", needsPerson: true)
    case .rejects where rejects > 0: return nil
    case .rejects, .ceiling, .outOfReach, nil:
      return NextStep("\(names) \(was) not read whole: the next run reads \(it) again.")
    }
  }

  private static func names(_ lists: [List]) -> String {
    let shown = lists.prefix(namesMax).map(\.name).joined(separator: ", ")
    let rest = lists.count - namesMax
    return rest > 0 ? "\(shown) and \(Wording.number(rest)) more" : shown
  }
}
