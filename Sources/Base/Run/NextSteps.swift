/// One recommended step for a job in its state.
public struct NextStep: Sendable, Equatable {
  /// A sentence; without a full stop if a command follows.
  public var text: String
  /// To be pasted.
  public var command: String?
  /// Whether it needs the user to act.
  public var needsPerson: Bool
  public var trouble: Trouble?
  /// Since when things have not been as good as before.
  public var since: Instant?

  public init(
    _ text: String, command: String? = nil, needsPerson: Bool = false, trouble: Trouble? = nil,
    since: Instant? = nil
  ) {
    self.text = text
    self.command = command
    self.needsPerson = needsPerson
    self.trouble = trouble
    self.since = since
  }

  public var sentence: String { command.map { "\(text): \($0)" } ?? text }
}

/// The recommended steps after a run, from its end and the state of its lists. Report, JSON, status, index, exit code 4
/// and alert all use them, so they never differ.
public struct NextSteps: Sendable {
  public struct List: Sendable {
    var name: String
    /// Nil: no walk of it has ended that still counts.
    var verdict: Verdict?
    var cause: Shortfall?
    var isAsDeclared: Bool
    var resumesAt: Instant?
    public var rule: StopRule?
    /// The last walk left it smaller or worse than before.
    public var isLess: Bool
    /// When it was last as good as before, and whether that is too long ago.
    public var goodAt: Instant?
    public var isOld = false
    /// Rows that look gone but are too many to believe it.
    public var withheld = 0
    /// They were on one page, and later walks decide.
    public var areTogether = false
    /// The last walk of the list returned no records.
    public var isEmptied = false
    public var rows = 0
    /// For a list that belongs to a parent record: when it is read again.
    public var when: ParentFeed.When?
    /// It is requested by time.
    public var isByTime = false
    /// Its verdict is that of some ranges of time, and not of a walk without dates.
    public var isOfRange = false

    public init(
      name: String, verdict: Verdict?, cause: Shortfall?, isAsDeclared: Bool, resumesAt: Instant?
    ) {
      self.name = name
      self.verdict = verdict
      self.cause = cause
      self.isAsDeclared = isAsDeclared
      self.resumesAt = resumesAt
      isLess = !isAsDeclared
    }

    /// Most runs do not read all of it.
    var readsNew: Bool { isByTime || rule == .lastCompleteRange }

    /// What is wrong with it, if anything.
    var trouble: Trouble? {
      if withheld > 0 { return isEmptied ? .empty : areTogether ? .together : .withheld }
      switch verdict {
      case .paused: return .pause
      case .failed: return rule == .onlyRejects ? .misfit : .failed
      // If it never existed, nothing is wrong.
      case .absent: return isLess || isOfRange ? .absent : nil
      case .incomplete: return shortfall
      case .limited where !isAsDeclared: return cause == .outOfReach ? nil : .cap
      case .complete, .unproven, .limited, nil:
        return isLess && verdict != nil ? .shorter : isOld ? .silent : nil
      }
    }

    private var shortfall: Trouble {
      switch cause {
      case .moved: .moved
      case .count: .count
      case .rejects: .rejects
      case .empty: .empty
      case .unread: .unread
      case .ambiguousKey: .ambiguous
      case .fields: .emptied
      case .ceiling, .outOfReach, nil: .shorter
      }
    }
  }

  /// What is wrong with the job itself or the machine.
  public struct Other: Sendable {
    var trouble: Trouble
    var since: Instant?
    var isOld: Bool

    public init(_ trouble: Trouble, since: Instant?, isOld: Bool = false) {
      self.trouble = trouble
      self.since = since
      self.isOld = isOld
    }
  }

  let job: String
  let command: String
  let kinds: Set<RunOutcome.Kind>
  let lists: [List]
  let rejects: Int
  let others: [Other]
  /// The job declares a key.
  let knowsKey: Bool
  /// Its file has another address than its rows came from.
  let isElsewhere: Bool
  /// The most list names in one sentence.
  private static let namesMax = 2

