internal import Glibc
internal import Base

/// What is known of the two outputs at the start, and asked only once.
struct TerminalFacts: Sendable, Equatable {
  var isOutputTerminal = false
  var isErrorTerminal = false
  /// stderr goes to the journal, which reads `<4>` before a line as its priority.
  var isErrorJournal = false
  /// `NO_COLOR`, or a terminal that knows no colours.
  var isColourless = false
}

extension TerminalFacts {
  /// Of two descriptors; the environment is passed in.
  init(output: Int32, error: Int32, environment: (String) -> String?) {
    let isDumb = environment("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
    isOutputTerminal = isatty(output) == 1
    // Without a cursor that moves there is no live block.
    isErrorTerminal = isatty(error) == 1 && !isDumb
    isColourless = isDumb || environment("NO_COLOR").map { !$0.isEmpty } ?? false
    isErrorJournal = Self.isJournal(environment("JOURNAL_STREAM"), descriptor: error)
  }

  /// `$JOURNAL_STREAM` is `device:inode` of the stream that the service manager made; a descriptor
  /// that was redirected since is another.
  static func isJournal(_ stream: String?, descriptor: Int32) -> Bool {
    guard let stream, let file = FileIdentity(descriptor: descriptor) else { return false }
    return stream.utf8.elementsEqual("\(file.device):\(file.inode)".utf8)
  }

  /// Columns and rows of a terminal now; it may be resized at any time. Nil if it does not say.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
  }
}
