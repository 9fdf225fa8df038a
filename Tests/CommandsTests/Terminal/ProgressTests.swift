import Base
@testable import Commands
import TestSupport
import Testing

private let start = Instant(seconds: 1_795_270_327)  // 2026-11-21T14:12:07Z
private let label = UnitLabel(stream: "list", listName: "list of somebody")

private func counts(new: Int, unchanged: Int = 0) -> Counts {
  var counts = Counts()
  counts.new = new
  counts.unchanged = unchanged
  return counts
}

private func facts(
  _ label: UnitLabel, _ verdict: Verdict, asDeclared: Bool, new: Int = 5800
) -> UnitFacts {
  UnitFacts(
    stream: label.stream, table: "t", listName: label.listName,
    certificate: Certificate(
      verdict: verdict, rule: .noNextPage, why: "no next page after page 58", pages: 58,
      counts: counts(new: new), distinctKeys: new, isAsDeclared: asDeclared))
}

private let utc: @Sendable (Instant, Instant) -> String = { instant, _ in instant.description }

/// A terminal without colours, and a progress display on it.
private func live(
  columns: Int, _ detail: ProgressBoard.Detail = .normal
) throws -> (PseudoTerminal, Console, Progress) {
  let terminal = try PseudoTerminal(columns: columns)
  let console = Console(
    facts: TerminalFacts(isErrorTerminal: true, isColourless: true), output: terminal.slave,
    error: terminal.slave)
  return (terminal, console, Progress(console: console, detail: detail, localTime: utc))
}

/// The events of a walk of 58 of 204 pages, ten pages a second.
private func walk(_ progress: Progress, to page: Int = 58) -> Instant {
  var now = start
  progress.receive(
    .runStarted(run: "r", job: "job", note: "60 requests an hour"), of: "job", at: now)
  progress.receive(.unitStarted(label), of: "job", at: now)
  for ordinal in 1...page {
    now = now + .milliseconds(100)
    progress.receive(
      .pageStored(label, ordinal: ordinal, counts: counts(new: ordinal * 100), bytes: 51_000),
      of: "job", at: now)
    if ordinal == 1 {
      progress.receive(
        .totalKnown(label, records: 20_342, pages: 204, text: "204 pages: about 3 hours"),
        of: "job", at: now)
    }
  }
  return now
}

