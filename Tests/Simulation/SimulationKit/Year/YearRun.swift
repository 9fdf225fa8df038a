internal import Base
internal import Commands
internal import TestSupport

/// One process of a night: started, perhaps killed, and compared with the world.
struct YearRun {
  let year: Year
  let night: YearPlan.Night
  let job: String
  /// The place and visit at which the process is killed.
  var kill: (place: FaultPoint.Place, visit: Int)?
  /// After how many requests the clock is set, and by how much.
  var clockIsSet: (after: Int, by: Duration)?
  private(set) var isKilled = false

  init(_ year: Year, _ night: YearPlan.Night, job: String) {
    (self.year, self.night, self.job) = (year, night, job)
    if case .clockIsSet(let jump, let after) = night.event { clockIsSet = (after, jump) }
    if case .kill(let place, let visit, _) = night.event { kill = (place, visit) }
  }

  private var world: YearWorld { year.world }
  private var folder: String { year.machine.folder }

  mutating func perform(_ told: inout YearTally.Night) async throws {
    let before = try YearBook(folder)
    told.certificate = told.certificate ?? before.certificates.last?.number ?? 0
    world.change { state in
      state.run = YearWorld.Run()
      state.run.versions = state.lists.mapValues(\.version)
    }
    let (clock, now) = (year.time.now, world.trueNow)
    let faults = arm()
    let ended = await command(
      ["run", job, "--keep", "3"] + (night.isAccepted ? ["--accept-vanish", "1000"] : [])
        + (night.event == .moved && night.day == 2 ? ["--moved"] : []), faults, clockIsSet)
    isKilled = world.now.run.isDead
    if isKilled { year.machine.moveOn() }
    told.code = isKilled ? nil : ended.code
    try await alert(ended, &told)
    told.say("\(isKilled ? "killed" : "\(ended.code)") \(ended.errors)")
    let after = try YearBook(folder)
    let comparison = YearComparison(
      before: before, after: after, world: world.now,
      // Setting the clock during a run does not change the run's time.
      times: [clock...(clock + (world.trueNow - now)), now...world.trueNow],
      isWhole: !isKilled && [0, 3].contains(ended.code))
    told.problems += comparison.problems()
    if night.isClear, !isKilled, !comparison.isWhole, !Year.restarted.contains(ended.code) {
      told.problems.append("a night that nothing disturbs ends with \(ended.code)")
    }
    let isUntouched = after.certificates.count == before.certificates.count
    if night.clockIsAhead, ended.code != 75 || !isUntouched {
      told.problems.append("a clock that is days ahead ends with \(ended.code), or stores verdicts")
    }
    let (count, sent) = (Self.requests(ended.errors), world.now.run.sent)
    if !isKilled, count != nil || comparison.isWhole && night.isAtRest, count ?? 0 != sent {
      told.problems.append("\(count ?? 0) requests are told, and \(sent) came")
    }
    if comparison.isWhole, night.isClear {
      // With a clock that is days behind, new records cannot be requested.
      if clock > now - Year.day { world.change { $0.owe(at: now) } }
      // With a clock that is behind, less is due.
      told.problems += comparison.problemsOfClearNight(
        night, at: min(clock, now), since: told.certificate ?? 0)
    }
    let fresh = comparison.fresh
    world.change { state in
      for one in fresh where !one.isOpen { state.walkBegan[one.list] = nil }
    }
    for one in fresh { told.say("  \(one.list): \(one.verdict) \(one.cause) \(one.why)") }
    if Simulation.isReplay { for line in world.now.run.asked { told.say("    \(line)") } }
    if let second = world.now.run.second, second != 75 {
      told.problems.append("a second run beside the first ends with \(second)")
    }
    told.problems += try await citations(after)
    if comparison.isWhole, night.isClear, night.isQuiet {
      let status = await command(["status", job, "--max-age", "30h"], .none)
      if status.code != 0, !after.isDoubtful {
        told.problems.append("behind a whole run status ends with \(status.code)")
      }
    }
  }

