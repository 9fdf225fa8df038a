import CLinux
import Glibc
import Base
import TestSupport

/// A real pseudo-terminal: `written` returns what a program writes to `slave`.
final class PseudoTerminal {
  let slave: Int32
  private let master: Int32
  /// TIOCSPTLCK and TIOCGPTN.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init(columns: Int, rows: Int = 24) throws {
    // Replaces posix_openpt, grantpt, unlockpt and ptsname, which Swift's Glibc lacks.
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
    // Bytes arrive as written: no "\n" to "\r\n", no echo.
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

  /// As if typed.
  func type(_ text: String) {
    _ = text.utf8CString.withUnsafeBytes { write(master, $0.baseAddress, $0.count - 1) }
  }

  /// Output since the last call.
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

  deinit {
    close(slave)
    close(master)
  }
}

/// A pipe whose reading end the test has.
final class TestPipe {
  let writing: Int32
  private var reading: Int32

  /// - Parameter bytes: what fits before a writer must wait.
  init(bytes: Int32 = 1 << 16) {
    var ends: [Int32] = [-1, -1]
    precondition(clinux_pipe(&ends) == 0, "pipes are always there")
    reading = ends[0]
    writing = ends[1]
    // Only the reading end stays non-blocking.
    precondition(fcntl(reading, F_SETFL, O_NONBLOCK) == 0, "a pipe can be read")
    // F_SETPIPE_SZ, which Swift's Glibc lacks.
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
