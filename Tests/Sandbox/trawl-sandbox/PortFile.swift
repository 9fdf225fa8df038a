internal import Glibc
internal import Base

/// The file that contains the port for scripts; complete as soon as it has its name.
enum PortFile {
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  static func write(_ port: Int, to path: String) throws(Problem) {
    let temporary = "\(path).\(getpid())"
    let number = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard number >= 0 else { throw problem(path) }
    let text = Array("\(port)\n".utf8)
    let written = Glibc.write(number, text, text.count)
    let closed = close(number)
    guard written == text.count, closed == 0, rename(temporary, path) == 0 else {
      let problem = problem(path)
      unlink(temporary)
      throw problem
    }
  }

  private static func problem(_ path: String) -> Problem {
    Problem(description: "cannot write the port file \(path): \(SystemError.latest)")
  }
}
