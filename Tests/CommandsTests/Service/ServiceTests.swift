import Glibc
import Base
@testable import Commands
import TestSupport
import Testing

private let start = Instant(seconds: 1_795_270_327)  // 2026-11-21T14:12:07Z
private let label = UnitLabel(stream: "followers", listName: "followers of octocat")

/// A socket that listens like the service manager.
private final class Listener {
  let scratch = ScratchFolder()
  let descriptor: Int32
  var path: String { "\(scratch.path)/s" }

  init() throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array("\(scratch.path)/s".utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  /// Datagrams since the last call.
  func received() -> [String] {
    var texts: [String] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return texts }
      texts.append(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
  }
}

private let utc: @Sendable (Instant, Instant) -> String = { instant, _ in instant.description }

@Suite("Under a service manager", .prompt)
struct ServiceTests {
  private func reporter(_ listener: Listener, watchdog: Bool = true) throws -> ServiceReporter {
    var variables = ["NOTIFY_SOCKET": listener.path]
    if watchdog { variables["WATCHDOG_USEC"] = "3000000" }
    return try #require(
      ServiceReporter(Environment(variables), status: ServiceStatusLine(localTime: utc)))
  }

  private func stored(_ page: Int) -> RunEvent {
    var counts = Counts()
    counts.new = page * 100
    return .pageStored(label, ordinal: page, counts: counts, bytes: 50_000)
  }

