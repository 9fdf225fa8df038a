internal import Glibc
internal import Base

/// The user's own folder for secrets, which only the user can read.
public struct KeyFolder: Sendable {
  let path: String

  public init(path: String) { self.path = path }

  /// Why a key in this folder may be another's than its owner put there; nil: nobody else can write in it.
  public static func openness(of path: String) -> String? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & 0o022 != 0 else { return nil }
    let shown = String(facts.st_mode & 0o777, radix: 8)
    return "others can write in its folder (mode 0\(shown)); run: chmod 700 '\(path)'"
  }

  /// Why a secret was not kept; never quotes it.
  public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// Keeps a secret under its name together with who may see it, in place of an older one.
  /// Answers the file's path. A crash leaves the old file or the new one, never a half.
  /// - Parameter follows: of a successor: a digest of the secret that it came after.
  @discardableResult
  public func keep(
    _ text: String, named name: String, for bond: KeyBond, follows: String? = nil
  ) throws(Problem) -> String {
    guard SecretName.isWellFormed(name) else {
      throw Problem(description: "\"\(name.shown)\" cannot be the name of a secret")
    }
    let secret: Secret
    do { secret = try KeyText.secret(KeyText.trimmed(Array(text.utf8))) } catch {
      throw Problem(description: "the secret is refused: \(error.message)")
    }
    try makeFolder()
    let target = "\(path)/\(name)"
    let draft = "\(path)/.\(name).\(getpid()).new"
    unlink(draft)  // left by a crash; no matter if there is none
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failed("write", draft) }
    do {
      let last = follows.map { "follows \($0)\n" } ?? ""
      try write(
        Array("\(secret.reveal())\norigin \(bond)\n\(last)".utf8), to: descriptor, draft)
    } catch {
      close(descriptor)
      unlink(draft)
      throw error
    }
    guard close(descriptor) == 0, rename(draft, target) == 0 else {
      let problem = failed("write", target)
      unlink(draft)
      throw problem
    }
    try flushFolder()
    return target
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32, _ file: String) throws(Problem) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failed("write", file) }
      sent += count
    }
    guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else {
      throw failed("write", file)
    }
  }

  /// Makes the folder and those above it; it is the user's alone, also if it was there before.
  func makeFolder() throws(Problem) {
    guard path.hasPrefix("/") else {
      throw Problem(description: "the folder for keys is no absolute path: \(path.shown)")
    }
    var above = ""
    for part in path.split(separator: "/") {
      above += "/\(part)"
      guard mkdir(above, 0o700) == 0 || errno == EEXIST else { throw failed("make", above) }
    }
    guard chmod(path, 0o700) == 0 else { throw failed("protect", path) }
  }

  private func flushFolder() throws(Problem) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed("flush", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failed("flush", path) }
  }

  private func failed(_ verb: String, _ file: String) -> Problem {
    Problem(description: "cannot \(verb) \(file): \(SystemError.latest)")
  }
}
