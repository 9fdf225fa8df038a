import Base
@testable import Commands
import TestSupport
import Testing

@Suite("A program of a person's own")
struct BoundedProgramTests {
  @Test("gets its words as they are, the variables and the input; what it says is kept")
  func plain() async {
    let ended = await BoundedProgram(
      words: ["sh", "-c", "printf '%s|' \"$1\" \"$TRAWL_JOB\"; cat", "sh", "a b; rm -rf $HOME"],
      variables: ["TRAWL_JOB": "things"], input: Array("rows\n".utf8)
    ).run()
    #expect(ended == BoundedProgram.Ended(output: "a b; rm -rf $HOME|things|rows\n"))
  }

  @Test("that is missing, fails or dies is told, and throws nothing")
  func fails() async {
    let missing = await BoundedProgram(words: ["/nowhere/at/all"]).run()
    #expect(missing.problem == "/nowhere/at/all cannot be started: No such file or directory")
    let failed = await BoundedProgram(words: ["sh", "-c", "echo no >&2; exit 7"]).run()
    #expect(failed.problem == "sh ended with 7" && failed.output == "no\n")
    let killed = await BoundedProgram(words: ["sh", "-c", "kill -9 $$"]).run()
    #expect(killed.problem == "sh was ended by signal 9")
  }

  @Test(
    "that takes too long is ended with all that it started", arguments: ["exec 1>&- 2>&-; ", ""])
  func late(closing: String) async throws {
    let file = ScratchFolder()
    let script = "\(closing)sleep 600 & echo $! > '\(file.path)/child'; wait"
    var program = BoundedProgram(words: ["sh", "-c", script])
    program.timeMax = .milliseconds(300)
    let ended = await program.run()
    #expect(ended.problem == "sh took longer than 0.3 s and was ended")
    let child = (Golden.read("\(file.path)/child") ?? "").trimmingBlanks
    try await until("what it started has ended") {
      // The words of a process that is still to be reaped are gone, too.
      (Golden.read("/proc/\(child)/cmdline") ?? "").isEmpty
    }
  }

  @Test("that reads nothing of much input, or says more than is kept, holds nobody up")
  func much() async {
    let input = [UInt8](repeating: 97, count: 3_000_000)
    #expect(await BoundedProgram(words: ["true"], input: input).run().problem == nil)
    let loud = await BoundedProgram(words: ["cat"], input: input).run()
    #expect(loud.problem == nil && loud.output.hasSuffix("…"))
    #expect(loud.output.utf8.count <= 16_000 + 3)
  }
}
