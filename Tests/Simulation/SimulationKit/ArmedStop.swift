import Glibc
internal import Base
internal import TestSupport

/// How one run is stopped early: not at all, by a signal, by a budget, or by kill -9.
///
/// A kill copies the folder at that very instant, even inside a transaction, and nothing later counts: the run's
/// further requests reach no server, and its folder is never opened again.
final class ArmedStop: Sendable {
  enum Kind: Sendable, Equatable {
    case none
    case signal(afterPages: Int)
    case budget(Int)
    case crash(FaultPoint.Place, visit: Int)
  }

  private struct State {
    var visits: [FaultPoint.Place: Int] = [:]
    var pagesCommitted = 0
    /// Committed pages that the run has not reported yet, and whether they have rows.
    var untold: [Bool] = []
    var isAsked = false
    var hasCrashed = false
    var folder = ""
    var server: SimulatedServer?
  }

  let kind: Kind
  let order = AnswerOrder()
  private let target: String
  private let state = Locked(State())

  init() {
    kind = .none
    target = ""
  }

  init(_ kind: Kind, copyTo target: String) {
    self.kind = kind
    self.target = target
  }

  init(_ scenario: Scenario, _ random: inout SeededRandom, copyTo target: String) {
    self.target = target
    let number = 1 + Int(random.next() % 6)
    guard Int(random.next() % 100) < scenario.kills else {
      kind = .none
      return
    }
    var places: [FaultPoint.Place] = [
      .beforePageCommit, .beforePageCommit, .afterPageCommit, .afterPageCommit,
      .beforeCertificate, .afterCertificate, .beforeLedgerReserve, .afterLedgerReserve,
      .beforeReport,
    ]
    if scenario.confirms { places += [.beforeMark, .afterMark] }
    switch random.next() % 4 {
    case 0: kind = .signal(afterPages: number)
    case 1: kind = .budget(number * 2)
    default:
      let place = places[Int(random.next() % UInt64(places.count))]
      let isOnce = [
        .beforeCertificate, .afterCertificate, .beforeMark, .afterMark, .beforeReport,
      ].contains(place)
      kind = .crash(place, visit: isOnce ? 1 : number)
    }
  }

  var text: String { "\(kind)\(hasCrashed ? ", crashed" : "")" }
  var maxRequests: Int? { if case .budget(let most) = kind { most } else { nil } }
  var hasCrashed: Bool { state.withLock { $0.hasCrashed } }
  var isAsked: Bool { state.withLock { $0.isAsked } }

  func arm(folder: String, server: SimulatedServer) {
    state.withLock {
      $0.folder = folder
      $0.server = server
    }
  }

  /// Called on the thread of the database or of the ledger.
  func reach(_ place: FaultPoint.Place) {
    let hasCrashed = state.withLock { state in
      if state.hasCrashed { return true }
      state.visits[place, default: 0] += 1
      if [.afterPageCommit, .afterLook, .afterMark].contains(place) { state.pagesCommitted += 1 }
      switch place {
      case .afterPageCommit: state.untold.append(true)
      case .afterLook: state.untold.append(false)
      case .afterMark: state.server?.change { $0.noteKept() }
      default: break
      }
      switch kind {
      case .signal(let pages) where state.pagesCommitted >= pages: state.isAsked = true
      case .crash(place, let visit) where state.visits[place] == visit:
        state.hasCrashed = true
        state.isAsked = true
        state.server?.change { $0.isDead = true }
        Self.copy(state.folder, to: target)
      default: break
      }
      return state.hasCrashed
    }
    if hasCrashed { order.open() } else { order.wake() }
  }

  /// The run reports committed pages in order; a killed run still reports its last one.
  func hear(_ event: RunEvent) {
    guard case .pageStored(_, _, _, let bytes) = event else { return }
    state.withLock { state in
      guard !state.untold.isEmpty else { return }
      let hasRows = state.untold.removeFirst()
      state.server?.change { $0.noteWritten(bytes: bytes, hasRows: hasRows) }
    }
    order.wake()
  }

  // MARK: the copy

  /// Copies the files as kill -9 would leave them.
  static func copy(_ source: String, to target: String) {
    mkdir(target, 0o750)
    for name in ["trawl.db", "trawl.db-wal", "ledger.db", "ledger.db-wal"] {
      copy(file: "\(source)/\(name)", to: "\(target)/\(name)")
    }
  }

  /// Copies nothing if there is no such file.
  static func copy(file source: String, to target: String) {
    if let bytes = Golden.bytes(source) { Golden.write(bytes, to: target) }
  }
}
