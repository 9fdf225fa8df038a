/// The lists of a run that ended alike, with their sums. Few, however many lists there are.
public struct ListGroup: Sendable, Equatable {
  public var stream: String
  public var verdict: Verdict
  public var cause: Shortfall?
  public var isAsDeclared: Bool
  public var lists = 0
  public var pages = 0
  public var requests = 0
  /// What this run brought.
  public var counts = Counts()
  public var vanished = 0

  public init(stream: String, verdict: Verdict, cause: Shortfall?, isAsDeclared: Bool) {
    self.stream = stream
    self.verdict = verdict
    self.cause = cause
    self.isAsDeclared = isAsDeclared
  }

  /// `limited (ceiling)`
  public var claim: String { verdict.claim(cause) }

  /// In the order of their first lists.
  static func all(of units: [UnitFacts]) -> [ListGroup] {
    var groups: [ListGroup] = []
    for unit in units {
      let place = groups.firstIndex { $0.has(unit) } ?? groups.count
      if place == groups.count {
        let certificate = unit.certificate
        groups.append(
          ListGroup(
            stream: unit.stream, verdict: certificate.verdict, cause: certificate.cause,
            isAsDeclared: unit.isAsDeclared))
      }
      groups[place].lists += 1
      groups[place].pages += unit.certificate.pages
      groups[place].requests += unit.requests
      groups[place].counts += unit.counts
      groups[place].vanished += unit.vanished
    }
    return groups
  }

  private func has(_ unit: UnitFacts) -> Bool {
    let certificate = unit.certificate
    return verdict == certificate.verdict && cause == certificate.cause
      && isAsDeclared == unit.isAsDeclared && stream == unit.stream
  }
}

extension UnitFacts {
  fileprivate var groupName: String {
    "\(stream) \(certificate.verdict.rawValue) \(certificate.cause?.rawValue ?? "") \(isAsDeclared)"
  }

  private var badness: (Int, Int, Int) {
    (
      isAsDeclared ? 1 : 0,
      Verdict.urgentFirst.firstIndex(of: certificate.verdict) ?? Verdict.urgentFirst.count,
      // Among lists that ended alike, new shortfalls come first, then the most changes.
      isNewShortfall ? Int.min : -(counts.new + counts.changed + vanished)
    )
  }

  /// The indices of `most` lists to show, in their order: one of each group, then the worst.
  public static func worst(_ most: Int, of units: [UnitFacts]) -> [Int] {
    guard units.count > most else { return Array(units.indices) }
    var groups: Set<String> = []
    let ranked = units.indices.sorted { one, other in
      let (left, right) = (units[one].badness, units[other].badness)
      return left == right ? one < other : left < right
    }
    let firsts = ranked.filter { groups.insert(units[$0].groupName).inserted }
    let others = Set(firsts)
    return (firsts + ranked.filter { !others.contains($0) }).prefix(most).sorted()
  }
}
