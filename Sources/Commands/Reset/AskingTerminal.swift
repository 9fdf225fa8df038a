internal import Dispatch
internal import Glibc

/// Asks the person at the terminal, on a thread that may wait.
struct AskingTerminal: Sendable {
  enum Reply: Sendable, Equatable { case yes, no, nobody }

  var descriptor: Int32 = 0

  /// Anything but yes is no; so are the end of the input and a signal.
  func ask(_ question: String, _ context: CommandContext) async -> Reply {
    guard isatty(descriptor) == 1, context.console.facts.isErrorTerminal else { return .nobody }
    let line = await TerminalLine(descriptor: descriptor).read(
      prompt: question, isHidden: false, interruption: context.interruption)
    guard let line else { return .no }
    let word = String(decoding: line, as: UTF8.self).lowercased()
    return word == "y" || word == "yes" ? .yes : .no
  }
}
