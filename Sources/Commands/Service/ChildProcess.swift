internal import CLinux
internal import Glibc
internal import Base

/// Runs a program and waits for it, off the threads that Swift's tasks share.
struct ChildProcess: Sendable {
  /// Looked up in `$PATH`.
  let program: String
  let arguments: [String]
  /// Not interrupted by the terminal's Ctrl-C.
  var isApart = false
  /// Besides those of this process.
  var variables: [String: String] = [:]

  /// The exit code as in a shell: 128 + N for a signal. Nil: could not be started.
  func run() async -> Int32? {
    await QueueExecutor(label: "trawl.child").run { runBlocking() }
  }

  private func runBlocking() -> Int32? {
    guard let process = start() else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Nil: could not be started; `errno` says why.
  func start(input: Int32 = -1, output: Int32 = -1, errors: Int32 = -1) -> pid_t? {
    // Some parents leave it ignored, and then the system keeps no exit code of a child.
    _ = signal(SIGCHLD, SIG_DFL)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0
    else { return nil }
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in [input, output, errors].enumerated() where descriptor >= 0 {
      let code = posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
      guard code == 0 else { return nil }
    }
    // This process ignores SIGPIPE; a child should start as from a shell.
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    let flags = Int16(POSIX_SPAWN_SETSIGDEF) | (isApart ? Int16(POSIX_SPAWN_SETPGROUP) : 0)
    guard posix_spawnattr_setsigdefault(&attributes, &usual) == 0,
      posix_spawnattr_setflags(&attributes, flags) == 0,
      posix_spawnattr_setpgroup(&attributes, 0) == 0
    else { return nil }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    var surroundings = environment()
    defer { for variable in surroundings { free(variable) } }
    surroundings.append(nil)
    var process = pid_t()
    let code = posix_spawnp(&process, program, &actions, &attributes, words, surroundings)
    guard code == 0 else {
      errno = code
      return nil
    }
    return process
  }

  /// This process's variables, overridden by the child's.
  private func environment() -> [UnsafeMutablePointer<CChar>?] {
    var all: [UnsafeMutablePointer<CChar>?] = []
    var at = environ
    while let variable = at.pointee {
      let name = String(cString: variable).prefix { $0 != "=" }
      if variables[String(name)] == nil { all.append(strdup(variable)) }
      at += 1
    }
    return all + variables.map { strdup("\($0)=\($1)") }
  }
}
