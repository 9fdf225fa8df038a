internal import Glibc
internal import Base

/// A file that is there whole or not at all: written under another name, then moved into place.
/// What is no plain file (a pipe, `/dev/stdout`) is written as it is.
final class ResultFile {
  private let path: String
  /// Nil: the path itself is written.
  private let draft: String?
  private var channel: OutputChannel
  private let descriptor: Int32
  private var isDone = false

  init(_ path: String) throws(ExitReport) {
    self.path = path
    var facts = stat()
    let isThere = stat(path, &facts) == 0
    if isThere, facts.st_mode & S_IFMT == S_IFDIR {
      throw ExitReport(.cannotCreate, "\(path) is a folder: name a file in it")
    }
    let isPlain = !isThere || facts.st_mode & S_IFMT == S_IFREG
    draft = isPlain ? "\(path).\(getpid()).new" : nil
    let flags = O_WRONLY | O_CLOEXEC | (isPlain ? O_CREAT | O_EXCL | O_NOFOLLOW : 0)
    // Who may read it is the umask's business, as with any program's output.
    descriptor = open(draft ?? path, flags, 0o666)
    guard descriptor >= 0 else {
      throw ExitReport(.cannotCreate, "\(path) cannot be written: \(SystemError.latest)")
    }
    if isPlain, isThere { _ = fchmod(descriptor, facts.st_mode & 0o777) }
    channel = OutputChannel(descriptor: descriptor)
  }

  deinit {
    if isDone { return }
    close(descriptor)
    if let draft { unlink(draft) }
  }

  func append(_ bytes: [UInt8]) throws(ExitReport) {
    channel.append(bytes)
    try check()
  }

  func keep() throws(ExitReport) {
    channel.flush()
    try check()
    guard let draft else { return }
    guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
      throw ExitReport(.cannotWrite, "\(path) cannot be written: \(SystemError.latest)")
    }
    isDone = true
    close(descriptor)
  }

  private func check() throws(ExitReport) {
    guard case .failed(let code) = channel.state else { return }
    throw ExitReport(.cannotWrite, "\(path) cannot be written: \(SystemError.words(for: code))")
  }
}
