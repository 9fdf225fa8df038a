internal import CLinux
internal import Glibc
internal import Base

/// A program of the user's: a list of words, never a shell line, with a time limit and limited output. Its input is a
/// file, so it need not be read.
struct BoundedProgram: Sendable {
  let words: [String]
  /// Besides those of this process.
  var variables: [String: String] = [:]
  var input: [UInt8] = []
  var timeMax = JobHooks.timeMax
  /// How much of its output is kept.
  var outputBytesMax = 16_000
  /// Its stderr is discarded.
  var dropsErrors = false

  struct Ended: Sendable, Equatable {
    /// What went wrong; nil: exit code 0.
    var problem: String?
    /// stdout and stderr, in order, truncated.
    var output = ""
  }

  func run() async -> Ended {
    await QueueExecutor(label: "trawl.program").run { runBlocking() }
  }

  private var name: String { words.first ?? "" }

  /// Blocks the caller's thread.
  func runBlocking() -> Ended {
    var ends: [Int32] = [-1, -1]
    let end = Timekeeper.live.elapsed() + timeMax
    guard let given = inputFile() else { return unstarted(errno) }
    defer { close(given) }
    guard clinux_pipe(&ends) == 0 else { return unstarted(errno) }
    defer { close(ends[0]) }
    let apart = dropsErrors ? clinux_memory_file() : -1
    defer { if apart >= 0 { close(apart) } }
    var child = ChildProcess(program: name, arguments: Array(words.dropFirst()), isApart: true)
    child.variables = variables
    let process = child.start(
      input: given, output: ends[1], errors: apart >= 0 ? apart : ends[1])
    let code = errno
    close(ends[1])
    guard let process else { return unstarted(code) }
    var (bytes, isLate) = collect(from: ends[0], until: end)
    var status: Int32 = 0
    // A program may continue after closing its output.
    while !isLate, waitpid(process, &status, WNOHANG) == 0 {
      if Timekeeper.live.elapsed() > end { isLate = true } else { usleep(20_000) }
    }
    if isLate {
      // Including its children.
      kill(-process, SIGKILL)
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
    let isCut = bytes.count > outputBytesMax
    bytes = Array(bytes.prefix(outputBytesMax))
    var ended = Ended(output: String(decoding: bytes, as: UTF8.self) + (isCut ? "…" : ""))
    let signal = status & 0x7f
    if isLate {
      ended.problem = "\(name) took longer than \(Wording.span(timeMax)) and was ended"
    } else if signal != 0 {
      ended.problem = "\(name) was ended by signal \(signal)"
    } else if (status >> 8) & 0xff != 0 {
      ended.problem = "\(name) ended with \((status >> 8) & 0xff)"
    }
    return ended
  }

  private func unstarted(_ code: Int32) -> Ended {
    Ended(problem: "\(name) cannot be started: \(SystemError.words(for: code))")
  }

  /// In memory; nil if the system does not support that.
  private func inputFile() -> Int32? {
    let file = clinux_memory_file()
    guard file >= 0 else { return nil }
    do throws(FileFailure) { try AtomicFile.write(input, to: file) } catch {
      close(file)
      return nil
    }
    lseek(file, 0, SEEK_SET)
    return file
  }

  /// Its output until it is closed or time is over. Beyond the limit output is read and dropped, so that the program
  /// does not block.
  private func collect(from descriptor: Int32, until end: Duration) -> (
    bytes: [UInt8], isLate: Bool
  ) {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let left = (end - Timekeeper.live.elapsed()).milliseconds
      if left <= 0 { return (bytes, true) }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(min(left, 60_000)))
      if ready <= 0 { continue }
      let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return (bytes, false) }
      bytes += part.prefix(min(count, max(0, outputBytesMax + 1 - bytes.count)))
    }
  }
}
