internal import Dispatch
internal import Base

/// Shows the progress of a run: a live block on a terminal, else plain lines, or JSON lines with `--json`. Events may
/// come from any thread and never wait for the terminal: a separate queue writes them, and what a stopped terminal lets
/// pile up is bounded.
final class Progress: Sendable {
  private enum Output: Sendable {
    case line(ProgressBoard.Line)
    case json(JSONObject)
  }

  private struct State {
    var board: ProgressBoard
    var pending: [Output] = []
    var dropped = 0
    var isScheduled = false
    /// The time of the last event or tick.
    var now: Instant?
    var lastJob = ""
    var drawnAt: Instant?
    var isConcluded = false
  }

  private let console: Console
  private let isJSON: Bool
  /// Whether there is a live block; otherwise only lines.
  private let isLive: Bool
  private let state: Locked<State>
  private let queue = DispatchQueue(label: "trawl.progress")

  /// More than ten updates a second cannot be read.
  static let interval = Duration.milliseconds(100)
  /// About a megabyte of waiting lines; further ones are dropped and counted.
  static let pendingMax = 5000

  init(
    console: Console, detail: ProgressBoard.Detail, isJSON: Bool = false, isOfSeveral: Bool = false,
    localTime: @escaping @Sendable (Instant, Instant) -> String = LocalClock.text
  ) {
    self.console = console
    self.isJSON = isJSON
    isLive = !isJSON && console.facts.isDrawn
    var board = ProgressBoard(detail: detail, isLive: isLive, localTime: localTime)
    board.isOfSeveral = isOfSeveral
    state = Locked(State(board: board))
  }

  func receive(_ event: RunEvent, of job: String, at now: Instant) {
    state.withLock { state in
      state.now = now
      state.lastJob = job
      let lines = state.board.receive(event, of: job, at: now)
      if isJSON {
        keep(.json(ProgressJSON.line(event, of: job, at: now)), &state)
        // A user may watch stderr while a program reads stdout: warnings only.
        for line in lines where line.priority.rawValue <= Console.Priority.warning.rawValue {
          keep(.line(line), &state)
        }
      } else {
        for line in lines { keep(.line(line), &state) }
      }
      schedule(&state)
    }
  }

  /// Counts waits down; to be called about once a second.
  func tick(at now: Instant) {
    state.withLock { state in
      state.now = now
      schedule(&state)
    }
  }

  /// Writes what is pending and removes the live block; from then on the command prints.
  func conclude() {
    state.withLock { $0.isConcluded = true }
    drain()
  }

  /// Returns when all earlier output is written.
  func drain() { queue.sync { self.write() } }

  /// Runs `body` while writing is blocked, as by a stopped terminal.
  func hold(_ body: () -> Void) { queue.sync(execute: body) }

  private func keep(_ output: Output, _ state: inout State) {
    if state.pending.count >= Self.pendingMax {
      state.dropped += 1
    } else {
      state.pending.append(output)
    }
  }

  /// No thread is woken if there is nothing to write: a run has two events a page.
  private func schedule(_ state: inout State) {
    guard !state.isScheduled, isLive || !state.pending.isEmpty else { return }
    state.isScheduled = true
    queue.async { @Sendable in self.write() }
  }

  /// Runs on the queue.
  private func write() {
    let (pending, dropped, job, now) = state.withLock { state in
      defer {
        state.isScheduled = false
        state.pending = []
        state.dropped = 0
      }
      return (state.pending, state.dropped, state.lastJob, state.now)
    }
    for output in pending {
      switch output {
      case .line(let line): console.tell(line.text, line.priority)
      case .json(let object): console.printJSON(object)
      }
    }
    guard let now else { return }
    if dropped > 0 {
      if isJSON {
        console.printJSON(ProgressJSON.dropped(dropped, of: job, at: now))
      } else {
        let lines = Wording.count(dropped, "line was", "lines were")
        console.warn("\(lines) not shown: the terminal was stopped")
      }
    }
    // New lines above the block redraw it anyway: then in its current state.
    if !isJSON, let size = console.blockSize { draw(at: now, size, isDue: !pending.isEmpty) }
  }

  private func draw(at now: Instant, _ size: (columns: Int, rows: Int), isDue: Bool) {
    let block: [ConsoleText]? = state.withLock { state in
      // At once: otherwise the live line of an ended list would stay below the words about its end.
      if state.isConcluded || state.board.isEmpty { return [] }
      if !isDue, let drawnAt = state.drawnAt, now >= drawnAt, now - drawnAt < Self.interval {
        return nil
      }
      state.drawnAt = now
      return state.board.block(at: now, columns: size.columns, rows: size.rows)
    }
    if let block { console.show(block: block) }
  }
}
