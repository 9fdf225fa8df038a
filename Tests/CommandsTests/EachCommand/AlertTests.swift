import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("An alert")
struct AlertTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  private static let start = Instant(seconds: 1_795_269_600)

  private func entry(_ job: String, _ what: String, at now: Instant = start) -> AlertMemory.Entry {
    AlertMemory.Entry(job: job, what: what, since: Self.start, toldAt: now)
  }

  @Test("is told the first time, then once a day, and once when it is over")
  func rhythm() {
    var memory = AlertMemory()
    var said: [String] = []
    // An hourly job that fails for 50 hours, then succeeds.
    for hour in 0...52 {
      let now = Self.start + .seconds(Int64(hour) * 3600)
      let isBroken = hour < 50
      switch memory.decide(
        "things", isBroken ? [entry("things", "key", at: now)] : [], wellAt: isBroken ? nil : now,
        at: now)
      {
      case .silent: break
      case .tells: said.append("\(hour) trouble")
      case .recovered(let span): said.append("\(hour) \(Wording.span(span))")
      }
      #expect(AlertMemory(memory.text) == memory, "it is kept as it is")
    }
    #expect(said == ["0 trouble", "23 trouble", "46 trouble", "50 2 d 2 h"])
  }

  @Test("is sent again if the entry that remembers it is damaged")
  func damagedEntry() {
    let least = Int64.min
    var memory = AlertMemory(
      "{\"job\":\"things\",\"what\":\"key\",\"since\":\(least),\"told_at\":\(least)}\n")
    let decision = memory.decide(
      "things", [entry("things", "key")], wellAt: nil, at: Self.start)
    #expect(decision == .tells(0, since: Self.start))
  }

  @Test("about another thing to do comes at once; what neither heals nor is well ends nothing")
  func another() {
    let now = Self.start
    var memory = AlertMemory(entries: [entry("things", "key")])
    let before = memory
    #expect(memory.decide("things", [], wellAt: nil, at: now) == .silent)
    #expect(memory == before)
    let both = [entry("things", "key"), entry("things", "count")]
    #expect(
      memory.decide("things", both, wellAt: nil, at: now) == .tells(1, since: now))
    // A run that ended before it was told says nothing of it.
    let earlier = now - .seconds(60)
    #expect(memory.decide("things", [], wellAt: earlier, at: now) == .silent)
    #expect(memory.entries.count == 2)
    var none = AlertMemory()
    #expect(none.decide("things", [], wellAt: now, at: now) == .silent)
  }

  @Test(
    "about one cause comes once, however many jobs it keeps from running, and ends with the job that told it"
  )
  func shared() {
    var memory = AlertMemory()
    let decisions = ["one", "two", "three"].map { job in
      memory.decide(job, [entry("", "folder")], wellAt: nil, at: Self.start)
    }
    #expect(decisions == [.tells(0, since: Self.start), .silent, .silent])
    let later = Self.start + .seconds(3600)
    let ends = ["two", "one"].map { memory.decide($0, [], wellAt: later, at: later) }
    #expect(ends == [.silent, .recovered(after: .seconds(3600))])
  }

  @Test("about a host is not ended by a job that gets on with it, and goes on under another one")
  func host() {
    var memory = AlertMemory()
    var said: [String] = []
    // For three days one job is ill; another one is ill with it until noon of the second day, a third never.
    for hour in 0..<72 {
      let now = Self.start + .seconds(Int64(hour) * 3600)
      for (job, isIll) in [("well", false), ("both", hour < 36), ("ill", true)] {
        let decision = memory.decide(
          job, isIll ? [entry("", "host a", at: now)] : [], wellAt: isIll ? nil : now, at: now)
        switch decision {
        case .silent: break
        case .tells: said.append("\(hour) \(job)")
        case .recovered: said.append("\(hour) \(job) recovered")
        }
      }
    }
    #expect(said == ["0 both", "23 both", "36 both recovered", "36 ill", "59 ill"])
  }

  /// The alert for the units after a run.
  /// - Parameter code: what systemd says of the unit's end.
  private func alert(exit code: Int? = nil) async throws -> CommandTrial.Ended {
    if let code { return try await alert("exit-code", "\(code)") }
    return try await trial.run("status people --alert")
  }

  private func alert(_ result: String, _ status: String) async throws -> CommandTrial.Ended {
    try await trial.run(
      "status people --alert",
      environment: [
        "MONITOR_SERVICE_RESULT": result, "MONITOR_EXIT_STATUS": status,
        "MONITOR_UNIT": "trawl@people.service",
      ])
  }

  @Test(
    "says which job, which list, since when and what to run; and when it is as good as it had been")
  func words() async throws {
    trial.keep(job: "people")
    for night in 1...8 {
      if night == 4 {
        trial.sandbox.arm(ArmedFault(.limitNone, target: "/followers", count: 10_000))
      }
      _ = try await trial.run("run people")
      let told = try await alert()
      // Nights 4 and 5 depend on the limit.
      #expect(
        told.status == (night >= 6 ? .found : .complete), "night \(night): \(told.everything)")
      trial.time.advance(by: .seconds(86_400))
      guard night >= 6 else { continue }
      let line = told.lines.first ?? ""
      #expect(line.hasPrefix("people needs you, since "), "\(line)")
      #expect(
        line.contains("followers user=octocat")
          && line.hasSuffix(trial.advice("trawl report people --explain")))
      #expect(told.lines.last?.contains("/reports/people/") == true, "\(told.output)")
      try await trial.run("status people", showing: trial.advice("trawl report people --explain"))
    }
    trial.sandbox.disarm()
    _ = try await trial.run("run people")
    #expect(try await alert().output.hasPrefix("people recovered after 6 d"))
    #expect(try await alert().output == "")
  }

  @Test("tells of a ledger that is damaged, as status does, until it is moved away")
  func damagedLedger() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    let ledger = "\(trial.data)/ledger.db"
    for end in ["-wal", "-shm"] { unlink(ledger + end) }
    Golden.write(String(repeating: "not a ledger ", count: 1_000), to: ledger)
    try await trial.run(
      "run people", ends: .damaged, saying: "move it away, and the next run begins a new one")
    let told = try await alert()
    #expect(told.status == .found && told.output.hasPrefix("people needs you"), "\(told.output)")
    #expect(told.output.contains("a damaged ledger.db has to be moved away"), "\(told.output)")
    try await trial.run(
      "status people", showing: "a damaged ledger.db has to be moved away")
    // Neither is a folder of that name.
    unlink(ledger)
    mkdir(ledger, 0o700)
    #expect(try await trial.run("status people").output.contains("is not a ledger of Trawl"))
    rmdir(ledger)
    trial.time.advance(by: .seconds(3600))
    try await trial.run("run people", ends: .complete)
    #expect(try await alert().output.hasPrefix("people recovered"))
  }

  @Test("wakes nobody for what heals itself, before the third night")
  func thirdNight() async throws {
    trial.keep(job: "people")
    for _ in 1...3 {
      _ = try await trial.run("run people")
      trial.time.advance(by: .seconds(86_400))
    }
    trial.sandbox.stop()
    for night in 1...4 {
      try await trial.run("run people", ends: .unreachable)
      let told = try await alert(exit: 69).output
      #expect(told.isEmpty == (night < 3), "night \(night): \(told)")
      trial.time.advance(by: .seconds(86_400))
    }
  }

  @Test("is told of what systemd alone knows, also where nothing is known of the job")
  func unknown() async throws {
    let none = try await alert(exit: 78)
    #expect(none.status == .found && none.output.hasPrefix("people needs you"))
    #expect(none.output.contains(trial.advice("trawl check people")), "\(none.everything)")
  }

  @Test(
    "tells at once of a service that cannot start or that crashed, also of a job that never ran",
    arguments: [
      ("exit-code", "243", "systemd could not start it (243)"),
      ("exit-code", "64", "wrong command line"), ("resources", "", "systemd could not start it"),
      ("signal", "SEGV", "it crashed (SEGV)"), ("core-dump", "ABRT", "it crashed (ABRT)"),
    ])
  func service(result: String, status: String, words: String) async throws {
    trial.keep(job: "people")
    for hasRun in [false, true] {
      if hasRun { try await trial.run("run people", ends: .complete) }
      for (cut, code) in [
        ("signal", "KILL"), ("watchdog", "ABRT"), ("timeout", "TERM"), ("oom-kill", "KILL"),
      ] {
        #expect(try await alert(cut, code).output == "", "\(cut): the next run resumes")
      }
      let told = try await alert(result, status)
      let (first, second) = (told.lines.first ?? "", told.lines.dropFirst().first ?? "")
      #expect(first.hasPrefix("people needs you, since "), "\(first)")
      #expect(first.hasSuffix("to see which: systemctl status trawl@people.service"), "\(first)")
      #expect(second.hasPrefix("Its last run: \(words)"), "\(told.output)")
      trial.time.advance(by: .seconds(86_400))
    }
    try await trial.run("run people", ends: .complete)
    #expect(try await alert().output.hasPrefix("people recovered after"))
  }

  @Test("tells of a key that is missing, as status does, until a run can begin")
  func missingKey() async throws {
    trial.keep(job: "people")
    trial.edit(
      "people", "params:",
      to: "auth: { to: \"header:X-Key\", secret: \"people-key\" }, params:")
    let keys = "\(trial.scratch.path)/home/.config/trawl/keys"
    mkdir(keys, 0o700)
    let key = "\(keys)/people-key"
    let byHand = "run people --send-key-to \(trial.sandbox.origin)"
    let run = "\(byHand) --if-due"
    for (night, isThere) in [true, false, false, true].enumerated() {
      if isThere { Golden.write("a-key-of-people", to: key) } else { unlink(key) }
      chmod(key, 0o600)
      try await trial.run(run, ends: isThere ? .complete : .secret)
      let told = try await alert(exit: night == 2 ? 77 : nil).output
      let status = try await trial.run("status people --json").output
      #expect(status.contains("\"standing\":\"up to date\"") == isThere, "\(status)")
      #expect(status.contains("\"needs_person\":true") != isThere, "\(status)")
      #expect(told.hasPrefix("people needs you") != isThere, "\(night): \(told)")
      #expect(isThere || told.contains("A key is missing or refused") && !told.contains("report:"))
      #expect(told.contains("people recovered") == (night == 3), "\(night): \(told)")
      trial.time.advance(by: .seconds(86_400))
    }
    unlink(key)
    try await trial.run(byHand, ends: .secret)
    #expect(try trial.rows("SELECT count(*) FROM trawl_facts WHERE kind = 'refused'") == ["0"])
  }

  @Test("tells of a report that could not be written, until one can; the run was the job's turn")
  func unwritten() async throws {
    trial.keep(job: "people")
    trial.edit("people", "params:", to: "every: \"1d\", params:")
    try await trial.run("run people", ends: .complete)
    trial.time.advance(by: .seconds(86_400))
    rename("\(trial.data)/reports", "\(trial.data)/kept")
    Golden.write("no folder", to: "\(trial.data)/reports")
    let cure = "A file could not be written or read; when there is room and permission to do so"
    for _ in 0...1 {
      try await trial.run(
        "run people", ends: .cannotCreate, saying: "; but the report cannot be written", cure)
    }
    try await trial.run(
      "status people --alert", ends: .found, showing: "people needs you", cure,
      "but the report cannot be written")
    let status = try await trial.run("status", ends: .complete)
    #expect(!status.output.contains("1 up to date"), "\(status.output)")
    try await trial.run("run people --if-due", ends: .complete, saying: "people is not due before")
    unlink("\(trial.data)/reports")
    try await trial.run("run people", ends: .complete)
    try await trial.run("status people --alert", ends: .found, showing: "people recovered")
  }

  @Test("names the copy for readers, too, where one of the files of a job could not be written")
  func unpublished() async throws {
    trial.keep(job: "people")
    let copy = "\(trial.scratch.path)/none/readers.db"
    trial.edit("people", "params:", to: "publish: \"\(copy)\", params:")
    Golden.write("no folder", to: "\(trial.scratch.path)/none")
    try await trial.run(["run", "people", "--data", trial.data], ends: .cannotCreate)
    let told = try await alert(exit: 73)
    #expect(told.output.contains("\(trial.data) or \(copy): A file could"), "\(told.output)")
  }

  @Test("tells that the file of its job is gone, once a day, until it is there again")
  func goneFile() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    trial.time.advance(by: .seconds(6 * 86_400))
    unlink(trial.file(of: "people"))
    let told = try await alert(exit: 64)
    #expect(told.output.hasPrefix("people needs you"), "\(told.output)")
    #expect(!told.output.contains("(6 d"), "until now all was well: \(told.output)")
    #expect(told.output.contains("Its job file cannot be used"), "\(told.output)")
    #expect(try await alert(exit: 64).output == "")
    // Outside units files may be elsewhere: nothing is reported then, neither trouble nor its end.
    #expect(try await alert().output == "")
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    #expect(try await alert().output.hasPrefix("people recovered"))
  }

  @Test("calls nobody about a job that never ran, and says of one that was cut off that it was")
  func neverRan() async throws {
    trial.keep(job: "people")
    trial.keep(job: "others")
    try await trial.run("run others", ends: .complete)
    let none = try await alert()
    #expect(none.status == .complete && none.output == "", "\(none.everything)")
    try await trial.run("run people", ends: .complete)
    try trial.change(
      "UPDATE trawl_runs SET ended_at = NULL, outcome = NULL, exit_code = NULL WHERE job = 'people'"
    )
    trial.time.advance(by: .seconds(100 * 3600))
    let cut = try await alert()
    #expect(cut.output.contains("The last run was cut off, and none has come"), "\(cut.output)")
    #expect(cut.output.contains("Its last run: it was cut off."), "\(cut.output)")
  }
}
