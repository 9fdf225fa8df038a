import Glibc
import Base
@testable import Commands
@testable import Crawl
import SandboxKit
import Store
import TestSupport
import Testing

@Suite("trawl key and trawl reset")
struct KeyAndResetTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("key keeps what a pipe brings for its origin alone, and never shows it")
  func keepsKey() async throws {
    let scratch = ScratchFolder()
    let input = "\(scratch.path)/token"
    Golden.write("\(CommandTrial.canary)\n", to: input)
    let ended = await BinaryRun.run(
      "/bin/sh", ["-c", "exec '\(BinaryRun.products)/trawl' key github < '\(input)'"],
      environment: ["HOME": scratch.path, "XDG_CONFIG_HOME": "", "GITHUB_TOKEN": "other"], ends: 0)
    #expect(!(ended.output + ended.errors).contains(CommandTrial.canary))
    #expect(ended.errors.contains("for https://api.github.com alone"))
    #expect(ended.errors.contains("$GITHUB_TOKEN is set and takes precedence"))
    let kept = "\(scratch.path)/.config/trawl/keys/github-token"
    #expect(Golden.read(kept) == "\(CommandTrial.canary)\norigin https://api.github.com\n")
    var facts = stat()
    #expect(stat(kept, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
  }

  @Test("key says by its code where a key cannot be written, and where it has no place")
  func unkept() async throws {
    for (spoil, status) in [("prlimit --fsize=0", 74), ("touch \"$HOME/.config\"; exec", 73)] {
      let scratch = ScratchFolder()
      let line = "echo key | { \(spoil) '\(BinaryRun.products)/trawl' key github; } 2>&1"
      let ended = await BinaryRun.run(
        "/bin/sh", ["-c", "{ \(line); echo \"code $?\"; } | cat"],
        environment: ["HOME": scratch.path, "XDG_CONFIG_HOME": ""])
      #expect(ended.output.contains("code \(status)\n"), "\(ended.output)")
      #expect(ended.output.contains("trawl: cannot"), "\(ended.output)")
    }
  }

  @Test(
    "key of nothing, or of a job that needs none, changes nothing",
    arguments: [("github", 77), ("openmarket", 78)])
  func noKey(job: String, status: Int32) async throws {
    let scratch = ScratchFolder()
    await BinaryRun.run("trawl", ["key", job], environment: ["HOME": scratch.path], ends: status)
    #expect(access("\(scratch.path)/.config", F_OK) != 0)
  }

  @Test(
    "key refuses what no key can be, and does not show it",
    arguments: [
      ("printf 'canary\\001x\\n'", "the secret is refused"),
      ("printf 'canary%020000d' 1", "the input was empty or too long"),
    ])
  func refused(input: String, words: String) async throws {
    let scratch = ScratchFolder()
    let ended = await BinaryRun.run(
      "/bin/sh", ["-c", "\(input) | '\(BinaryRun.products)/trawl' key github"],
      environment: ["HOME": scratch.path, "XDG_CONFIG_HOME": ""], ends: 77)
    #expect(ended.errors.contains(words) && !ended.errors.contains("canary"), "\(ended.errors)")
    #expect(access("\(scratch.path)/.config", F_OK) != 0)
  }

  @Test("key without a HOME says how to give the key once, with the job's own variable")
  func homeless() async throws {
    try await trial.run(
      ["key", "github"], environment: ["HOME": ""], ends: .configuration,
      saying: "there is no HOME to keep a key in", "GITHUB_TOKEN=… trawl run github")
    trial.keep(job: "shop", text: Self.shop)
    let ended = try await trial.run(
      ["key", trial.file(of: "shop")], environment: ["HOME": ""], ends: .configuration,
      saying: "\nset HOME\n")
    #expect(!ended.errors.contains("trawl run"), "\(ended.errors)")
  }

  /// Its secret has no variable.
  private static let shop = """
    {
      name: "shop", base: "https://api.example.com", auth: { to: "header:X-Key", secret: "shop-key" },
      streams: { books: { get: "/books", records: "items", key: ["id"], columns: ["id"] } },
    }
    """

  @Test("key --same-account notes for the next run that its account is that of the last")
  func sameAccount() async throws {
    try await trial.run(
      ["run", "github", "--send-key-to", trial.sandbox.origin] + trial.github,
      environment: ["GITHUB_TOKEN": CommandTrial.canary], ends: .complete)
    let kept = "SELECT count(*) FROM trawl_facts WHERE kind = 'asker' AND subject = 'same'"
    #expect(try trial.rows(kept) == ["0"])
    let line = "echo key | '\(BinaryRun.products)/trawl' key github --same-account"
    await BinaryRun.run(
      "/bin/sh", ["-c", "\(line) --data '\(trial.data)'"],
      environment: ["HOME": trial.scratch.path, "XDG_CONFIG_HOME": ""], ends: 0)
    #expect(try trial.rows(kept) == ["1"])
  }

  @Test("a key typed at a terminal is not echoed, and the terminal is given back as it was")
  func hidden() async throws {
    let terminal = try PseudoTerminal(columns: 80)
    var before = termios()
    tcgetattr(terminal.slave, &before)
    before.c_lflag |= tcflag_t(ECHO) | tcflag_t(ICANON)
    tcsetattr(terminal.slave, TCSANOW, &before)
    let slave = terminal.slave
    // A full pipe holds the prompt back.
    let prompts = TestPipe(bytes: 4096)
    _ = [UInt8](repeating: 32, count: 4096).withUnsafeBytes {
      write(prompts.writing, $0.baseAddress, $0.count)
    }
    let hidden = TerminalLine(descriptor: slave, prompts: prompts.writing)
    async let line = hidden.read(
      prompt: "key: ", isHidden: true, interruption: nil)
    // Input typed before echo is off would be shown and discarded, so the prompt comes after.
    var now = termios()
    try await until("the echo is off") {
      tcgetattr(slave, &now)
      return now.c_lflag & tcflag_t(ECHO) == 0
    }
    var shown = ""
    try await until("the prompt is shown") {
      shown += prompts.text()
      return shown.hasSuffix("key: ")
    }
    terminal.type("\(CommandTrial.canary)\n")
    let typed = await line
    #expect(typed == Array(CommandTrial.canary.utf8))
    tcgetattr(terminal.slave, &now)
    #expect(now.c_lflag == before.c_lflag)
    let screen = String(decoding: terminal.written(), as: UTF8.self)
    #expect(!screen.contains(CommandTrial.canary))
  }

  @Test(
    "no command shows a key",
    arguments: [
      ["check", "github"], ["check"], ["check", "github", "--json"],
      ["run", "github", "--dry-run"],
      ["run", "github", "--dry-run", "--json"], ["try", "github"], ["status"],
    ])
  func canary(arguments: [String]) async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    // The key may go to the sandbox, as the user says so.
    var command = arguments
    if arguments.count > 1 {
      command += [
        "--endpoint", trial.sandbox.endpoint(for: "github"), "--send-key-to", trial.sandbox.origin,
      ]
    }
    if arguments.first != "try" { command += ["--data", trial.data] }
    let ended = try await trial.run(
      command, environment: ["GITHUB_TOKEN": CommandTrial.canary], ends: .complete)
    #expect(!ended.everything.contains(CommandTrial.canary))
  }

  @Test("reset tells what it would forget and forgets it only when somebody agrees")
  func asks() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    try await trial.run(
      "reset records github --dry-run", ends: .complete, showing: "rows of github_users")
    try await trial.run("reset records github", ends: .usage, saying: "add --yes")
    #expect(try await rows() > 0)
    try await trial.run(
      "reset records github --stream profile", ends: .usage, saying: "for the whole job")
    try await trial.run("reset records github --yes", ends: .complete)
    #expect(try await rows() == 0)
    try await trial.run("status", saying: "there is nothing in \(trial.data) yet")
    try await trial.run("report --changes", ends: .usage, saying: "no run is stored here yet")
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    #expect(try await rows() > 0)
  }

  @Test(
    "reset at a terminal asks, and forgets nothing at anything but yes",
    arguments: [("y", true), ("YES", true), ("", false), ("n", false), ("yess", false)])
  func asked(reply: String, isYes: Bool) async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let python =
      "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    let program = "'\(BinaryRun.products)/trawl' reset records github --data '\(trial.data)'"
    let ended = await BinaryRun.run(
      "/bin/sh", ["-c", "echo '\(reply)' | python3 -c '\(python)' \(program)"],
      environment: ["HOME": trial.scratch.path, "XDG_CONFIG_HOME": ""], ends: 0)
    #expect(ended.output.contains("forget this? [y/N]"), "\(ended.output)")
    #expect(ended.output.contains("nothing was forgotten") == !isYes, "\(ended.output)")
    #expect(try await (rows() == 0) == isYes)
  }

  private func rows() async throws -> Int {
    let ended = try await trial.run("status github")
    let row = ended.lines.first { $0.contains("followers of octocat") } ?? ""
    return Int(row.split(separator: " ").dropFirst(3).first ?? "") ?? 0
  }

  @Test("reset of coverage takes the chosen lists only; the next run reads them, writing no row")
  func chosen() async throws {
    _ = try await trial.run(
      ["run", "github", "--set", "user=octocat", "--set", "user=hubot"] + trial.github)
    try await trial.run(
      "reset coverage github --stream profile --set user=hubot --yes", showing: "1  verdict\n")
    let status = try await trial.run("status github")
    let unread = status.lines.filter { $0.contains("unfinished") }
    #expect(unread.count == 1 && unread[0].contains("profile of hubot"), "\(status.output)")
    try await trial.run(
      ["run", "github", "--set", "user=octocat", "--set", "user=hubot"] + trial.github,
      saying: "0 new, 0 changed")
  }

  @Test("reset of units makes the next run begin at page 1")
  func units() async throws {
    trial.keep(job: "people")
    try await trial.run("run people --max-requests 1", ends: .paused)
    try await trial.run("reset progress people --yes", showing: "1  unfinished walk")
    trial.sandbox.resetLog()
    try await trial.run("run people", ends: .complete)
    #expect(trial.sandbox.requests().first?.target.contains("page=2") == false)
  }

  @Test(
    "a wait that the API asked for is in status with the command that ends it, and that ends it")
  func waits() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    let origin = try WebAddress(trial.sandbox.endpoint(for: "github")).origin.description
    let ledger = try await QuotaLedger.open(
      file: "\(trial.data)/ledger.db", timekeeper: trial.time.timekeeper)
    let gate = QuotaAsk(
      key: QuotaKey(
        origin: origin, name: "", account: "no key", length: .seconds(3600)),
      cost: 0, allow: 1,
      stretch: .rolling(.seconds(3600)), burst: 1)
    try await ledger.block(
      gate, until: trial.time.now + .seconds(365 * 86_400), why: "it asks for a wait (429)")
    await ledger.close()
    trial.sandbox.resetLog()
    try await trial.run("run people", ends: .paused)
    #expect(trial.sandbox.requests().isEmpty)
    try await trial.run(
      "status people", showing: "it asks for 365 days, and is asked again after 20 hours",
      "to end the wait: trawl reset waits --data \(trial.data) people")
    try await trial.run("reset waits people --dry-run", showing: "1  wait that the API asked for")
    try await trial.run("reset waits people --yes", showing: "1  wait that the API asked for")
    try await trial.run("run people", ends: .complete)
    try await trial.run("reset waits people --yes", saying: "there is nothing of that")
  }

  @Test("reset stops with 75 while another command is at work on the job")
  func locked() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let lock = try JobLock.take("github", in: try DataFolder(existing: trial.data))
    try await trial.run("reset progress github --yes", ends: .paused, saying: "at work")
    withExtendedLifetime(lock) {}
  }
}
