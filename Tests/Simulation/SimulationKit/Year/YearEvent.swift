internal import Base
internal import TestSupport

/// What happens to the API, the machine or the job in a year, with everything that a seed decides.
enum YearEvent: Sendable, Equatable {
  // The API.
  /// A row of the table, for one list or all.
  case api(YearTrouble, list: String?)
  /// Nothing answers for some minutes.
  case hostIsOut(minutes: Int64)
  /// Answers fail, or are 429, for this percentage of requests.
  case faults(percent: Int)
  /// One answer of the night says to wait this long.
  case limit(Duration)
  case halfLeaves
  /// A list that moves during each walk.
  case neverRests(String)
  /// It has a new address; in the second night the user adopts it.
  case moved

  // The machine.
  case isOff
  case kill(FaultPoint.Place, visit: Int, isRunAgain: Bool)
  /// The machine's clock is off by this much.
  case clock(Duration)
  /// Somebody sets the machine's clock during a run, after this many requests.
  case clockIsSet(by: Duration, after: Int)
  case diskIsFull
  /// There is room for records, but not for pictures.
  case noRoom
  case keyIsMissing

  // The job.
  /// A second run of the job starts after this many requests.
  case overlap(after: Int)
  /// The job file gets a column and a value.
  case widened
  /// The job gets another name, and its file says which one it had.
  case renamed
  /// A comma is missing in the job file.
  case jobIsBroken

  /// The single list that it concerns.
  var list: String? {
    switch self {
    case .api(_, let list): list
    case .neverRests(let list): list
    case .halfLeaves: "things"
    case .noRoom: YearTrouble.pictures
    default: nil
    }
  }

  /// How the API answers requests for this list.
  func answer(to list: String) -> YearTrouble.Answer? {
    guard case .api(let trouble, let one) = self else { return nil }
    let isOfAll = one == nil && list != YearTrouble.pictures
    return isOfAll || one == list ? trouble.answer : nil
  }

  /// The possible numbers of nights that it lasts.
  var nights: [Int] {
    switch self {
    case .api(let trouble, _): trouble.nights
    case .keyIsMissing, .diskIsFull, .faults, .jobIsBroken: [1, 2, 3]
    case .halfLeaves: [1, 1, 8]
    case .noRoom: [1, 2, 8]
    case .neverRests: Array(2...8)
    case .isOff: Array(1...16)
    case .clock: Array(1...5)
    case .moved: [2]
    case .hostIsOut, .limit, .kill, .overlap, .widened, .renamed, .clockIsSet: [1]
    }
  }

  /// All kinds are equally likely.
  static func any(_ random: inout SeededRandom) -> YearEvent {
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    func one<T>(of all: [T]) -> T { all[roll(all.count)] }
    let number = roll(YearTrouble.all.count + 15)
    if let trouble = YearTrouble.all[safe: number] {
      return .api(trouble, list: trouble.lists.isEmpty ? nil : one(of: trouble.lists))
    }
    let day: Int64 = 86_400
    switch number - YearTrouble.all.count {
    case 0: return .hostIsOut(minutes: one(of: [3, 12]))
    case 1: return .faults(percent: one(of: [3, 10]))
    case 2: return .limit(.seconds(one(of: [30, 7200, 366 * day])))
    case 3: return .halfLeaves
    case 4: return .neverRests("things")
    case 5: return .isOff
    case 6:
      let places: [FaultPoint.Place] = [
        .beforePageCommit, .afterPageCommit, .beforeCertificate, .afterCertificate,
        .beforeLedgerReserve, .afterLedgerReserve, .beforeReport, .afterMediaRename, .afterMediaRow,
      ]
      return .kill(one(of: places), visit: 1 + roll(12), isRunAgain: roll(2) == 0)
    case 7:
      return .clock(.seconds(one(of: [400 * day, 30 * day, 7200, -7200, -day, -1000 * day])))
    case 8:
      let jump: Int64 = one(of: [400 * day, 30 * day, 3 * 3600, -3 * 3600, -day, -1000 * day])
      return .clockIsSet(by: .seconds(jump), after: 1 + roll(40))
    case 9: return .diskIsFull
    case 10: return .noRoom
    case 11: return .overlap(after: roll(20))
    case 12: return .renamed
    case 13: return one(of: [.keyIsMissing, .jobIsBroken])
    default: return one(of: [.moved, .widened])
    }
  }
}
