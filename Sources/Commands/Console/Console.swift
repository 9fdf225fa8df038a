internal import Glibc
internal import Base

/// The only writer to stdout and stderr. Results go to stdout, everything else to stderr; `ConsoleText` keeps text
/// clean. May be called from any thread; a call returns when its bytes are buffered or written, so a blocked terminal
/// blocks the caller.
final class Console: Sendable {
  enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  let facts: TerminalFacts
  private let errorDescriptor: Int32
  private let outputDescriptor: Int32

  private struct State {
    var output: OutputChannel
    var error: OutputChannel
    /// The lines of the live block on the terminal, below everything else.
    var block: [ConsoleText] = []
    /// Folders that the user knows by another name.
    var names: [(folder: String, shown: String, withFiles: Bool)] = []
    var advised = AdvisedCommands()
  }
  private let state: Locked<State>

  /// For terminals that do not report their width.
  static let columnsFallback = 80

  init(facts: TerminalFacts, output: Int32 = 1, error: Int32 = 2) {
    self.facts = facts
    errorDescriptor = error
    outputDescriptor = output
    state = Locked(
      State(output: OutputChannel(descriptor: output), error: OutputChannel(descriptor: error)))
  }

  /// To be called first of all. A closed descriptor 0, 1 or 2 would be reused for the next opened file (the database!),
  /// and a closed pipe would kill the process in the middle of a page.
  static func claimDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // `open` returns the lowest free number: this one. Without /dev/null nothing helps. Writing a result to a closed
      // stdout is an error.
      _ = open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR)
    }
    // The old handler is not needed.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// From now on text for people calls the folder so. Output for programs, such as paths or JSON, stays exact.
  /// - Parameter withFiles: also the files in it.
  func name(_ folder: String, as shown: String, withFiles: Bool) {
    state.withLock { $0.names.append((folder, shown, withFiles)) }
  }

  private func named(_ text: ConsoleText) -> ConsoleText {
    state.withLock(\.names).reduce(text) { text, name in
      text.replacing(name.folder, with: name.shown, withFiles: name.withFiles)
    }
  }

  /// From now on advised command lines get these options, on stderr and in `advice`.
  func advise(_ commands: AdvisedCommands) { state.withLock { $0.advised = commands } }

  /// Our own text for stdout, beside values of records.
  func advice(_ text: String) -> String { state.withLock(\.advised).carried(text) }

  /// Width of results and help.
  var columns: Int {
    Self.columns(of: facts.isOutputTerminal ? outputDescriptor : errorDescriptor)
  }

  private static func columns(of descriptor: Int32) -> Int {
    TerminalFacts.size(of: descriptor)?.columns ?? columnsFallback
  }

  /// The current size of the live block; nil if there is none.
  var blockSize: (columns: Int, rows: Int)? {
    guard facts.isDrawn else { return nil }
    return TerminalFacts.size(of: errorDescriptor) ?? (Self.columnsFallback, 24)
  }

  // MARK: Results

  /// Prints a line of the result to stdout.
  func print(_ text: ConsoleText) {
    let isTerminal = facts.isOutputTerminal
    toOutput((shown(named(text), isTerminal, columns) + "\n").utf8, flushes: isTerminal)
  }

  /// Wrapped and coloured on a terminal.
  private func shown(
    _ text: ConsoleText, _ isTerminal: Bool, _ columns: @autoclosure () -> Int
  ) -> String {
    guard isTerminal else { return text.plain }
    let lines = Self.wrapped(text, to: columns())
    return facts.isColourless ? lines.plain : lines.coloured
  }

  /// Result lines with their own line ends: help, a report, a table.
  func printLines(_ text: String) {
    toOutput(ConsoleText(lines: text).plain.utf8, flushes: facts.isOutputTerminal)
  }

  /// One object on one line.
  func printJSON(_ object: JSONObject) { printJSON(object.withSchema.bytes) }

  /// One JSON document on one line, flushed at once: its reader is waiting.
  func printJSON(_ document: [UInt8]) {
    toOutput(TerminalJSON.escaped(document) + [UInt8(ascii: "\n")], flushes: true)
  }

  /// Bytes for programs, such as a path: exact in a pipe, cleaned on a terminal.
  func printExact(_ bytes: [UInt8]) {
    let shown = facts.isOutputTerminal ? Array(ForeignText.cleaned(bytes).utf8) : bytes
    toOutput(shown + [UInt8(ascii: "\n")], flushes: true)
  }

  /// Result bytes with their own line ends: exact in a pipe, cleaned on a terminal.
  func printData(_ bytes: [UInt8]) {
    guard facts.isOutputTerminal else { return toOutput(bytes, flushes: false) }
    printLines(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether the reader of stdout is gone: long listings may stop.
  var isOutputClosed: Bool { state.withLock { $0.output.state != .open } }

  private func toOutput(_ bytes: some Sequence<UInt8>, flushes: Bool) {
    state.withLock { state in
      let block = state.block
      let isShared = facts.isOutputTerminal && !block.isEmpty
      if isShared { eraseBlock(&state) }
      state.output.append(bytes)
      if flushes || isShared { state.output.flush() }
      if isShared { drawBlock(block, &state) }
    }
  }

  // MARK: Everything else

  /// To stderr, or the journal behind it.
  func tell(_ text: ConsoleText, _ priority: Priority = .info) {
    let text = named(text).mapping(advice)
    var lines = shown(text, facts.isErrorTerminal, Self.columns(of: errorDescriptor))
    if facts.isErrorJournal {
      // The journal makes each line an entry.
      lines = lines.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "<\(priority.rawValue)>\($0)" }.joined(separator: "\n")
    }
    state.withLock { state in
      let block = state.block
      eraseBlock(&state)
      state.error.append((lines + "\n").utf8)
      drawBlock(block, &state)
      state.error.flush()
    }
  }

  /// Wraps at blanks: terminals break words.
  private static func wrapped(_ text: ConsoleText, to columns: Int) -> ConsoleText {
    var whole = ConsoleText()
    for line in text.lines {
      let indent = line.plain.prefix { $0 == " " }.utf8.count
      // A command line on its own line is meant for copying.
      let isCommand = line.plain.dropFirst(indent).hasPrefix("trawl ")
      for part in isCommand ? [line] : line.wrapped(to: columns, hanging: indent + 2) {
        if !whole.spans.isEmpty { whole += "\n" }
        whole += part
      }
    }
    return whole
  }

  /// `trawl: …`, for errors that end a command.
  func fail(_ text: ConsoleText) {
    tell("\("trawl:", .red) \(text)", .error)
  }

  func warn(_ text: ConsoleText) {
    tell("\("warning:", .yellow) \(text)", .warning)
  }

  /// Shows these lines below everything else, replacing the former ones. Does nothing without a terminal.
  func show(block: [ConsoleText]) {
    guard let size = blockSize else { return }
    state.withLock { state in
      eraseBlock(&state)
      // One column stays free: some terminals wrap after writing the last one.
      let lines = block.prefix(max(1, size.rows - 1)).map {
        $0.onOneLine.truncated(to: size.columns - 1)
      }
      drawBlock(Array(lines), &state)
      state.error.flush()
    }
  }

  /// To be called on every exit path: removes the live block and flushes. A returned `cannotWrite` replaces the status
  /// of a successful command.
  func finish() -> ExitStatus? {
    state.withLock { state in
      eraseBlock(&state)
      state.output.flush()
      state.error.flush()
      guard case .failed(let code) = state.output.state else { return nil }
      let reason = ForeignText.cleaned(SystemError.words(for: code))
      let prefix = facts.isErrorJournal ? "<\(Priority.error.rawValue)>" : ""
      state.error.append("\(prefix)trawl: stdout cannot be written: \(reason)\n".utf8)
      state.error.flush()
      return .cannotWrite
    }
  }

  // MARK: The live block

  private func drawBlock(_ lines: [ConsoleText], _ state: inout State) {
    state.block = lines
    for line in lines {
      let text = facts.isColourless ? line.plain : line.coloured
      state.error.append((text + "\n").utf8)
    }
  }

  private func eraseBlock(_ state: inout State) {
    guard !state.block.isEmpty else { return }
    // A terminal that has become narrower has wrapped the lines.
    let columns = Self.columns(of: errorDescriptor)
    let rows = state.block.reduce(0) {
      $0 + max(1, (DisplayWidth.of($1.plain) + columns - 1) / columns)
    }
    state.block = []
    state.error.append("\r\u{1b}[\(rows)A\u{1b}[J".utf8)
    state.error.flush()
  }
}

extension JSONObject {
  /// Prepends the version of the format. It rises when a member is removed or changes its meaning; new ones may be
  /// added at any time.
  var withSchema: JSONObject { JSONObject([("schema", 1)] + members) }
}
