import Glibc
@testable import Commands
import TestSupport
import Testing

@Suite("The console")
struct ConsoleTests {
  @Test(
    "hostile strings leave no control byte on a real terminal", arguments: [40, 120])
  func hostile(columns: Int) throws {
    let terminal = try PseudoTerminal(columns: columns)
    let facts = TerminalFacts(output: terminal.slave, error: terminal.slave) {
      $0 == "TERM" ? "xterm" : nil
    }
    #expect(facts.isOutputTerminal && facts.isErrorTerminal && !facts.isColourless)
    let console = Console(facts: facts, output: terminal.slave, error: terminal.slave)
    var screen = ScreenModel(columns: columns)
    // The long form tests more; 1,000 from an API go through the program in TerminalTextTests.
    for sample in HostileText.samples(count: Torture.isOn ? 1000 : 200, seed: 8) {
      let text = String(decoding: sample.bytes, as: UTF8.self)
      console.print("title \(text, .bold)")
      console.warn("\(text)")
      console.show(block: [ConsoleText(text, .green), "line \(text)"])
      console.printExact(sample.bytes)
      console.printLines(ForeignText.cleaned(sample.bytes))
      console.printJSON(
        Array("{\"a\":\"".utf8) + sample.bytes.filter { $0 > 0x1f } + Array("\"}".utf8))
      screen.write(terminal.written())
    }
    #expect(console.finish() == nil)
    screen.write(terminal.written())
    #expect(screen.intruders == [])
    #expect(screen.hasColour)
  }

  @Test("the live block never wraps, and stays below everything else", arguments: [40, 120])
  func block(columns: Int) throws {
    let terminal = try PseudoTerminal(columns: columns)
    let facts = TerminalFacts(isOutputTerminal: true, isErrorTerminal: true)
    let console = Console(facts: facts, output: terminal.slave, error: terminal.slave)
    let long = String(repeating: "한국어 and more ", count: 20)
    var screen = ScreenModel(columns: columns)
    for number in 1...50 {
      console.show(block: ["first \(number) \(long)", "second \(number)"])
      if number % 10 == 0 { console.tell("note \(number)") }
      if number == 25 { console.print("result") }
      screen.write(terminal.written())
    }
    #expect(screen.wraps == 0)
    #expect(screen.lines.filter { $0.hasPrefix("first") }.count == 1)
    let order = ["note 10", "note 20", "result", "note 30", "note 40", "note 50"]
    #expect(Array(screen.lines.prefix(6)) == order)
    #expect(screen.lines[6].hasPrefix("first 50") && screen.lines[7].hasPrefix("second 50"))
    #expect(console.finish() == nil)
    screen.write(terminal.written())
    #expect(screen.lines.filter { !$0.isEmpty } == order)
  }

  @Test("a terminal that becomes narrower does not collect old lines")
  func resized() throws {
    let terminal = try PseudoTerminal(columns: 120)
    let console = Console(
      facts: TerminalFacts(isErrorTerminal: true, isColourless: true), output: terminal.slave,
      error: terminal.slave)
    console.show(block: [ConsoleText(String(repeating: "x", count: 100))])
    terminal.resize(columns: 40)
    _ = terminal.written()
    console.show(block: ["y"])
    #expect(String(decoding: terminal.written(), as: UTF8.self) == "\r\u{1b}[3A\u{1b}[Jy\n")
  }

  @Test("results go to stdout and all else to stderr")
  func streams() {
    let (output, error) = (TestPipe(), TestPipe())
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    console.print("a result")
    console.printLines("two\nlines\n")
    console.tell("a note")
    console.warn("careful")
    console.fail("what, where, what to do")
    console.show(block: ["never seen"])
    #expect(console.finish() == nil)
    #expect(output.text() == "a result\ntwo\nlines\n")
    #expect(error.text() == "a note\nwarning: careful\ntrawl: what, where, what to do\n")
  }

