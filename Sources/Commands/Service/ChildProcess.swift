internal import CLinux
internal import Dispatch
internal import Glibc

/// A program that is run and waited for, off the threads that Swift's tasks share.
struct ChildProcess: Sendable {
  /// Found in `$PATH`.
  let program: String
  let arguments: [String]
  /// Its stdout is collected instead of shared.
  var isCaptured = false
  /// It does not get the terminal's Ctrl-C.
  var isApart = false
  /// Beside those of this process.
  var variables: [String: String] = [:]

  struct Ended: Sendable, Equatable {
    /// As a shell tells it: 128 + N of a signal.
    var code: Int32
    var output = ""
  }

  /// A unit file and its drop-ins are far below it.
  static let outputBytesMax = 1_000_000
  private static let queue = DispatchQueue(label: "trawl.child", attributes: .concurrent)

  /// Nil: it could not be started.
  func run() async -> Ended? {
    await withCheckedContinuation { continuation in
      Self.queue.async { @Sendable in continuation.resume(returning: self.runBlocking()) }
    }
  }

  private func runBlocking() -> Ended? {
    var ends: [Int32] = [-1, -1]
    if isCaptured {
      guard clinux_pipe(&ends) == 0 else { return nil }
    }
    defer { if ends[0] >= 0 { close(ends[0]) } }
    let process = start(output: ends[1])
    if ends[1] >= 0 { close(ends[1]) }
    guard let process else { return nil }
    var ended = Ended(code: 0)
    if isCaptured { ended.output = Self.text(from: ends[0]) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    let signal = status & 0x7f
    ended.code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
    return ended
  }

  /// Nil: it could not be started; `errno` says why.
  func start(input: Int32 = -1, output: Int32, errors: Int32 = -1) -> pid_t? {
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
    // This process ignores SIGPIPE; a child is to start as from a shell.
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

  /// This process's variables, with those of the child in their places.
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

  private static func text(from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < outputBytesMax {
      let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
