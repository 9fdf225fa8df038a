internal import Base
internal import TestSupport

/// What stands where a list should be.
enum YearAnswer: Sendable, CaseIterable { case refused, gone, page, error }

/// What befalls the API, the machine or the job in a year, with all that a seed decides of it.
enum YearEvent: Sendable, Equatable {
  // Of the API.
  /// Nothing answers: for some minutes, or for all of the night.
  case hostIsOut(minutes: Int64?)
  /// Every request of one list is answered by 500.
  case listIsOut(String)
  /// Every request of one list is answered by a status that says something else than 500, or by 200 with no list.
  case listAnswers(String, YearAnswer)
  /// Every request of the night is answered by 429, without a time.
  case limitAlways
  /// The total of a list is off by one.
  case totalIsOff(String)
  /// Answers fail here and there, and say 429 now and then: so many requests of a hundred.
  case faults(percent: Int)
  /// One answer of the night says: not before so long.
  case limit(Duration)
  case keyDied
  case halfLeaves
  case recordBreaks(String)
  /// A list that holds records is answered without any.
  case comesEmpty(String)
  /// A list moves whenever it is walked.
  case neverRests(String)

  // Of the machine.
  case isOff
  case kill(FaultPoint.Place, visit: Int, isRunAgain: Bool)
  /// The machine's clock is off by so much.
  case clock(Duration)
  /// Somebody sets the machine's clock while a run is under way, behind so many requests.
  case clockIsSet(by: Duration, after: Int)
  case diskIsFull

  // Of the job.
  /// A second run of the job is started beside the first, behind so many requests.
  case overlap(after: Int)
  /// The job file gets a column and a value.
  case widened
  /// The job gets another name, and its file says which one it had.
  case renamed

  /// The one list that it is about.
  var list: String? {
    switch self {
    case .listIsOut(let list), .listAnswers(let list, _), .totalIsOff(let list),
      .recordBreaks(let list),
      .comesEmpty(let list), .neverRests(let list):
      list
    case .halfLeaves: "things"
    default: nil
    }
  }

  /// Nights that it lasts.
  func nights(_ random: inout SeededRandom) -> Int {
    func roll(_ least: Int, _ most: Int) -> Int {
      least + Int(random.next() % UInt64(most - least + 1))
    }
    switch self {
    case .hostIsOut(let minutes): return minutes == nil ? roll(1, 3) : 1
    case .listIsOut: return roll(1, 4)
    case .listAnswers, .limitAlways, .totalIsOff: return roll(1, 6)
    case .keyDied, .recordBreaks, .diskIsFull: return roll(1, 3)
    // Three nights over 40 hours are believed.
    case .comesEmpty: return roll(1, 2)
    case .neverRests: return roll(2, 8)
    case .isOff: return roll(1, 16)
    case .clock: return roll(1, 5)
    case .faults: return roll(1, 3)
    case .limit, .halfLeaves, .kill, .overlap, .widened, .renamed, .clockIsSet: return 1
    }
  }

  /// One of each kind is as likely as one of any other.
  static func any(_ random: inout SeededRandom) -> YearEvent {
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    func one<T>(of all: [T]) -> T { all[roll(all.count)] }
    let lists =
      ["things"] + YearJob.topics(0).map { "items topic=\($0)" }
      + YearJob.groups.map { "members id=\($0)" }
    switch roll(20) {
    case 0: return .hostIsOut(minutes: one(of: [nil, 3, 12]))
    // Details are not asked for in each night.
    case 1: return .listIsOut(one(of: lists + ["news"]))
    case 2: return .faults(percent: one(of: [3, 10]))
    case 3: return .limit(.seconds(one(of: [30, 7200, 366 * 86_400])))
    case 4: return .keyDied
    case 5: return .halfLeaves
    case 6: return .recordBreaks(one(of: lists))
    case 7: return .comesEmpty(one(of: lists))
    case 8: return .neverRests("things")
    case 9: return .isOff
    case 10:
      let places: [FaultPoint.Place] = [
        .beforePageCommit, .afterPageCommit, .beforeCertificate, .afterCertificate,
        .beforeLedgerReserve, .afterLedgerReserve, .beforeReport, .afterMediaRename, .afterMediaRow,
      ]
      return .kill(one(of: places), visit: 1 + roll(12), isRunAgain: roll(2) == 0)
    case 11:
      let day: Int64 = 86_400
      return .clock(.seconds(one(of: [400 * day, 30 * day, 7200, -7200, -day, -1000 * day])))
    case 12: return .diskIsFull
    case 13: return .overlap(after: roll(20))
    case 14: return .renamed
    case 16: return .listAnswers(one(of: lists), one(of: YearAnswer.allCases))
    case 17: return .limitAlways
    case 18: return .totalIsOff("things")
    case 15:
      let day: Int64 = 86_400
      let jump: Int64 = one(of: [400 * day, 30 * day, 3 * 3600, -3 * 3600, -day, -1000 * day])
      return .clockIsSet(by: .seconds(jump), after: 1 + roll(40))
    default: return .widened
    }
  }
}
