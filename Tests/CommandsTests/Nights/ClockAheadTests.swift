import Base
@testable import Commands
import Glibc
import Store
import TestSupport
import Testing

@Suite("What is too old is deleted by a time that the API confirms")
struct ClockAheadTests {
  private enum API: CaseIterable { case isDated, isRefusing, isDown }

  private static let job = """
    {
      name: "box", base: "https://api.example", retain: "30d", history: "20d",
      streams: {
        things: {
          get: "/things", pages: { by: "single" }, records: ".", key: ["id"],
          columns: { id: "id", views: "views as integer volatile" },
        },
      },
    }
    """

  /// An API's answers, dated by its own clock.
  private struct Answers: Sendable {
    var api = API.isDated
    var count = 3
    var views = 1
  }

  private let scratch = ScratchFolder()
  private let time = VirtualTime()
  private let answers = Locked(Answers())

  private func run() async throws -> Commands.ExitStatus {
    let (start, clock) = (VirtualTime().now, time.timekeeper)
    let exchange = ScriptedExchange { [answers] request, _ in
      let now = answers.withLock { $0 }
      if now.api == .isDown {
        return .failure(
          ExchangeFailure(
            .unreachable, cause: .network, address: request.address, sentence: "it did not answer"))
      }
      let items = (0..<now.count).map { #"{"id":"k\#($0)","views":\#(now.views)}"# }
      let fields = [
        HeaderField("Content-Type", "application/json"),
        HeaderField("Date", CivilTime(start + clock.elapsed()).httpDate),
      ]
      return .success(
        .json(
          request, "[\(items.joined(separator: ","))]", fields,
          status: now.api == .isDated ? 200 : 403, at: clock.now()))
    }
    let environment = Environment(["HOME": scratch.path, "TMPDIR": scratch.path])
    let file = "\(scratch.path)/box.json5"
    Golden.write(Self.job, to: file)
    let log = open("\(scratch.path)/log", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    let console = Console(facts: TerminalFacts(), output: log, error: log)
    return await Program.perform(
      ["run", file, "--data", "\(scratch.path)/data"], environment, console, nil, clock,
      StandIns(exchange: exchange, time: clock))
  }

  private func rows(_ table: String) throws -> Int {
    try Database("\(scratch.path)/data/trawl.db").rows("SELECT 1 FROM \(table)").count
  }

  private func begin() async throws {
    for views in 1...2 {
      answers.withLock { $0.views = views }
      #expect(try await run() == .complete)
      time.advance(by: .seconds(86_400))
    }
    #expect(try rows("box_things") == 3 && rows("box_things_history") == 6)
  }

  @Test("a clock that is far ahead takes nothing", arguments: API.allCases)
  private func ahead(api: API) async throws {
    try await begin()
    time.setWallClock(time.now + .seconds(40 * 86_400))
    answers.withLock { $0.api = api }
    #expect(try await run() != .complete)
    #expect(try rows("box_things") == 3 && rows("box_things_history") == 6)
  }

  @Test("and is deleted once so much time is over")
  func over() async throws {
    try await begin()
    time.advance(by: .seconds(40 * 86_400))
    answers.withLock { $0.count = 1 }
    #expect(try await run() == .complete)
    #expect(try rows("box_things") == 1 && rows("box_things_history") == 1)
  }

  @Test("a file that keeps what is too old keeps no byte of what was forgotten before")
  func kept() async throws {
    try await begin()
    let folder = try DataFolder(existing: "\(scratch.path)/data")
    let store = try await RecordStore.open(folder, RecordStore.Settings(time: time.timekeeper))
    let table = try #require(try await store.keyedTables().first)
    _ = try await store.forget([[.text("k2")]], of: table, nil, .person)
    #expect(try await store.unwipedFiles() != nil)
    await store.close()
    // A folder that nobody can read.
    let feeds = "\(folder.path)/feeds"
    mkdir(feeds, 0o700)
    #expect(symlink("box", "\(feeds)/box") == 0)
    time.advance(by: .seconds(40 * 86_400))
    answers.withLock { $0.count = 1 }
    #expect(try await run() == .cannotWrite)
    #expect(try rows("box_things") == 2 && rows("trawl_facts WHERE kind = 'unwiped'") == 0)
    #expect(unlink("\(feeds)/box") == 0)
    #expect(try await run() == .complete)
    #expect(try rows("box_things") == 1)
  }
}
