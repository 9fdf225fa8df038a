import Glibc
import TestSupport
import Testing

/// What the units run after a run, with the user's alert.
@Suite("What systemd/failed tells", .prompt)
struct AlertRunTests {
  private let home = Home()

  /// Calls it as the units do; returns what the user's program got.
  private func failed(_ job: String, exit code: Int32) async throws -> [String] {
    let (alert, told) = ("\(home.scratch.path)/alert", "\(home.scratch.path)/told")
    unlink(told)
    Golden.write("#!/bin/sh\nprintf '%s\\n' \"$1\" \"$2\" \"$3\" >'\(told)'\n", to: alert)
    chmod(alert, 0o755)
    let variables = [
      "TRAWL_ALERT": alert, "TRAWL_STATE": home.data, "PATH": "\(BinaryRun.products):/usr/bin:/bin",
      "MONITOR_SERVICE_RESULT": code == 0 ? "success" : "exit-code",
      "MONITOR_EXIT_STATUS": "\(code)",
    ]
    let ended = await BinaryRun(
      "/bin/sh", ["\(Golden.root)/systemd/failed", job],
      environment: home.environment.merging(variables) { $1 }
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    return Golden.read(told)?.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init) ?? []
  }

  @Test("is the job, what to do and the last run's report, once a day for one cause")
  func told() async throws {
    home.makeFolder(home.data)
    let run = await home.trawl("run", "youtube", ends: 77)
    let first = try await failed("youtube", exit: run.status)
    #expect(first.first == "youtube")
    #expect(first.count > 1 && first[1].hasPrefix("youtube needs you, since "), "\(first)")
    #expect(
      first.count > 1 && first[1].hasSuffix(": " + home.advice("trawl key youtube")), "\(first)")
    #expect(try await failed("youtube", exit: run.status) == [])
  }
}
