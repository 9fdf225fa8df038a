public import Glibc
internal import Base
public import Testing

/// Runs a built program of this package as a child: arguments, environment, output, signals.
public final class BinaryRun: Sendable {
  public struct Ended: Sendable {
    /// The exit code, or 128 + the signal, as in a shell.
    public var status: Int32
    public var wasSignalled: Bool
    public var output: String
    public var errors: String

    /// - Parameters:
    ///   - status: the exit code that it must have.
    ///   - saying: words that its errors must contain; `showing`: words that its output must contain.
    public func expect(
      _ status: Int32?, saying: [String] = [], showing: [String] = [], at place: SourceLocation
    ) {
      if let status {
        #expect(self.status == status, "\(output)\(errors)", sourceLocation: place)
      }
      Words.expect(saying, in: errors, at: place)
      Words.expect(showing, in: output, at: place)
    }
  }

  public let processID: pid_t
  private let outputPath: String
  private let errorPath: String
  private let folder = ScratchFolder()

  /// The folder of the build that this test bundle belongs to.
  public static var products: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let runner = String(
      decoding: buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The runner is the bundle itself, or the toolchain's helper with the bundle as an argument.
    for argument in [runner] + CommandLine.arguments where argument.contains("/.build") {
      var parts = argument.split(separator: "/", omittingEmptySubsequences: false)
      while let last = parts.last, !["debug", "release"].contains(last) { _ = parts.popLast() }
      if !parts.isEmpty { return parts.joined(separator: "/") }
    }
    return ".build/debug"
  }

  /// Starts a program by its product name, or by its path if the name contains a slash. `memoryMax` limits its memory
  /// in bytes; more ends a Swift program at once. (The kernel's own count is no use: a child starts with its parent's
  /// peak.)
  ///
  /// It inherits only the descriptors of `handing`, under the numbers of `numbers(of:)`: other tests run in this
  /// process.
  public init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:],
    memoryMax: Int? = nil, handing descriptors: [Int32] = []
  ) {
    var command = [name.contains("/") ? name : "\(Self.products)/\(name)"] + arguments
    if let memoryMax { command = ["/usr/bin/prlimit", "--data=\(memoryMax)"] + command }
    outputPath = "\(folder.path)/out"
    errorPath = "\(folder.path)/err"
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 1, outputPath, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorPath, flags, 0o600)
    // Copies above all numbers in use, so that none is overwritten before its turn.
    let copies = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 256) }
    defer { for copy in copies { close(copy) } }
    for (copy, number) in zip(copies, Self.numbers(of: descriptors)) {
      posix_spawn_file_actions_adddup2(&actions, copy, number)
    }
    let noMore = Self.addCloseFrom(&actions, 3 + Int32(descriptors.count))
    precondition(noMore == 0, "no list of actions: errno \(noMore)")
    // A shell makes background programs ignore SIGINT, which a child would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var merged = Self.currentEnvironment
    merged["SWIFT_BACKTRACE"] = "enable=no"
    for (key, value) in environment { merged[key] = value }
    var argv = command.map { strdup($0) } + [nil]
    var envp = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var child = pid_t()
    let failure = posix_spawn(&child, command[0], &actions, &attributes, &argv, &envp)
    precondition(failure == 0, "\(command[0]) does not start: errno \(failure)")
    processID = child
  }

  /// The numbers that handed descriptors have in a child.
  public static func numbers(of descriptors: [Int32]) -> [Int32] {
    descriptors.indices.map { 3 + Int32($0) }
  }

  public func kill(_ signal: Int32 = SIGKILL) { _ = Glibc.kill(processID, signal) }

  /// Whether it has ended; `end` still returns how.
  public var hasEnded: Bool {
    var facts = siginfo_t()
    // Does not reap it, so that the process ID stays its own.
    return waitid(P_PID, id_t(processID), &facts, WEXITED | WNOHANG | WNOWAIT) != 0
      || facts._sifields._sigchld.si_pid == processID
  }

  public var outputSoFar: String { Golden.read(outputPath) ?? "" }
  public var errorsSoFar: String { Golden.read(errorPath) ?? "" }

  /// Waits for its end on a separate thread, so that the shared pool is never blocked.
  public func end() async -> Ended {
    let id = processID
    let status = await withCheckedContinuation { (done: CheckedContinuation<Int32, Never>) in
      Detached.run {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        done.resume(returning: status)
      }
    }
    let signal = status & 0x7f
    return Ended(
      status: signal == 0 ? (status >> 8) & 0xff : 128 + signal, wasSignalled: signal != 0,
      output: outputSoFar, errors: errorsSoFar)
  }

  /// Runs a program to its end, which must be as said.
  @discardableResult
  public static func run(
    _ name: String, _ arguments: [String], environment: [String: String] = [:],
    ends status: Int32? = nil, saying: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> Ended {
    let ended = await BinaryRun(name, arguments, environment: environment).end()
    ended.expect(status, saying: saying, at: sourceLocation)
    return ended
  }

  /// In glibc since 2.34; its header hides it from Swift.
  private static let addCloseFrom = unsafeBitCast(
    dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
    to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)

  private static var currentEnvironment: [String: String] {
    var found: [String: String] = [:]
    var cursor = environ
    while let entry = cursor.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        found[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      cursor += 1
    }
    return found
  }
}

/// Words in the output of a program, compared byte for byte.
public enum Words {
  public static func expect(_ words: [String], in text: String, at place: SourceLocation) {
    for word in words {
      let isThere = text.holds(word)
      #expect(isThere, "\(word): \(text)", sourceLocation: place)
    }
  }
}

/// A separate thread for a call that blocks.
public enum Detached {
  public static func run(_ body: @escaping @Sendable () -> Void) {
    let isStarted = BlockingThread.start(body)
    precondition(isStarted, "no thread")
  }
}
