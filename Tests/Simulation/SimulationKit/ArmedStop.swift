import Glibc
import Model
import TestSupport

/// How one run is stopped before its end: not at all, by a signal, by a budget, or by kill -9.
///
/// A kill copies the folder at the very instant, in the middle of a transaction too, and lets
/// nothing that happens later count: the run's further requests reach no server, and what it writes
/// goes to a folder that nobody opens again.
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
    var isAsked = false
    var hasCrashed = false
    var hasEnded = false
    var folder = ""
    var server: SimulatedServer?
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Pages that the server had answered and the run had committed when it was killed.
    var committedAtCrash = 0
  }

  let kind: Kind
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
  var committedAtCrash: Int { state.withLock { $0.committedAtCrash } }
  var pagesCommitted: Int { state.withLock { $0.pagesCommitted } }

  func arm(folder: String, server: SimulatedServer) {
    state.withLock {
      $0.folder = folder
      $0.server = server
    }
  }

  /// On the thread of the database or of the ledger.
  func reach(_ place: FaultPoint.Place) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      if state.hasCrashed { return [] }
      state.visits[place, default: 0] += 1
      if place == .afterLook {
        // What is only looked at brings no rows.
        let look = state.pagesCommitted
        state.server?.change { if look < $0.pages.count { $0.pages[look] = [] } }
      }
      if [.afterPageCommit, .afterLook, .afterMark].contains(place) { state.pagesCommitted += 1 }
      switch kind {
      case .signal(let pages) where state.pagesCommitted >= pages: state.isAsked = true
      case .crash(place, let visit) where state.visits[place] == visit:
        state.hasCrashed = true
        state.isAsked = true
        state.committedAtCrash = state.pagesCommitted
        state.server?.change { $0.isDead = true }
        Self.copy(state.folder, to: target)
      default: break
      }
      let waiting = state.waiting
      state.waiting = []
      return waiting
    }
    for one in waiting { one.resume() }
  }

  /// A request that is under way while a page is written is answered behind that page's commit:
  /// what a seed does must not depend on which of two threads is quicker.
  func turn() async {
    await withTaskCancellationHandler {
      while !isTurn, !Task.isCancelled {
        await withCheckedContinuation { continuation in
          let isNow = state.withLock { state in
            if Self.isTurn(state) || Task.isCancelled { return true }
            state.waiting.append(continuation)
            return false
          }
          if isNow { continuation.resume() }
        }
      }
    } onCancel: {
      wake()
    }
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    wake()
  }

  private func wake() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume() }
  }

  private var isTurn: Bool { state.withLock { Self.isTurn($0) } }

  private static func isTurn(_ state: State) -> Bool {
    state.hasCrashed || state.hasEnded
      || (state.server?.now.pages.count ?? 0) <= state.pagesCommitted
  }

  // MARK: the copy

  /// The files as kill -9 would leave them: what was written to them is there, and nothing else.
  static func copy(_ source: String, to target: String) {
    mkdir(target, 0o750)
    for name in ["trawl.db", "trawl.db-wal", "ledger.db", "ledger.db-wal"] {
      copy(file: "\(source)/\(name)", to: "\(target)/\(name)")
    }
  }

  /// Nothing where there is no such file.
  static func copy(file source: String, to target: String) {
    guard let bytes = read(source) else { return }
    let file = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
    precondition(file >= 0, "no file \(target): errno \(errno)")
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    precondition(count == bytes.count, "short write: errno \(errno)")
    close(file)
  }

  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
    return Array(bytes.prefix(max(count, 0)))
  }
}
