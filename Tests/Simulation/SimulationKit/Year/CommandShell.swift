internal import Base
internal import Commands
internal import TestSupport
import Glibc

/// Runs the program's command lines in this process, with their own home, network and clock.
final class CommandShell: Sendable {
  struct Ended: Sendable {
    var code: Int32
    var output: String
    var errors: String
  }

  private let home: String

  init(home: String) {
    self.home = home
    let failed = FolderNames.make("\(home)/.config/trawl/jobs")
    precondition(failed == nil, "no folder \(failed ?? "")")
  }

  func keep(job name: String, _ text: String) { Golden.write(text, to: file(of: name)) }

  func remove(job name: String) { unlink(file(of: name)) }

  private func file(of job: String) -> String { "\(home)/.config/trawl/jobs/\(job).json5" }

  func perform(
    _ arguments: [String], environment: [String: String], _ standIns: StandIns
  ) async -> Ended {
    let said = ScratchFolder(isInMemory: true)
    let (output, errors) = (Self.open("\(said.path)/out"), Self.open("\(said.path)/err"))
    defer {
      close(output)
      close(errors)
      // Read until here.
      withExtendedLifetime(said) {}
    }
    let code = await Program.perform(
      arguments, environment: environment.merging(["HOME": home]) { one, _ in one },
      output: output, errors: errors, standIns)
    return Ended(
      code: code, output: Golden.read("\(said.path)/out") ?? "",
      errors: Golden.read("\(said.path)/err") ?? "")
  }

  private static func open(_ path: String) -> Int32 {
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    precondition(file >= 0, "no file \(path): errno \(errno)")
    return file
  }
}
