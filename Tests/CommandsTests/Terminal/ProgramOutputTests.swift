import TestSupport
import Testing

/// The built program, started by a shell with a broken output.
@Suite("The program's outputs", .prompt)
struct ProgramOutputTests {
  @Test(
    "decide the exit code only where something was lost",
    arguments: [
      ("--version >/dev/full", 74), ("--version >&-", 74), ("--version <&- >&- 2>&-", 74),
      ("--version <&- 2>&-", 0), ("--version | true", 0), ("--nonsense 2>/dev/full", 64),
      ("--nonsense 2>&-", 64),
    ])
  func outputs(arguments: String, code: Int32) async {
    let script = "set -o pipefail; '\(BinaryRun.products)/trawl' \(arguments)"
    await BinaryRun.run("/bin/bash", ["-c", script], ends: code)
  }

  @Test("--version names the libraries too, as its help promises")
  func version() async {
    let lines = await BinaryRun.run("trawl", ["--version"]).output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("trawl "))
    #expect(lines[1].hasPrefix("SQLite 3.") && lines[2].hasPrefix("libcurl/"))
  }
}
