import CLinux
import Glibc
import Base
import TestSupport

/// A real pseudo-terminal: what a program writes to `slave`, `screen` reads back.
final class PseudoTerminal {
  let slave: Int32
  private let master: Int32
  /// TIOCSPTLCK and TIOCGPTN.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init(columns: Int, rows: Int = 24) throws {
    // What posix_openpt, grantpt, unlockpt and ptsname do; Swift's Glibc does not show those.
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0,
      ioctl(master, Self.getNumber, &number) == 0
    else { throw Failure(errno: errno) }
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw Failure(errno: errno) }
    var settings = termios()
    tcgetattr(slave, &settings)
    // Bytes arrive as they were written: no "\n" to "\r\n", no echo.
    cfmakeraw(&settings)
    tcsetattr(slave, TCSANOW, &settings)
    resize(columns: columns, rows: rows)
  }

  struct Failure: Error { let errno: Int32 }

  func resize(columns: Int, rows: Int = 24) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// As if a person typed it.
  func type(_ text: String) {
    _ = text.utf8CString.withUnsafeBytes { write(master, $0.baseAddress, $0.count - 1) }
  }

  /// What has been written since the last call.
  func written() -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(master, &buffer, buffer.count)
      if count <= 0 { break }
      all += buffer[..<count]
    }
    return all
  }

  /// Reads all that comes on a thread of its own, until it is told that nothing more will.
  func reading() -> TerminalReader { TerminalReader(master: master) }

  deinit {
    close(slave)
    close(master)
  }
}

/// Empties a terminal while somebody writes to it. To be ended before the terminal goes.
final class TerminalReader: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isAtEnd = false
    var done: CheckedContinuation<[UInt8], Never>?
  }
  private let state = Locked(State())

  fileprivate init(master: Int32) {
    Detached.run { [state] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        // Looked at before reading: what was written until then is still read.
        let isAtEnd = state.withLock { $0.isAtEnd }
        let count = read(master, &buffer, buffer.count)
        if count > 0 {
          let part = buffer[..<count]
          state.withLock { $0.bytes += part }
        } else if isAtEnd {
          break
        } else {
          var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
          poll(&entry, 1, 20)
        }
      }
      let (bytes, done) = state.withLock { ($0.bytes, $0.done) }
      done?.resume(returning: bytes)
    }
  }

  /// All that was written.
  func end() async -> [UInt8] {
    await withCheckedContinuation { done in
      state.withLock {
        $0.done = done
        $0.isAtEnd = true
      }
    }
  }
}

/// A pipe whose reading end a test holds.
final class TestPipe {
  let writing: Int32
  private var reading: Int32

  /// Holds so much before a writer has to wait.
  init(bytes: Int32 = 1 << 16) {
    var ends: [Int32] = [-1, -1]
    precondition(clinux_pipe(&ends) == 0, "pipes are always there")
    reading = ends[0]
    writing = ends[1]
    // Only the reading end stays non-blocking.
    precondition(fcntl(reading, F_SETFL, O_NONBLOCK) == 0, "a pipe can be read")
    // F_SETPIPE_SZ, which Swift's Glibc does not show.
    precondition(fcntl(writing, 1031, bytes) >= bytes, "a pipe of this size is allowed")
  }

  func text() -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while reading >= 0 {
      let count = read(reading, &buffer, buffer.count)
      if count <= 0 { break }
      all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }

  func stopReading() {
    if reading >= 0 { close(reading) }
    reading = -1
  }

  deinit {
    stopReading()
    close(writing)
  }
}
