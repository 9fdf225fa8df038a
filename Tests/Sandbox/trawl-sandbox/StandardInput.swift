internal import Glibc

/// Signals the end of standard input to the main thread; all threads have blocked that signal.
enum StandardInput {
  static let endSignal = SIGUSR1

  static func watch() {
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, readToEnd, nil)
    guard result == 0 else { Console.fail("cannot watch standard input\n", status: 71) }
    pthread_detach(thread)
  }
}

private func readToEnd(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var byte: UInt8 = 0
  while true {
    let count = read(STDIN_FILENO, &byte, 1)
    if count == 0 || (count < 0 && errno != EINTR) { break }
  }
  kill(getpid(), StandardInput.endSignal)
  return nil
}