  /// What the systemd units do after it.
  private func alert(_ ended: CommandShell.Ended, _ told: inout YearTally.Night) async throws {
    let result = isKilled ? "signal" : Year.successes.contains(ended.code) ? "success" : "exit-code"
    let monitor = [
      "MONITOR_SERVICE_RESULT": result, "MONITOR_EXIT_STATUS": "\(isKilled ? 9 : ended.code)",
    ]
    let said = await command(["status", job, "--alert"], .none, monitor: monitor)
    if ![0, 4].contains(said.code) {
      told.problems.append("--alert ends with \(said.code): \(said.errors)")
    }
    guard let call = await year.machine.alarm.ring(job, said, monitor) else {
      if said.code == 4 {
        told.problems.append("nobody is called, and --alert says \(said.output)")
      }
      return
    }
    told.calls.append(call)
    if call.job != job || call.text != said.output + "\n" && call.text != said.output {
      told.problems.append("the alert is given \(call)")
    }
    if !isKilled, ended.errors.contains("; report "),
      call.report.isEmpty || !ended.errors.contains(call.report)
    {
      told.problems.append("the alert links \(call.report), another run's: \(ended.errors)")
    }
  }

  /// `24 requests` in a run's last line.
  private static func requests(_ text: String) -> Int? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "\n" }
    guard let at = words.lastIndex(where: { $0 == "requests" || $0 == "request" }), at > 0 else {
      return nil
    }
    return Int(words[at - 1])
  }

  /// The proof must hold, and citations must match the tables and the last walks.
  private func citations(_ book: YearBook) async throws -> [String] {
    guard !book.lists.isEmpty else { return [] }
    let proof = await command(["prove", "--cite", "--json"], .none)
    var problems: [String] = []
    var walked = Set(book.certificates.map(\.list)).intersection(YearBook.long)
    // A list is not cited with rows that did not come and are not marked as gone.
    let ends = book.certificates.filter { !["paused", "failed"].contains($0.verdict) }
    let withheld = Dictionary(ends.map { ($0.list, $0.withheld) }) { $1 }
    for (list, rows) in withheld where rows > 0 { walked.remove(list) }
    if proof.code != 0 { problems.append("prove ends with \(proof.code): \(proof.errors)") }
    for line in proof.output.split(separator: "\n") {
      let cited = try JSONDocument.read(Array(line.utf8)).root
      let numbers = cited["list_numbers"]?.elements.compactMap(\.integer) ?? []
      let lists = numbers.compactMap { book.lists[Int($0)] }
      if lists.count > 1 { walked.subtract(lists) }
      guard lists.count == 1, let list = lists.first, book.places[list] != nil,
        let rows = cited["rows"]?.integer, let verdict = cited["verdict"]?.string
      else { continue }
      walked.remove(list)
      let live = book.live(list)
      if Int(rows) != live.count {
        problems.append("\(list) is cited with \(rows) rows, and has \(live.count)")
      }
      let last = book.certificates.last { $0.list == list && !$0.isWindow }
      if let last, last.verdict != verdict {
        problems.append("\(list) is cited as \(verdict), and was \(last.verdict)")
      }
    }
    if !walked.isEmpty { problems.append("\(walked.sorted()) are not cited") }
    return problems
  }

  private func command(
    _ words: [String], _ faults: FaultPoint, _ clockIsSet: (after: Int, by: Duration)? = nil,
    monitor: [String: String] = [:]
  ) async -> CommandShell.Ended {
    let (world, time) = (world, year.time)
    let (shell, words) = (year.machine.shell, words + ["--data", folder])
    let key = night.event == .keyIsMissing ? [:] : ["SHOP_KEY": "key"]
    let environment = key.merging(monitor) { one, _ in one }
    var after: Int?
    if case .overlap(let count) = night.event { after = count }
    let isSecond = after
    let exchange = ScriptedExchange { request, number in
      if let clockIsSet, number == clockIsSet.after {
        time.setWallClock(time.now + clockIsSet.by)
      }
      if number == isSecond {
        let nobody = ScriptedExchange { request, _ in
          .failure(.simulated(.unreachable, request))
        }
        let second = await shell.perform(
          words, environment: environment, StandIns(exchange: nobody, time: time.timekeeper))
        world.change { $0.run.second = second.code }
      }
      return world.answer(request)
    }
    return await shell.perform(
      words, environment: environment,
      StandIns(exchange: exchange, time: time.timekeeper, faults: faults))
  }

  private func arm() -> FaultPoint {
    guard let kill else { return .none }
    let visits = Locked(0)
    let (world, machine) = (world, year.machine)
    return FaultPoint { place in
      let isHere =
        place == kill.place
        && visits.withLock {
          $0 += 1
          return $0 == kill.visit
        }
      guard isHere else { return }
      world.change { $0.run.isDead = true }
      machine.snapshot()
    }
  }
}