  public init(
    job: String, command: String = "run", kinds: Set<RunOutcome.Kind>, lists: [List],
    rejects: Int = 0, others: [Other] = [], knowsKey: Bool = true, isElsewhere: Bool = false
  ) {
    self.job = job
    self.command = command
    self.kinds = kinds
    self.lists = lists
    self.rejects = rejects
    self.others = others
    self.knowsKey = knowsKey
    self.isElsewhere = isElsewhere
  }

  /// What the user must do comes first.
  public var all: [NextStep] {
    let steps = ofRun + ofLists
    return steps.filter(\.needsPerson) + steps.filter { !$0.needsPerson }
  }

  // MARK: the run

  private var ofRun: [NextStep] {
    let ended: [Trouble?] = [
      kinds.contains(.bug) ? .bug : nil, kinds.contains(.damaged) ? .damaged : nil,
      kinds.isDisjoint(with: [.cannotCreate, .cannotWrite]) ? nil : .folder,
      kinds.contains(.secret) ? knowsKey ? .key : .noAuth : nil,
      kinds.contains(.configuration) ? isElsewhere ? .address : .jobFile : nil,
    ]
    let found = ended.compactMap { $0 }
    var all =
      found.map { Other($0, since: nil) } + others.filter { !found.contains($0.trouble) }
    let old = lists.filter(\.isOld)
    let since = old.compactMap(\.goodAt).min()
    if kinds.contains(.unreachable) {
      all.append(Other(.host, since: since, isOld: !old.isEmpty))
    } else if kinds.contains(.interrupted) {
      all.append(Other(.cutOff, since: since, isOld: !old.isEmpty))
    }
    return all.map { step($0.trouble, [], isTold: $0.trouble.isUrgent || $0.isOld, $0.since) }
      + keptRejects + pauses
  }

  /// If the whole job has one reason, it is given once instead of for each old list.
  private var hasOneReason: Bool { !kinds.isDisjoint(with: [.unreachable, .interrupted, .secret]) }

  private var keptRejects: [NextStep] {
    guard rejects > 0, !lists.contains(where: { $0.trouble == .rejects && $0.isOld }) else {
      return []
    }
    return [
      NextStep(
        "\(Wording.count(rejects, "value or record", "values or records")) did not fit and "
          + (rejects == 1 ? "is" : "are")
          + " kept (SELECT * FROM trawl_rejects); after mending the job file",
        command: "trawl run \(job) --retry-rejects", trouble: .rejects)
    ]
  }

  private var pauses: [NextStep] {
    let paused = lists.filter { $0.verdict == .paused && !$0.isOld }
    if let at = paused.compactMap(\.resumesAt).min() {
      return [
        NextStep("Nothing is lost: the same command after \(at) resumes.", trouble: .pause)
      ]
    }
    guard kinds.contains(.paused), others.isEmpty, !lists.contains(where: \.isOld) else {
      return []
    }
    return [step(.pause, [], isTold: false, nil)]
  }

  // MARK: the lists

