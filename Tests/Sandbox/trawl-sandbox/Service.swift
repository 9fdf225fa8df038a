internal import Glibc
internal import Base
internal import SandboxKit

/// Serves until a signal.
enum Service {
  static func run(_ arguments: SandboxArguments) -> Never {
    // Blocked before the first thread starts, so that all threads inherit it and only `sigwait` receives the signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    let masked = pthread_sigmask(SIG_BLOCK, &signals, nil)
    guard masked == 0 else { Console.fail("cannot mask signals\n", status: 71) }
    signal(SIGPIPE, SIG_IGN)

    let sandbox: Sandbox
    do throws(SandboxError) {
      sandbox = try Sandbox.start(arguments.options)
    } catch {
      Console.fail("\(error); try --port 0, which takes any free one\n", status: 69)
    }
    if let path = arguments.portFile {
      // Complete as soon as it has its name: scripts wait for it.
      do throws(FileFailure) {
        let file = try AtomicFile(path, mode: 0o644)
        try file.write(Array("\(sandbox.port)\n".utf8))
        try file.place()
      } catch {
        Console.fail("cannot write the port file \(path): \(error.words)\n", status: 73)
      }
    }
    Console.print("trawl-sandbox listens on \(sandbox.origin)\n")

    let number = wait(for: &signals)
    sandbox.stop()
    if let file = arguments.portFile { unlink(file) }
    // Ends by the signal's default action, so that a shell sees the signal.
    signal(number, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    exit(128 + number)
  }

  private static func wait(for signals: inout sigset_t) -> Int32 {
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    return number
  }
}
