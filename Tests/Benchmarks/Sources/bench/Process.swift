import Glibc

/// Another program, run until it ends or is stopped.
struct Process {
  /// What an ended program has used.
  struct Usage {
    var code: Int32
    /// Wall time.
    var seconds: Double
    /// User and system time of all threads.
    var cpuSeconds: Double
    /// Peak resident memory, in bytes.
    var peak: Int
  }

  let id: pid_t
  private let began: Double

  /// Starts a program with both outputs to the file.
  init(_ words: [String], output: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var started: pid_t = 0
    began = Self.now
    let code = posix_spawn(&started, words[0], &actions, nil, arguments, environ)
    guard code == 0 else {
      throw Trouble("cannot start \(words[0]): \(String(cString: strerror(code)))")
    }
    id = started
  }

  func ended() -> Usage {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    // 128 plus the signal, as in shells.
    let signal = status & 0x7f
    return Usage(
      code: signal == 0 ? (status >> 8) & 0xff : 128 + signal, seconds: Self.now - began,
      cpuSeconds: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime),
      peak: usage.ru_maxrss * 1024)
  }

  func stop() {
    kill(id, SIGTERM)
    _ = ended()
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

struct Trouble: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
