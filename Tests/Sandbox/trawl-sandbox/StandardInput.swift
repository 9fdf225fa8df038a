internal import Glibc
internal import Base

/// Signals the end of standard input to the main thread; all threads have blocked that signal.
enum StandardInput {
  static let endSignal = SIGUSR1

  static func watch() {
    let isStarted = BlockingThread.start {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
      kill(getpid(), endSignal)
    }
    guard isStarted else { Console.fail("cannot watch standard input\n", status: 71) }
  }
}
