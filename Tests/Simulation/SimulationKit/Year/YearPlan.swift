internal import TestSupport

/// All nights of a year, decided before the first: what happens in each, and whether that is a reason to wake somebody.
/// Independent of the program.
struct YearPlan: Sendable {
  struct Night: Sendable {
    var number: Int
    var event: YearEvent?
    /// The night within its event, from 1.
    var day = 1
    /// After this many answers a list moves.
    var drift: (list: String, after: Int)?
    /// The night after an alert: the user confirms that it is right.
    var isAccepted = false
  }

  let nights: [Night]

  init(seed: UInt64, count: Int) {
    var random = SeededRandom(seed: seed &* 0x2545_f491 &+ 1)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    var all: [Night] = []
    var isAccepted = false
    var halved = 0
    while all.count < count {
      for _ in 0..<(2 + roll(6)) {
        var night = Night(number: all.count + 1, isAccepted: isAccepted)
        if roll(5) == 0, !isAccepted {
          let lists = YearPlan.moving
          night.drift = (lists[roll(lists.count)], 1 + roll(4))
        }
        // Its last proof is of the night before, so that the plan alone knows whether it is late.
        if night.drift?.list == "things", !(all.last?.isAtRest ?? false) { night.drift = nil }
        isAccepted = false
        all.append(night)
      }
      var event = YearEvent.any(&random)
      // A list must grow again before it is halved again.
      while event == .halfLeaves, all.count - halved < Self.regrowth {
        event = YearEvent.any(&random)
      }
      if event == .halfLeaves { halved = all.count }
      if case .neverRests = event, !all.isEmpty { all[all.count - 1].drift = nil }
      for day in 1...event.nights[roll(event.nights.count)] {
        all.append(Night(number: all.count + 1, event: event, day: day))
      }
      isAccepted = event == .halfLeaves
    }
    nights = Array(all.prefix(count))
  }

  /// The number of other kinds of events than an API's trouble.
  static let others = 17
  /// Nights.
  private static let regrowth = 20
  private static let moving = ["things", "items topic=a", "items topic=b", "members id=1"]
}

extension YearPlan.Night {
  var isOff: Bool { event == .isOff }

  /// `a list's 404`
  var kind: String? {
    guard case .api(let trouble, _)? = event else {
      return event.map { String("\($0)".prefix { $0 != "(" }) }
    }
    return trouble.name
  }

  /// `a list's 404 (things), its night 2`
  var what: String {
    guard let event, let kind else { return "nothing happens" }
    guard case .api(_, let list) = event else { return "\(event), its night \(day)" }
    return "\(kind)\(list.map { " (\($0))" } ?? ""), its night \(day)"
  }

  /// How its run may end.
  var exit: YearTrouble.Exit {
    switch event {
    case .api(let trouble, _): trouble.exit == .once && day > 1 ? .perhaps : trouble.exit
    case .keyIsMissing, .jobIsBroken, .diskIsFull: .always
    case .moved: day == 1 ? .always : .never
    case .halfLeaves: day == 1 ? .once : .never
    case .neverRests: day == YearJob.patienceDays + 1 ? .once : .never
    case .hostIsOut, .faults, .limit, .isOff, .kill, .clock, .clockIsSet, .noRoom, .overlap,
      .widened, .renamed, nil:
      .never
    }
  }

  /// Nothing happens, and no list moves.
  var isAtRest: Bool { event == nil && drift == nil }

  /// In addition, every list is as declared, so that each is read whole.
  var isQuiet: Bool {
    // Windows requested by a clock that is days behind, or was set, follow that clock.
    if case .clockIsSet = event { return false }
    if case .clock(let jump) = event, jump <= .zero - Year.day { return false }
    return isClear && drift == nil && event?.list == nil
  }

  /// The run pauses. Two hours look like a time zone.
  var clockIsAhead: Bool {
    if case .clock(let jump) = event { return jump >= Year.day } else { return false }
  }

  /// Nothing keeps a run from reading all lists to their ends.
  var isClear: Bool {
    switch event {
    case .keyIsMissing, .jobIsBroken, .diskIsFull, .isOff, .limit, .faults: false
    case .moved: day == 2
    // It concerns one list, and still answers each request.
    case .api(let trouble, let list): list != nil && trouble.isPage
    case .kill(_, _, let isRunAgain): isRunAgain
    case .clock: !clockIsAhead
    default: true
    }
  }
}
