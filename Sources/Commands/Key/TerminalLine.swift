internal import Glibc
internal import Base

/// One line from the terminal, or all of a short input that is no terminal. Reads on a thread of its own, as it may
/// wait for hours.
struct TerminalLine: Sendable {
  var descriptor = STDIN_FILENO
  /// Where the prompt is shown.
  var prompts = STDERR_FILENO

  /// The longest line that is read; terminals' own editors end at 4,095.
  static let bytesMax = 16_384

  /// Nil at a signal, at the end of input, or beyond `bytesMax`. Without the line end.
  func read(
    prompt: String, isHidden: Bool, interruption: Interruption?
  ) async -> [UInt8]? {
    await QueueExecutor(label: "trawl.terminal").run { wait(prompt, isHidden, interruption) }
  }

  private func wait(
    _ prompt: String, _ isHidden: Bool, _ interruption: Interruption?
  ) -> [UInt8]? {
    var before = termios()
    let isTerminal = tcgetattr(descriptor, &before) == 0
    if isTerminal {
      if isHidden {
        var quiet = before
        quiet.c_lflag &= ~tcflag_t(ECHO)
        // Asks only once typing is hidden, and never reads a secret that would be visible.
        guard tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0 else { return nil }
      }
      show(prompt)
    }
    defer {
      if isTerminal, isHidden {
        // Restores the terminal; nothing helps if that fails.
        _ = tcsetattr(descriptor, TCSAFLUSH, &before)
        show("\n")
      }
    }
    return line(isTerminal, interruption)
  }

  private func line(_ isTerminal: Bool, _ interruption: Interruption?) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= Self.bytesMax {
      // Times out now and then to notice signals.
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&wanted, 1, 200)
      if interruption?.isAsked ?? false { return nil }
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      bytes += chunk[..<count]
      let isWhole = isTerminal && bytes.contains(10)
      if count == 0 || isWhole {
        if bytes.isEmpty { return nil }
        return Array(bytes.last == 10 ? bytes.dropLast() : bytes[...])
      }
    }
    return nil
  }

  private func show(_ text: String) {
    // A missing prompt does no harm: the user sees an empty line.
    _ = text.utf8CString.withUnsafeBytes { write(prompts, $0.baseAddress, $0.count - 1) }
  }
}

extension CommandContext {
  /// What the user types, or a program pipes in; nil as in `TerminalLine`.
  func typed(_ prompt: String, isHidden: Bool = true) async -> [UInt8]? {
    await TerminalLine().read(prompt: prompt, isHidden: isHidden, interruption: interruption)
  }

  /// Asks the user at the terminal, on a thread that may block. Anything but yes means no, as do the end of input and a
  /// signal; nil: nobody is there to be asked.
  func ask(_ question: String) async -> Bool? {
    guard isatty(STDIN_FILENO) == 1, console.facts.isErrorTerminal else { return nil }
    guard let line = await typed(question, isHidden: false) else { return false }
    return ["y", "yes"].contains(String(decoding: line, as: UTF8.self).lowercased())
  }
}
