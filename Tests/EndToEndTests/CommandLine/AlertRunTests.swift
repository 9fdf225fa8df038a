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
    return Golden.read(told)?.pieces(around: "\n") ?? []
  }

  @Test("is the job, what to do and the last run's report, once a day for one cause")
  func told() async throws {
    let server = AnswerServer { _ in .json("{}", status: 400) }
    home.makeFolder(home.data)
    home.makeFolder("\(home.settings)/trawl/jobs")
    home.write(Shelf.job(base: server.origin), to: "\(home.settings)/trawl/jobs/shelf.json5")
    await home.trawl("run", "shelf", ends: 1)
    let first = try await failed("shelf", exit: 1)
    try #require(first.count == 4, "\(first)")
    #expect(first[0] == "shelf" && first[1].hasPrefix("shelf needs you, since "), "\(first)")
    #expect(first[1].hasSuffix(": " + home.advice("trawl check shelf")), "\(first)")
    #expect(first[2].hasPrefix("\(home.data)/reports/shelf/") && home.holds(first[2]), "\(first)")
    #expect(try await failed("shelf", exit: 1) == [])
  }
}
