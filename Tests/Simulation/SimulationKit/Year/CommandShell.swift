internal import Base
internal import Commands
import Glibc

/// Runs the program's command lines in this process, with their own home, network and clock.
final class CommandShell: Sendable {
  struct Ended: Sendable {
    var code: Int32
    var output: String
    var errors: String
  }

  private let home: String
  private let count = Locked(0)

  init(home: String) {
    self.home = home
    var path = home
    mkdir(path, 0o700)
    for folder in [".config", "trawl", "jobs"] {
      path += "/\(folder)"
      mkdir(path, 0o700)
    }
  }

  func keep(job name: String, _ text: String) {
    let path = "\(home)/.config/trawl/jobs/\(name).json5"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(file >= 0, "no file \(path): errno \(errno)")
    defer { close(file) }
    let bytes = Array(text.utf8)
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    precondition(count == bytes.count, "short write: errno \(errno)")
  }

  func remove(job name: String) { unlink("\(home)/.config/trawl/jobs/\(name).json5") }

  func perform(
    _ arguments: [String], environment: [String: String], _ standIns: StandIns
  ) async -> Ended {
    let (output, errors) = (file(), file())
    defer {
      close(output)
      close(errors)
    }
    let code = await Program.perform(
      arguments, environment: environment.merging(["HOME": home]) { one, _ in one },
      output: output, errors: errors, standIns)
    return Ended(code: code, output: Self.text(output), errors: Self.text(errors))
  }

  /// A file without a name.
  private func file() -> Int32 {
    let name = "\(home)/said-\(count.withLock { $0 += 1; return $0 })"
    let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    precondition(file >= 0, "no file \(name): errno \(errno)")
    unlink(name)
    return file
  }

  private static func text(_ file: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: max(Int(lseek(file, 0, SEEK_END)), 0))
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
