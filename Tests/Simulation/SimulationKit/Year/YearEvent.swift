internal import Base
internal import TestSupport

/// What befalls the API, the machine or the job in a year, with all that a seed decides of it.
enum YearEvent: Sendable, Equatable {
  // Of the API.
  /// One of the table, of one list or of all.
  case api(YearTrouble, list: String?)
  /// Nothing answers for some minutes.
  case hostIsOut(minutes: Int64)
  /// Answers fail here and there, and say 429 now and then: so many requests of a hundred.
  case faults(percent: Int)
  /// One answer of the night says: not before so long.
  case limit(Duration)
  case halfLeaves
  /// A list moves whenever it is walked.
  case neverRests(String)
  /// It has another address from now on; in the second night a person says so.
  case moved

  // Of the machine.
  case isOff
  case kill(FaultPoint.Place, visit: Int, isRunAgain: Bool)
  /// The machine's clock is off by so much.
  case clock(Duration)
  /// Somebody sets the machine's clock while a run is under way, behind so many requests.
  case clockIsSet(by: Duration, after: Int)
  case diskIsFull
  /// There is room for records, and none for pictures.
  case noRoom
  case keyIsMissing

  // Of the job.
  /// A second run of the job is started beside the first, behind so many requests.
  case overlap(after: Int)
  /// The job file gets a column and a value.
  case widened
  /// The job gets another name, and its file says which one it had.
  case renamed
  /// A comma is missing in it.
  case jobIsBroken

  /// The one list that it is about.
  var list: String? {
    switch self {
    case .api(_, let list): list
    case .neverRests(let list): list
    case .halfLeaves: "things"
    case .noRoom: YearTrouble.pictures
    default: nil
    }
  }

  /// What the API does, of the one that has it.
  func answer(to list: String) -> YearTrouble.Answer? {
    guard case .api(let trouble, let one) = self else { return nil }
    let isOfAll = one == nil && list != YearTrouble.pictures
    return isOfAll || one == list ? trouble.answer : nil
  }

  /// Nights that it lasts.
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

  /// One of each kind is as likely as one of any other.
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
