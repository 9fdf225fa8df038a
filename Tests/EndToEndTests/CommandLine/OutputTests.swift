import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("Where the output goes", .prompt)
struct OutputTests {
  private let home = Home()

  /// A run in a shell, where its output goes elsewhere; all that came is kept.
  @discardableResult
  private func run(
    _ more: String, before: String = "", ends status: Int32
  ) async throws -> BinaryRun.Ended {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    let ended = await home.shell(
      "\(before)$T run github --endpoint $E --data $D \(more)",
      ["E": sandbox.endpoint(for: "github")], ends: status)
    try TruthTests.expectTruth(of: sandbox, in: home)
    return ended
  }

  @Test("74: a full device behind stdout is told; what came is kept")
  func fullOutput() async throws {
    try await run("--json > /dev/full", ends: 74)
    await home.shell("$T --help > /dev/full", ends: 74)
  }

  @Test(
    "a closed stdout or stderr, or both, changes nothing",
    arguments: [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func closed(descriptors: String) async throws {
    try await run(descriptors, ends: 0)
    // None of our lines is in the database, whose descriptor might have been number 2.
    #expect(try home.tables.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test("a long title among the changes pads no other line")
  func longTitle() async throws {
    let title = String(repeating: "t", count: 2_000)
    let server = AnswerServer { _ in
      .json("{\"items\":[{\"id\":1,\"title\":\"\(title)\"},{\"id\":2,\"title\":\"short\"}]}")
    }
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    await home.trawl("run", job, "--allow-loopback", ends: 0)
    let shown = await home.trawl("report", "shelf", "--changes", ends: 0, showing: title)
    let line = shown.output.split(separator: "\n").first { $0.hasPrefix("    new  short") }
    #expect(line.map { $0.utf8.count < 100 } == true, "\(shown.output)")
  }

  @Test(
    "78: without /proc, where arguments would be lost, both programs say what is missing",
    .enabled(if: geteuid() == 0, "only root can take /proc away"),
    arguments: ["trawl", "trawl-sandbox"])
  func withoutProc(program: String) async {
    let line = """
      exec unshare --mount --propagation private sh -c \
        'mount -t tmpfs none /proc && exec "$0" --help' "$P"
      """
    let ended = await home.shell(
      line, ["P": "\(BinaryRun.products)/\(program)"], ends: 78, saying: "mount -t proc proc /proc")
    #expect(ended.output == "", "\(ended.output)")
  }

  /// Tests the program itself: in a process with other threads, such as a test's, one of them may get the number
  /// between its closing and the claim.
  @Test("a closed stdout is not given to the next file that is opened")
  func claimed() async throws {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    // The run has its database open and waits.
    sandbox.arm(ArmedFault(.stallHead, target: "/followers"))
    let run = BinaryRun(
      "/bin/sh",
      ["-c", "exec \"$T\" run github --endpoint $E --data \"$D\" <&- >&- 2>&-"],
      environment: home.environment.merging([
        "T": "\(BinaryRun.products)/trawl", "E": sandbox.endpoint(for: "github"), "D": home.data,
      ]) { $1 })
    try await until("the stall") { sandbox.isStalled }
    for descriptor in 0...2 {
      var target = [CChar](repeating: 0, count: 256)
      let path = "/proc/\(run.processID)/fd/\(descriptor)"
      let count = readlink(path, &target, target.count)
      let bytes = target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
      #expect(String(decoding: bytes, as: UTF8.self) == "/dev/null")
    }
    run.kill()
    #expect(await run.end().wasSignalled)
  }

  @Test("a reader that has seen enough ends nothing but the output")
  func head() async throws {
    let status = "\(home.scratch.path)/status"
    let ended = try await run("--json -v; echo $? > '\(status)') | head -n 1", before: "(", ends: 0)
    #expect(ended.output.hasPrefix("{") && ended.errors == "", "\(ended)")
    #expect(ended.output.split(separator: "\n").count == 1)
    #expect(Golden.read(status) == "0\n")
  }

  @Test("no colour, cursor movement or control character off a terminal")
  func plain() async throws {
    let sandbox = try Sandbox.small(followers: 60, users: 150)
    // An empty variable counts as unset: only the missing terminal decides.
    let ended = await home.run(home.arguments("github", sandbox, ["-v"]), ["NO_COLOR": ""], ends: 0)
    let controls = (ended.output + ended.errors).utf8.filter { $0 < 0x20 && $0 != 10 || $0 == 0x7F }
    #expect(controls.isEmpty)
  }

  @Test(
    "74: a full disk is told by its path; with room the next run ends as if nothing had been",
    .enabled(if: SmallDisk.isPossible, "this process may not mount"),
    arguments: [100, 200, 300, 400, 500])
  func fullDisk(kibibytes: Int) async throws {
    let sandbox = try Sandbox.small()
    let place = "\(home.scratch.path)/disk"
    home.makeFolder(place)
    // In its own mount namespace, so that nothing stays mounted.
    let line = """
      unshare --mount --propagation private sh -c '
        mount -t tmpfs -o size=\(kibibytes)k none "$P" || exit 99
        $T run github --endpoint $E --data "$P/data"; echo "first $?"
        find "$P" -path "*/.tmp/*" -type f -o -name "*.new*"
        mount -o remount,size=64m "$P" || exit 99
        $T run github --endpoint $E --data "$P/data"; echo "second $?"
        sqlite3 "$P/data/trawl.db" "PRAGMA integrity_check; SELECT count(*) FROM github_users"
      '
      """
    let ended = await home.shell(
      line, ["E": sandbox.endpoint(for: "github"), "P": place], saying: place)
    #expect(ended.output == "first 74\nsecond 0\nok\n64\n", "\(ended)")
  }
}