  @Test("the status tells list, page and records, and a wait with its end")
  func status() throws {
    let listener = try Listener()
    let service = try reporter(listener)
    service.tick(at: start)
    #expect(listener.received() == ["READY=1\nWATCHDOG=1"])
    service.receive(.runStarted(run: "r1", job: "github", note: ""), of: "github", at: start)
    service.receive(.unitStarted(label), of: "github", at: start)
    service.receive(
      .totalKnown(label, records: 20_342, pages: 204, text: ""), of: "github", at: start)
    service.receive(stored(58), of: "github", at: start)
    service.tick(at: start)
    #expect(
      listener.received() == [
        "STATUS=github: followers of octocat, page 58 of 204, 5,800 records\nWATCHDOG=1"
      ])
    service.receive(
      .waiting(label, reason: "quota core", until: start + .seconds(90)), of: "github", at: start)
    #expect(
      listener.received() == [
        "STATUS=github: followers of octocat, page 58 of 204, 5,800 records, waiting for quota "
          + "core until 2026-11-21T14:13:37Z (1 min 30 s)\nWATCHDOG=1"
      ])
    service.receive(.waitEnded(label), of: "github", at: start)
    service.stopping(at: start)
    let last = listener.received()
    #expect(last.first == "STOPPING=1")
    #expect(last.last?.contains("5,800 records; stopping") == true)
  }

  @Test("the watchdog hears of what was done and of planned waits, and of nothing else")
  func watchdog() throws {
    let listener = try Listener()
    let service = try reporter(listener)
    var now = start
    func isAlive() -> Bool {
      now = now + .seconds(1)
      service.tick(at: now)
      return listener.received().contains { $0.contains("WATCHDOG=1") }
    }
    #expect(isAlive(), "the start is progress")
    #expect(!isAlive(), "then nothing was done")
    service.receive(stored(1), of: "github", at: now)
    #expect(isAlive())
    #expect(!isAlive())
    service.receive(.warning(label, text: "slow"), of: "github", at: now)
    #expect(!isAlive(), "a warning is no progress")
    service.progress()
    #expect(isAlive(), "an answer is")
    service.receive(
      .waiting(nil, reason: "quota core", until: now + .seconds(10)), of: "github", at: now)
    _ = listener.received()
    for _ in 0..<9 { #expect(isAlive(), "a wait is kept until its end") }
    for _ in 0..<5 { #expect(!isAlive(), "a wait that does not end is a hang") }
  }

  @Test("a page's wait lasts while an earlier page is stored, and while other lists go on")
  func waitBesideProgress() throws {
    let listener = try Listener()
    let service = try reporter(listener)
    let other = UnitLabel(stream: "profile", listName: "profile of octocat")
    service.receive(
      .waiting(label, reason: "the limit", until: start + .seconds(60)), of: "github", at: start)
    service.receive(
      .waiting(label, reason: "its turn", until: start + .seconds(2)), of: "github", at: start)
    service.receive(stored(3), of: "github", at: start)
    service.receive(.unitStarted(other), of: "github", at: start)
    service.receive(.waitEnded(label), of: "github", at: start + .seconds(2))
    service.tick(at: start + .seconds(3))
    _ = listener.received()
    for second in 4..<60 {
      service.tick(at: start + .seconds(second))
      let text = listener.received().joined()
      #expect(text.contains("WATCHDOG=1"), "second \(second)")
      #expect(text.contains("followers of octocat, page 3, 300 records, and 1 other list, wait"))
    }
  }

  @Test("a list that has ended is shown until another begins, and is then no other list")
  func ended() throws {
    let listener = try Listener()
    let service = try reporter(listener, watchdog: false)
    func status(after event: RunEvent) -> String? {
      service.receive(event, of: "github", at: start)
      service.tick(at: start)
      return listener.received().last
    }
    _ = status(after: .waiting(label, reason: "the limit", until: start + .seconds(60)))
    _ = status(after: stored(3))
    let unit = UnitFacts(
      stream: label.stream, table: "github_users", listName: label.listName,
      certificate: Certificate(
        verdict: .complete, rule: .noNextPage, why: "", pages: 3, counts: Counts(),
        distinctKeys: 300, proofs: [.ends]))
    let shown = "STATUS=github: followers of octocat, page 3, 300 records"
    #expect(status(after: .unitConcluded(unit)) == shown, "it waits no more")
    let other = UnitLabel(stream: "profile", listName: "profile of octocat")
    #expect(status(after: .unitStarted(other)) == "STATUS=github: profile of octocat")
    var facts = RunFacts(
      run: "r1", job: "github", command: "run", arguments: [], origin: "https://a.example",
      startedAt: start)
    facts.outcome = RunOutcome(sentence: "complete")
    #expect(status(after: .runConcluded(facts)) == "STATUS=github: complete")
  }

  @Test("without a watchdog none is fed, and without a manager there is no reporter")
  func absent() throws {
    let listener = try Listener()
    let service = try reporter(listener, watchdog: false)
    service.receive(stored(1), of: "github", at: start)
    service.tick(at: start)
    let received = listener.received()
    #expect(!received.isEmpty && received.allSatisfy { !$0.contains("WATCHDOG") })
    #expect(ServiceReporter(Environment([:])) == nil)
    #expect(ServiceReporter(Environment(["NOTIFY_SOCKET": "/nowhere/at/all"])) == nil)
    let other = Environment([
      "NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1",
    ])
    #expect(NotifySocket(other, process: 2)?.hasWatchdog == false)
    #expect(NotifySocket(other, process: 1)?.hasWatchdog == true)
  }

  @Test("a unit's user, keys and sandbox are taken, its being a service is not")
  func settings() {
    let text = """
      # /usr/lib/systemd/system/trawl@.service
      [Unit]
      Description=Trawl job %i
      [Service]
      Type=oneshot
      ExecStart=/usr/bin/trawl run %i
      User=trawl
      LoadCredential=keys:/etc/trawl/keys
      WorkingDirectory=%S/trawl
      SystemCallFilter=~@privileged \\
        @resources
      # IPAddressDeny=1.2.3.4
      Environment=JOB=%i SHARE=100%%

      # /etc/systemd/system/trawl@.service.d/wide.conf
      [Service]
      IPAddressDeny=
      RestartSec=1
      """
    let settings = UnitSettings(text, instance: "github")
    #expect(
      settings.properties == [
        "User=trawl", "LoadCredential=keys:/etc/trawl/keys", "WorkingDirectory=/var/lib/trawl",
        "SystemCallFilter=~@privileged  @resources", "Environment=JOB=github SHARE=100%",
        "IPAddressDeny=",
      ])
    let words = SystemCommand.words(
      name: "n", settings: settings, program: "/usr/bin/trawl",
      arguments: ["backfill", "github", "--set", "q=5$ $HOME"],
      environment: Environment(["TERM": "xterm", "GITHUB_TOKEN": "secret"]))
    #expect(words.contains("--property=User=trawl") && words.contains("--setenv=TERM=xterm"))
    #expect(!words.contains { $0.contains("secret") })
    #expect(
      Array(words.suffix(6)) == [
        "--", "/usr/bin/trawl", "backfill", "github", "--set", "q=5$$ $$HOME",
      ])
  }

  @Test("a child's exit code comes back; what is not there is told")
  func child() async {
    #expect(await ChildProcess(program: "sh", arguments: ["-c", "exit 75"]).run() == 75)
    let killed = await ChildProcess(program: "sh", arguments: ["-c", "kill -KILL $$"]).run()
    #expect(killed == 137)
    #expect(await ChildProcess(program: "/nowhere/program", arguments: []).run() == nil)
  }
}
