import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

/// Who hears of a job's trouble, and when.
@Suite("An alert")
struct AlertTests {
  @Test("is told the first time, then once a day, and once when it is over")
  func rhythm() {
    var memory: AlertMemory?
    var said: [String] = []
    let start = Instant(seconds: 1_795_269_600)
    // An hourly job that fails for 50 hours, and then comes through.
    for hour in 0...52 {
      let now = start + .seconds(Int64(hour) * 3600)
      let isBroken = hour < 50
      let decision = AlertDecision(
        trouble: isBroken ? ("trawl key things", start) : nil, isWell: !isBroken, memory: memory,
        now: now)
      switch decision {
      case .silent: break
      case .tells(let next):
        memory = next
        said.append("\(hour) trouble")
      case .recovered(let span):
        memory = nil
        said.append("\(hour) \(Wording.span(span))")
      }
    }
    #expect(said == ["0 trouble", "23 trouble", "46 trouble", "50 2 d 2 h"])
  }

  @Test("about another thing to do comes at once; what neither heals nor is well ends nothing")
  func another() {
    let now = Instant(seconds: 1_795_269_600)
    let memory = AlertMemory(since: now - .seconds(60), told: ["trawl key things": now])
    let other = AlertDecision(
      trouble: ("trawl check things", now), isWell: false, memory: memory, now: now)
    #expect(
      other
        == .tells(
          AlertMemory(
            since: now - .seconds(60),
            told: ["trawl key things": now, "trawl check things": now])))
    #expect(AlertDecision(trouble: nil, isWell: false, memory: memory, now: now) == .silent)
    #expect(AlertDecision(trouble: nil, isWell: true, memory: nil, now: now) == .silent)
  }

  /// What the units get to tell behind a run.
  private func alert(
    _ trial: CommandTrial, _ environment: [String: String] = [:]
  ) async throws -> CommandTrial.Ended {
    try await trial.run(
      ["status", "people", "--alert", "--data", trial.data], environment: environment)
  }

  @Test("says which job, since when, that it does not heal and what to run; and when it is over")
  func words() async throws {
    let trial = try CommandTrial()
    trial.keep(job: "people", columns: "login: \"login\"")
    let words = ["run", "people", "--data", trial.data]
    for hour in 0..<5 {
      _ = try await trial.run(words + ["--set", "user=nobody-at-all"])
      let told = try await alert(trial)
      #expect(told.status == (hour == 0 ? .found : .complete), "\(told.everything)")
      if hour == 0 {
        let line = told.lines.first ?? ""
        #expect(line.hasPrefix("people needs you, since "), "\(line)")
        #expect(line.contains("does not heal by itself") && line.hasSuffix("trawl check people"))
        let status = try await trial.run(["status", "people", "--data", trial.data])
        #expect(status.output.contains("trawl check people"), "\(status.output)")
      } else {
        #expect(told.output == "")
      }
      trial.time.advance(by: .seconds(3600))
    }
    _ = try await trial.run(words)
    #expect(try await alert(trial).output.hasPrefix("people recovered after 5 h"))
    #expect(try await alert(trial).output == "")
  }

  @Test("wakes nobody for what heals itself, before the third night")
  func thirdNight() async throws {
    let trial = try CommandTrial()
    trial.keep(job: "people", columns: "login: \"login\"")
    let words = ["run", "people", "--data", trial.data]
    _ = try await trial.run(words)
    trial.sandbox.stop()
    for night in 1...4 {
      trial.time.advance(by: .seconds(86_400))
      #expect(try await trial.run(words).status == .unreachable)
      let failed = ["MONITOR_SERVICE_RESULT": "exit-code", "MONITOR_EXIT_STATUS": "69"]
      #expect(try await alert(trial, failed).output.isEmpty == (night < 3), "night \(night)")
    }
    let hung = ["MONITOR_SERVICE_RESULT": "watchdog", "MONITOR_EXIT_STATUS": "9"]
    #expect(try await alert(trial, hung).output == "", "it was told an hour ago")
  }

  @Test("is told of what systemd alone knows, also where nothing is known of the job")
  func unknown() async throws {
    let trial = try CommandTrial()
    let none = try await alert(
      trial, ["MONITOR_SERVICE_RESULT": "exit-code", "MONITOR_EXIT_STATUS": "78"])
    #expect(none.status == .usage || none.output.contains("trawl check people"))
    trial.keep(job: "people", columns: "login: \"login\"")
    _ = try await trial.run(["run", "people", "--data", trial.data])
    let broken = try await alert(
      trial, ["MONITOR_SERVICE_RESULT": "exit-code", "MONITOR_EXIT_STATUS": "243"])
    #expect(broken.output.contains("the service could not start it (243)"), "\(broken.everything)")
  }
}