@Suite("Progress")
struct ProgressTests {
  @Test("a paused list says when it goes on, and in how long")
  func paused() {
    var board = ProgressBoard(detail: .normal, isLive: true, localTime: utc)
    var facts = facts(label, .paused, asDeclared: false)
    facts.certificate.goesOnAt = start + .seconds(3120)
    let lines = board.receive(.unitConcluded(facts), of: "job", at: start)
    #expect(
      lines.first?.text.plain.hasSuffix("; resumes at 2026-11-21T15:04:07Z (in 52 min)")
        == true)
  }

  @Test("names the job in each line where there are several")
  func several() {
    var board = ProgressBoard(detail: .normal, isLive: true, localTime: utc)
    board.isOfSeveral = true
    let lines =
      board.receive(.unitResumed(label, text: "resuming after page 3"), of: "job", at: start)
      + board.receive(
        .unitConcluded(facts(label, .complete, asDeclared: true)), of: "job", at: start)
    #expect(lines.count == 2)
    for line in lines { #expect(line.text.plain.hasPrefix("  job: list of"), "\(line)") }
  }

  @Test("is one steady line a unit, at any width", arguments: [20, 40, 60, 80, 120])
  func steady(columns: Int) throws {
    let (terminal, _, progress) = try live(columns: columns)
    var screen = ScreenModel(columns: columns)
    let now = walk(progress)
    progress.drain()
    screen.write(terminal.written())
    progress.tick(at: now + .seconds(1))
    progress.drain()
    screen.write(terminal.written())
    #expect(screen.intruders == [])
    let line = try #require(screen.lines.first { $0.contains("28 %") })
    #expect(line.count < columns)
    if columns == 40 { #expect(line == "  list of s…     58/204     5,800  28 %") }
    if columns == 120 {
      let fields = [
        "list of somebody", "page 58 of 204", "5,800", "28 %", "1,000/s", "15 s left", "3.0 MB",
      ]
      for field in fields { #expect(line.contains(field), "\(field) in \(line)") }
    }
  }

  @Test("keeps every field in its column while numbers grow", arguments: [40, 80, 120])
  func columns(width: Int) {
    var board = ProgressBoard(detail: .normal, isLive: true, localTime: utc)
    _ = board.receive(.unitStarted(label), of: "job", at: start)
    var ends: Set<Int> = []
    for ordinal in [1, 9, 10, 99, 100, 1000, 9999] {
      let now = start + .seconds(Int64(ordinal))
      _ = board.receive(
        .pageStored(label, ordinal: ordinal, counts: counts(new: ordinal * 30), bytes: 9999),
        of: "job", at: now)
      let line = board.block(at: now, columns: width, rows: 24)[0].plain
      #expect(DisplayWidth.of(line) < width)
      let end = line.end(of: " \(Wording.number(ordinal * 30)) ")
      ends.insert(end)
    }
    #expect(ends.count == 1 && !ends.contains(-1), "the records end in the same column: \(ends)")
  }

  @Test("draws at most ten times a second, however many events come")
  func throttled() throws {
    let (terminal, _, progress) = try live(columns: 80)
    progress.receive(.unitStarted(label), of: "job", at: start)
    for event in 1...1000 {
      progress.receive(
        .pageStored(label, ordinal: event, counts: counts(new: event), bytes: 1), of: "job",
        at: start + .milliseconds(Int64(event)))
      progress.drain()
    }
    let drawings = terminal.written().count { $0 == UInt8(ascii: "J") }
    #expect((9...11).contains(drawings))
    progress.conclude()
    var screen = ScreenModel(columns: 80)
    screen.write(terminal.written())
    #expect(screen.lines.filter { !$0.isEmpty } == [])
  }

  @Test("never shows a list or a run under way that has been told as ended")
  func ended() throws {
    let (terminal, console, progress) = try live(columns: 80)
    let now = walk(progress)
    var tally = ImageTally()
    tally.wanted = 100
    progress.receive(.images(tally), of: "job", at: now)
    progress.drain()
    // At the same instant as the last update.
    progress.receive(.unitConcluded(facts(label, .complete, asDeclared: true)), of: "job", at: now)
    progress.drain()
    var screen = ScreenModel(columns: 80)
    screen.write(terminal.written())
    let lines = screen.lines.filter { $0.contains("list of somebody") && $0.contains("5,800") }
    #expect(lines.count == 1 && lines[0].contains("complete"), "\(screen.lines)")
    let end = RunFacts(
      run: "r", job: "job", command: "run", arguments: [], origin: "o", startedAt: start)
    progress.receive(.runConcluded(end), of: "job", at: now)
    progress.drain()
    console.tell("complete   5,800 new", .info)
    screen.write(terminal.written())
    #expect(screen.lines.last { !$0.isEmpty } == "complete   5,800 new", "\(screen.lines)")
  }

  @Test("says what is waited for, until when, and how long that is")
  func waits() {
    var board = ProgressBoard(detail: .normal, isLive: true, localTime: utc)
    let other = UnitLabel(stream: "other", listName: "other")
    _ = board.receive(.unitStarted(label), of: "job", at: start)
    _ = board.receive(.unitStarted(other), of: "second", at: start)
    let until = start + .seconds(3120)
    let lines = board.receive(
      .waiting(nil, reason: "quota search", until: until), of: "job", at: start)
    #expect(lines.isEmpty)
    let block = board.block(at: start, columns: 120, rows: 24).map(\.plain)
    #expect(block[0].contains("waiting for quota search until 2026-11-21T15:04:07Z (52 min)"))
    #expect(!block[1].contains("waiting"))
    // If space is short, the time comes before the reason.
    let narrow = board.block(at: start, columns: 70, rows: 24).map(\.plain)
    #expect(narrow[0].contains("waiting until 2026-11-21T15:04:07Z (52 min)"), "\(narrow)")
    _ = board.receive(.waitEnded(nil), of: "job", at: until)
    #expect(!board.block(at: until, columns: 120, rows: 24)[0].plain.contains("waiting"))
  }

  @Test("a reason of whole sentences stands behind the instant, and none is broken")
  func sentences() {
    var board = ProgressBoard(detail: .normal, isLive: false, localTime: utc)
    _ = board.receive(.unitStarted(label), of: "job", at: start)
    let lines = board.receive(
      .waiting(label, reason: "another try: it was cut. It may pass.", until: start + .seconds(22)),
      of: "job", at: start)
    #expect(
      lines.map(\.text.plain).first?.hasSuffix("(22 s) for another try: it was cut. It may pass.")
        == true, "\(lines)")
  }

  @Test("off a terminal is a line for each wait and each unit's end, and nothing else")
  func plain() {
    let (output, error) = (TestPipe(), TestPipe())
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    let progress = Progress(console: console, detail: .normal, localTime: utc)
    let now = walk(progress)
    progress.receive(
      .waiting(label, reason: "quota search", until: now + .seconds(60)), of: "job", at: now)
    progress.receive(.waitEnded(label), of: "job", at: now + .seconds(60))
    progress.receive(.warning(label, text: "100 asked, 30 came"), of: "job", at: now)
    progress.receive(.unitConcluded(facts(label, .complete, asDeclared: true)), of: "job", at: now)
    progress.conclude()
    #expect(output.text() == "")
    #expect(
      error.text() == """
        job   60 requests an hour
          list of somebody   204 pages: about 3 hours
          list of somebody   waiting for quota search until 2026-11-21T14:13:12Z (1 min)
        warning: job: list of somebody: 100 asked, 30 came
          list of somebody            5,800   complete     no next page after page 58

        """)
  }

  @Test("tells a log only of waits that somebody may wonder about, when they begin")
  func log() {
    let error = TestPipe()
    let console = Console(
      facts: TerminalFacts(isErrorJournal: true), output: TestPipe().writing, error: error.writing)
    let progress = Progress(console: console, detail: .log, localTime: utc)
    let now = walk(progress)
    for seconds in [4, 60] {
      progress.receive(
        .waiting(label, reason: "the limit", until: now + .seconds(seconds)), of: "job", at: now)
      progress.drain()
    }
    #expect(
      error.text()
        == "<5>job: list of somebody: waiting for the limit until 2026-11-21T14:13:12Z (1 min)\n")
    progress.receive(.unitConcluded(facts(label, .complete, asDeclared: true)), of: "job", at: now)
    progress.conclude()
    #expect(error.text() == "")
  }

  @Test("is quiet with -q but for warnings and what is less than declared")
  func quiet() throws {
    let (terminal, _, progress) = try live(columns: 80, .quiet)
    let now = walk(progress)
    progress.receive(.unitConcluded(facts(label, .complete, asDeclared: true)), of: "job", at: now)
    progress.drain()
    #expect(terminal.written() == [])
    progress.receive(.warning(nil, text: "careful"), of: "job", at: now)
    progress.receive(
      .unitConcluded(facts(label, .incomplete, asDeclared: false)), of: "job", at: now)
    progress.conclude()
    let text = String(decoding: terminal.written(), as: UTF8.self)
    #expect(text.contains("warning: job: careful\n") && text.contains("incomplete"))
  }

  @Test("tells every page with -v")
  func verbose() {
    var board = ProgressBoard(detail: .verbose, isLive: true, localTime: utc)
    _ = board.receive(.unitStarted(label), of: "job", at: start)
    let lines = board.receive(
      .pageStored(label, ordinal: 7, counts: counts(new: 650, unchanged: 50), bytes: 34_100),
      of: "job", at: start)
    #expect(
      lines.map(\.text.plain) == ["  list of somebody   page 7: 700 so far, 650 new, 34.1 KB"])
  }

  @Test("counts the speed from where a walk goes on, and not across waits")
  func speed() throws {
    var unit = UnitProgress(job: "job", label: label, at: start)
    #expect(unit.recordsPerSecond == nil && unit.timeLeft == nil && unit.percent == nil)
    unit.expectedPages = 204
    for page in 59...60 {
      unit.store(
        ordinal: page, counts: counts(new: (page - 58) * 100), bytes: 1,
        at: start + .seconds(Int64(page - 58)))
    }
    #expect(unit.recordsPerSecond == 100)
    #expect(unit.timeLeft == .seconds(144))
    #expect(unit.percent == 29)
    unit.goOn(at: start + .seconds(3600))
    #expect(unit.timeLeft == nil)
    unit.store(ordinal: 1, counts: counts(new: 300), bytes: .max, at: start + .seconds(3601))
    #expect(unit.ordinal == 60 && unit.bytes == .max)
  }

  @Test("shows how fast images come and how long the rest takes")
  func images() {
    var board = ProgressBoard(detail: .normal, isLive: true, localTime: utc)
    var tally = ImageTally()
    tally.wanted = 100
    for second in 0...5 {
      tally.fromNetwork = second * 10
      _ = board.receive(.images(tally), of: "job", at: start + .seconds(second))
    }
    let line = board.block(at: start, columns: 80, rows: 24).last?.plain ?? ""
    #expect(line.contains("50 of 100  10/s  5 s left"), "\(line)")
  }

  @Test("never shows more units than the screen has room for")
  func many() {
    var board = ProgressBoard(detail: .normal, isLive: true, localTime: utc)
    for number in 0..<3000 {
      _ = board.receive(
        .unitStarted(UnitLabel(stream: "s", listName: "unit \(number)")), of: "job", at: start)
    }
    var tally = ImageTally()
    tally.wanted = 10
    _ = board.receive(.images(tally), of: "job", at: start)
    for rows in [1, 2, 3, 10, 24] {
      let block = board.block(at: start, columns: 80, rows: rows)
      #expect(block.count <= max(1, rows - 1))
      #expect(block.filter { $0.plain.hasPrefix("  and ") }.count == 1)
    }
  }
}

extension String {
  /// The column in which a part ends; -1 if it does not occur.
  fileprivate func end(of part: String) -> Int {
    let (whole, part) = (Array((self + " ").utf8), Array(part.utf8))
    return whole.indices.first { whole[$0...].starts(with: part) }.map { $0 + part.count } ?? -1
  }
}
