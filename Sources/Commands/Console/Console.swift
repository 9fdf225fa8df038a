internal import Glibc
internal import Base

/// The only writer to stdout and stderr. Results go to stdout, everything else to stderr; text is
/// clean because `ConsoleText` is. May be called from any thread; a call returns when its bytes
/// are in the buffer or written, so a blocked terminal blocks the caller.
final class Console: Sendable {
  enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  let facts: TerminalFacts
  /// Takes what would go to stderr, with fields; nil: stderr takes it.
  private let journal: Journal?
  private let errorDescriptor: Int32
  private let outputDescriptor: Int32

  private struct State {
    var output: OutputChannel
    var error: OutputChannel
    /// The lines of the live block that are on the terminal now, below everything else.
    var block: [ConsoleText] = []
    /// Folders that a person knows by another name.
    var names: [(folder: String, shown: String, withFiles: Bool)] = []
    var advised = AdvisedCommands()
  }
  private let state: Locked<State>

  /// The width of a terminal that does not report its own.
  static let columnsFallback = 80

  init(facts: TerminalFacts, output: Int32 = 1, error: Int32 = 2, journal: Journal? = nil) {
    self.facts = facts
    self.journal = journal
    errorDescriptor = error
    outputDescriptor = output
    state = Locked(
      State(output: OutputChannel(descriptor: output), error: OutputChannel(descriptor: error)))
  }

  /// To be called first of all. A closed descriptor 0, 1 or 2 would be given to the next file that
  /// is opened (the database!), and a closed pipe would kill the process in the middle of a page.
  static func claimDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is given: this one. If /dev/null is missing nothing helps.
      _ = open("/dev/null", O_RDWR)
    }
    // Its result is the old handler, of no use here.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// From now on lines that people read name this folder so. What programs read, such as a path or JSON, stays exact.
  /// - Parameter withFiles: the files in it, too.
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

  /// A text of ours on stdout, beside values of records.
  func advice(_ text: String) -> String { state.withLock(\.advised).carried(text) }

  /// Columns for results and help.
  var columns: Int {
    let descriptor = facts.isOutputTerminal ? outputDescriptor : errorDescriptor
    return TerminalFacts.size(of: descriptor)?.columns ?? Self.columnsFallback
  }

  /// Columns and rows for the live block, as they are now; nil where there is no live block.
  var blockSize: (columns: Int, rows: Int)? {
    guard facts.isErrorTerminal else { return nil }
    return TerminalFacts.size(of: errorDescriptor) ?? (Self.columnsFallback, 24)
  }

  // MARK: Results

  /// A line of the result, to stdout.
  func print(_ text: ConsoleText) {
    let text = named(text)
    let isColoured = facts.isOutputTerminal && !facts.isColourless
    let shown = facts.isOutputTerminal ? Self.wrapped(text, to: columns) : text
    let line = (isColoured ? shown.coloured : shown.plain) + "\n"
    toOutput(line.utf8, flushes: facts.isOutputTerminal)
  }

  /// Whole lines of the result: help, a report, a table. They bring their own line ends.
  func printLines(_ text: String) {
    toOutput(ConsoleText(lines: text).plain.utf8, flushes: facts.isOutputTerminal)
  }

  /// One object on a line of its own.
  func printJSON(_ object: JSONObject) { printJSON(object.withSchema.bytes) }

  /// One JSON document, on a line of its own, written at once: its reader waits for it.
  func printJSON(_ document: [UInt8]) {
    toOutput(TerminalJSON.escaped(document) + [UInt8(ascii: "\n")], flushes: true)
  }

  /// Bytes that a program reads, such as a path: exact in a pipe, cleaned on a terminal.
  func printExact(_ bytes: [UInt8]) {
    let shown = facts.isOutputTerminal ? Array(ForeignText.cleaned(bytes).utf8) : bytes
    toOutput(shown + [UInt8(ascii: "\n")], flushes: true)
  }

  /// Bytes of a result with their own line ends: exact in a pipe, cleaned on a terminal.
  func printData(_ bytes: [UInt8]) {
    guard facts.isOutputTerminal else { return toOutput(bytes, flushes: false) }
    printLines(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether the reader of stdout has gone: a long listing may stop.
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

  /// To stderr, or to the journal behind it.
  func tell(
    _ text: ConsoleText, _ priority: Priority = .info, about subject: LogSubject = .none
  ) {
    let text = named(text).mapping(advice)
    if let journal, journal.write(text.plain, priority, subject) { return }
    let isColoured = facts.isErrorTerminal && !facts.isColourless
    let columns = TerminalFacts.size(of: errorDescriptor)?.columns ?? Self.columnsFallback
    let shown = facts.isErrorTerminal ? Self.wrapped(text, to: columns) : text
    var lines = isColoured ? shown.coloured : shown.plain
    if facts.isErrorJournal {
      // Each line is an entry of its own there.
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

  /// Broken at blanks: a terminal would break words.
  private static func wrapped(_ text: ConsoleText, to columns: Int) -> ConsoleText {
    var whole = ConsoleText()
    for line in text.lines {
      // A command line on a line of its own is there to be pasted.
      if line.plain.drop(while: { $0 == " " }).hasPrefix("trawl ") {
        if !whole.spans.isEmpty { whole += "\n" }
        whole += line
        continue
      }
      let indent = line.plain.prefix { $0 == " " }.utf8.count
      for part in line.wrapped(to: columns, hanging: indent + 2) {
        if !whole.spans.isEmpty { whole += "\n" }
        whole += part
      }
    }
    return whole
  }

  /// `trawl: …`, for what ends a command.
  func fail(_ text: ConsoleText, about subject: LogSubject = .none) {
    tell("\("trawl:", .red) \(text)", .error, about: subject)
  }

  func warn(_ text: ConsoleText, about subject: LogSubject = .none) {
    tell("\("warning:", .yellow) \(text)", .warning, about: subject)
  }

  /// Shows these lines below everything else, in place of those shown before. Nothing happens off
  /// a terminal.
  func show(block: [ConsoleText]) {
    guard let size = blockSize else { return }
    state.withLock { state in
      eraseBlock(&state)
      // One column is left free: some terminals wrap when the last one is written.
      let lines = block.prefix(max(1, size.rows - 1)).map {
        $0.onOneLine.truncated(to: size.columns - 1)
      }
      drawBlock(Array(lines), &state)
      state.error.flush()
    }
  }

  /// Before every exit path: takes the live block away and writes what is buffered. What comes
  /// back is a reason to end with `cannotWrite`, where the command itself ended well.
  func finish() -> ExitStatus? {
    defer { journal?.drain() }
    return state.withLock { state in
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
    // A terminal that was made narrower has wrapped the lines since.
    let columns = TerminalFacts.size(of: errorDescriptor)?.columns ?? Self.columnsFallback
    let rows = state.block.reduce(0) {
      $0 + max(1, (DisplayWidth.of($1.plain) + columns - 1) / columns)
    }
    state.block = []
    state.error.append("\r\u{1b}[\(rows)A\u{1b}[J".utf8)
    state.error.flush()
  }
}

extension JSONObject {
  /// With the version of its form before its members. It is raised when a member goes or changes its meaning;
  /// new ones may come at any time.
  var withSchema: JSONObject { JSONObject([("schema", 1)] + members) }
}
