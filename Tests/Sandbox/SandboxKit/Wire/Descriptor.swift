internal import Glibc

/// A file descriptor that closes with its owner.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(owning number: Int32) { self.number = number }

  deinit { _ = Glibc.close(number) }
}

/// A system call failed that the server depends on.
public struct SandboxError: Error, Equatable, Sendable, CustomStringConvertible {
  public var what: String
  public var code: Int32

  public var description: String {
    "the sandbox could not \(what): \(String(cString: strerror(code)))"
  }

  /// Reads `errno` at once.
  static func now(_ what: String) -> SandboxError { SandboxError(what: what, code: errno) }
}
