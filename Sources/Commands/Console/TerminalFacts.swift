internal import Glibc
internal import Base

/// Facts of the two outputs, determined once at the start.
struct TerminalFacts: Sendable, Equatable {
  var isOutputTerminal = false
  var isErrorTerminal = false
  /// The terminal's cursor cannot move: nothing is drawn, but a person may be asked.
  var isDumb = false
  /// stderr is the journal, which reads a leading `<4>` as priority.
  var isErrorJournal = false
  /// `NO_COLOR`, or a terminal without colours.
  var isColourless = false

  /// Lines on stderr may be drawn anew.
  var isDrawn: Bool { isErrorTerminal && !isDumb }
}

extension TerminalFacts {
  /// The environment is passed in.
  init(output: Int32, error: Int32, environment: (String) -> String?) {
    isDumb = environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
    isOutputTerminal = isatty(output) == 1
    isErrorTerminal = isatty(error) == 1
    isColourless = isDumb || environment("NO_COLOR").map { !$0.isEmpty } ?? false
    isErrorJournal = Self.isJournal(environment("JOURNAL_STREAM"), descriptor: error)
  }

  /// `$JOURNAL_STREAM` is `device:inode` of the service manager's stream; a redirected descriptor differs.
  static func isJournal(_ stream: String?, descriptor: Int32) -> Bool {
    guard let stream, let file = FileIdentity(descriptor: descriptor) else { return false }
    return stream.utf8.elementsEqual("\(file.device):\(file.inode)".utf8)
  }

  /// The current size of a terminal, which may change at any time. Nil if it does not report one.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}