  @Test("each line of JSON is written at once, as one line")
  func json() {
    let (output, error) = (TestPipe(), TestPipe())
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    console.print("kept in the buffer")
    #expect(output.text() == "")
    console.printJSON(Array("{\"a\":\"\u{9b}\u{202e}\u{7f}\u{e0041} é\",\n\"b\":1}".utf8))
    #expect(
      output.text()
        == "kept in the buffer\n{\"a\":\"\\u009b\\u202e\\u007f\\udb40\\udc41 é\", \"b\":1}\n")
  }

  @Test("colours are for terminals without NO_COLOR")
  func colours() throws {
    let terminal = try PseudoTerminal(columns: 80)
    for (environment, isColourless) in [
      (["TERM": "xterm"], false), (["TERM": "xterm", "NO_COLOR": "1"], true),
      (["TERM": "xterm", "NO_COLOR": ""], false), (["TERM": "dumb"], true), ([:], true),
    ] {
      let facts = TerminalFacts(output: terminal.slave, error: terminal.slave) { environment[$0] }
      #expect(facts.isColourless == isColourless, "\(environment)")
      // A person may be asked at each of them; only where the cursor moves is anything drawn.
      #expect(facts.isErrorTerminal && facts.isDrawn == (environment["TERM"] == "xterm"))
      let console = Console(facts: facts, output: terminal.slave, error: terminal.slave)
      console.print("\("x", .red)")
      console.fail("y")
      let text = String(decoding: terminal.written(), as: UTF8.self)
      #expect(text.contains("\u{1b}") != isColourless, "\(environment)")
    }
    let pipe = TestPipe()
    let facts = TerminalFacts(output: pipe.writing, error: pipe.writing) { _ in "xterm" }
    #expect(!facts.isOutputTerminal && !facts.isErrorTerminal)
    let console = Console(facts: facts, output: pipe.writing, error: pipe.writing)
    console.print("\("x", .red)")
    console.fail("y")
    _ = console.finish()
    #expect(!pipe.text().contains("\u{1b}"))
  }

  @Test("a reader that has gone is no failure, and nothing more is kept for it")
  func closedPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
    let (output, error) = (TestPipe(), TestPipe())
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    output.stopReading()
    for number in 0..<100_000 where !console.isOutputClosed { console.print("line \(number)") }
    #expect(console.isOutputClosed)
    #expect(console.finish() == nil)
    #expect(error.text() == "")
  }

  @Test("a full device is exit 74 and says so")
  func full() {
    let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(device) }
    let error = TestPipe()
    let console = Console(facts: TerminalFacts(), output: device, error: error.writing)
    console.print("lost")
    #expect(console.finish() == .cannotWrite)
    #expect(error.text() == "trawl: stdout cannot be written: No space left on device\n")
  }

  @Test("the journal gets a priority on each line, another pipe does not")
  func journal() {
    let error = TestPipe()
    var status = stat()
    fstat(error.writing, &status)
    let stream = "\(status.st_dev):\(status.st_ino)"
    for (value, isJournal) in [(stream, true), ("1:2", false), ("", false), (nil, false)] {
      let facts = TerminalFacts(output: 1, error: error.writing) {
        $0 == "JOURNAL_STREAM" ? value : nil
      }
      #expect(facts.isErrorJournal == isJournal)
    }
    let console = Console(
      facts: TerminalFacts(isErrorJournal: true), output: error.writing, error: error.writing)
    console.warn("one\ntwo \("a\nb")")
    console.tell("three")
    #expect(error.text() == "<4>warning: one\n<4>two a\\nb\n<6>three\n")
  }

  @Test("a line of the live block stays one line whatever is in it")
  func blockLines() throws {
    let terminal = try PseudoTerminal(columns: 40)
    let console = Console(
      facts: TerminalFacts(isErrorTerminal: true, isColourless: true), output: terminal.slave,
      error: terminal.slave)
    console.show(block: ["one\ntwo", ConsoleText(lines: "three\tfour\n")])
    let text = String(decoding: terminal.written(), as: UTF8.self)
    #expect(text == "one\\ntwo\nthree\\tfour\\n\n")
  }

  @Test("a cell that is wider than its column may be moves its own row only")
  func wideCell() {
    var rows = AlignedRows(indent: 0, widthMax: 6)
    rows.add("a", "title", "x")
    rows.add("b", String(repeating: "l", count: 2_000), "y")
    let lines = rows.lines().map(\.plain)
    #expect(lines[0] == "a  title   x")
    #expect(lines[1].utf8.count == 2_006 && lines[1].hasSuffix("l  y"))
  }

  @Test("a write in pieces loses and doubles nothing")
  func shortWrites() async {
    let (output, error) = (TestPipe(), TestPipe())
    // Non-blocking: a full pipe returns EAGAIN, a nearly full one accepts a part.
    _ = fcntl(output.writing, F_SETFL, O_NONBLOCK)
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    let expected = (0..<30_000).map { "line \($0)\n" }.joined()
    // A separate thread reads more slowly than the writer, which should find the pipe full.
    nonisolated(unsafe) let reading = output  // nobody else reads it
    let text = await withCheckedContinuation { done in
      Detached.run {
        var text = ""
        for _ in 0..<10_000_000 where text.utf8.count < expected.utf8.count {
          text += reading.text()
          usleep(200)  // so that the pipe fills
        }
        done.resume(returning: text)
      }
      for number in 0..<30_000 { console.print("line \(number)") }
      #expect(console.finish() == nil)
    }
    #expect(text == expected)
  }
}