  /// One step for each kind of trouble, however many lists have it.
  private var ofLists: [NextStep] {
    var groups: [(key: String, lists: [List])] = []
    for list in lists {
      let trouble = list.trouble
      let isInfo = trouble == nil && list.verdict != .unproven && list.verdict != .limited
      if isInfo && list.verdict != .absent { continue }
      if hasOneReason, [.silent, .pause, .failed, nil].contains(trouble) { continue }
      let key =
        "\(trouble?.rawValue ?? list.verdict?.rawValue ?? "") \(isTold(list)) \(list.isAsDeclared) "
        + "\(list.when == .new) \(list.when == .changed) \(list.readsNew) \(list.isOfRange)"
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].lists.append(list)
      } else {
        groups.append((key, [list]))
      }
    }
    let order = Trouble.allCases
    func place(_ lists: [List]) -> Int {
      lists[0].trouble.flatMap(order.firstIndex) ?? order.count
    }
    return groups.map(\.lists).sorted { place($0) < place($1) }.compactMap(step)
  }

  private func isTold(_ list: List) -> Bool {
    guard let trouble = list.trouble else { return false }
    // If none of its answers could ever be read, a retry may not help.
    if list.verdict == .failed, kinds.contains(.failed) { return true }
    return trouble.isUrgent || list.isOld
  }

  private func step(for group: [List]) -> NextStep? {
    let list = group[0]
    guard let trouble = list.trouble else { return info(group) }
    let isTold = isTold(list)
    // Already reported with the time at which it resumes.
    if trouble == .pause, !isTold { return nil }
    if trouble == .rejects, !isTold, rejects > 0 { return nil }
    var step = step(trouble, group, isTold: isTold, group.compactMap(\.goodAt).min())
    if list.isOfRange { reword(&step, group) }
    return step
  }

  /// Ranges of time that fail say nothing of the list, and the job file may say which an API refuses.
  private func reword(_ step: inout NextStep, _ group: [List]) {
    let names = Self.names(group)
    switch step.trouble {
    case .failed, .absent:
      let what = step.trouble == .failed ? "failed" : "was not found"
      guard step.needsPerson else {
        step.text = "\(names): a range of time \(what), and is requested again."
        return
      }
      step.text =
        "\(names): a range of time \(what). Where the API refuses what is too old or too wide, the job file says "
        + "so: reach in the window, or errors with then: \"gap\" or then: \"cap\"; to see its answer"
      step.command = "trawl report \(job) --explain"
    case .cap:
      step.text =
        "\(names): the API returns no more of the shortest ranges of time; narrower values of --set return the "
        + "rest, unless it ignores the times that it is sent (window)"
      step.text += step.needsPerson ? "; to see it" : "."
    default: break
    }
  }

  /// For lists that are as expected, but not whole.
  private func info(_ group: [List]) -> NextStep? {
    let (names, list) = (Self.names(group), group[0])
    let (it, was) = group.count == 1 ? ("it", "was") : ("them", "were")
    switch list.verdict {
    case .unproven:
      let next =
        switch list.when {
        case .new: "no run reads \(it) again (when: \"new\" in the job file)"
        case .changed: "a run reads \(it) again when its parent has changed"
        case _ where list.readsNew: "the next runs read what is new, and the rest only to prove it"
        default: "the next run reads \(it) again"
        }
      return NextStep("\(names) \(was) read to the end, unproven: \(next).")
    case .limited where list.cause == .outOfReach:
      return NextStep(
        "\(names): what is older than the API still answers, or cannot be put into a request, is "
          + "left out; the next run reads what is new.")
    case .absent where lists.allSatisfy({ $0.verdict == .absent }):
      // None ever existed: the job's values or its address are wrong.
      return NextStep(
        "Nothing that was requested exists: check the values of --set, and the address; to see "
          + "what is requested", command: "trawl check \(job)", needsPerson: true,
        trouble: .jobFile)
    case .absent: return step(.absent, group, isTold: false, nil)
    default: return nil
    }
  }

  private func step(
    _ trouble: Trouble, _ group: [List], isTold: Bool, _ since: Instant?
  ) -> NextStep {
    let row = trouble.row
    let isOne = group.count == 1
    let rows = group.reduce(0) { $0 + ($1.withheld > 0 ? $1.withheld : $1.rows) }
    func filled(_ text: String) -> String {
      Trouble.filled(text) { place in
        switch place {
        case "lists": group.isEmpty ? "All lists" : Self.names(group)
        case "it": isOne ? "it" : "them"
        case "was": isOne ? "was" : "were"
        case "has": isOne ? "has" : "have"
        case "when":
          group.compactMap(\.resumesAt).min().map { "after \($0)" } ?? "by the next run"
        case "rows": "\(rows)"
        case "job": job
        case "run": command
        default: nil
        }
      }
    }
    guard isTold || row.soon == nil else {
      return NextStep(filled(row.soon ?? ""), trouble: trouble, since: since)
    }
    return NextStep(
      filled(row.late), command: row.command.map(filled), needsPerson: isTold, trouble: trouble,
      since: since)
  }

  private static func names(_ lists: [List]) -> String {
    Wording.some(lists.map(\.name), namesMax)
  }
}
