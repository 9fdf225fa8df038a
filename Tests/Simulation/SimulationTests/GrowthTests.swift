import Base
import Crawl
@testable import SimulationKit
import Store
import TestSupport
import Glibc
import Testing

@Suite("A job that a timer runs for years")
struct GrowthTests {
  /// The promise is 1 MB for 10,000 runs: tested with `TRAWL_TORTURE=1`, else with a 25th of both.
  static let share = Torture.isOn ? 1 : 25
  static let runs = 10_000 / share
  static let growthMax = 1_000_000 / share
  /// The files are reopened now and then, as each process does.
  static let runsOfProcess = 50

  enum List: String, CaseIterable, CustomTestStringConvertible {
    case singleAnswer, numberedPages, conditionalToken

    var testDescription: String { rawValue }
  }

  @Test("makes its files no larger while nothing changes", arguments: List.allCases)
  func unchanged(list: List) async throws {
    let scratch = ScratchFolder(isInMemory: true)
    let time = VirtualTime(seed: 7)
    let job = try Self.job(list)
    let exchange = ScriptedExchange { request, _ in .success(Self.answer(request, list, time)) }
    var first: [String: Int] = [:]
    var done = 0
    while done < Self.runs {
      // The first process makes one run, with which the others are compared.
      let most = done == 0 ? 1 : min(Self.runsOfProcess, Self.runs - done)
      try await Self.process(most, job, exchange, time, scratch.path, isFirst: done == 0)
      done += most
      if first.isEmpty { first = Self.sizes(scratch.path) }
    }
    for (file, size) in Self.sizes(scratch.path) {
      let before = first[file, default: 0]
      #expect(before > 0, "\(file) is not there")
      // The ledger always keeps its latest 3,000 uses.
      let most = Self.growthMax + (file == "ledger.db" ? 200_000 : 0)
      #expect(
        size - before < most,
        "\(file) grew from \(before) to \(size) bytes in \(Self.runs) runs")
    }
    #expect(exchange.asked.count >= Self.runs)
  }

  private static func process(
    _ runs: Int, _ job: Job, _ exchange: ScriptedExchange, _ time: VirtualTime, _ path: String,
    isFirst: Bool
  ) async throws {
    let store = try await RecordStore.open(
      DataFolder(creating: path), RecordStore.Settings(time: time.timekeeper))
    let ledger = try await QuotaLedger.open(file: "\(path)/ledger.db", timekeeper: time.timekeeper)
    _ = try await store.adopt(job, origin: job.base.origin)
    for _ in 0..<runs {
      let run = try await JobRun(
        RunParts(
          job: job, options: CrawlOptions(), exchange: exchange, time: time.timekeeper,
          store: store, ledger: ledger, content: nil, credential: nil, account: "nobody"))
      let facts = await run.execute()
      let counts = facts.units.first?.certificate.counts
      try #require(facts.outcome.kinds == [.asDeclared], "\(facts.outcome.sentence)")
      try #require(counts?.received == records)
      try #require(isFirst ? counts?.new == records : counts?.unchanged == records)
      time.advance(by: .seconds(15 * 60))
    }
    await store.close()
    await ledger.close()
  }

  /// Bytes of each database, including its log.
  private static func sizes(_ path: String) -> [String: Int] {
    var sizes: [String: Int] = [:]
    for file in ["trawl.db", "ledger.db"] {
      sizes[file] = ["", "-wal"].reduce(0) { sum, rest in
        var facts = stat()
        return sum + (stat("\(path)/\(file)\(rest)", &facts) == 0 ? Int(facts.st_size) : 0)
      }
    }
    return sizes
  }

  // MARK: the job and its server

  private static let records = 6
  private static let size = 3

  private static func job(_ list: List) throws -> Job {
    let pager: Pager =
      switch list {
      case .singleAnswer: .single
      case .numberedPages: .number(parameter: "page", first: 1)
      case .conditionalToken: .token(parameter: "token", next: try JSONPath("next"))
      }
    var stream = Base.Stream(
      name: "things", path: Template([.text("/things")]), pager: pager,
      records: try JSONPath("items"), table: "things", key: ["id"],
      columns: [
        Column(name: "id", source: .paths([try JSONPath("id")]), kind: .integer),
        Column(name: "name", source: .paths([try JSONPath("name")])),
      ])
    if list == .numberedPages {
      stream.size = PageSize(parameter: "size", value: size)
      stream.total = Total(paths: [try JSONPath("total")], trust: .counted)
    }
    stream.isConditional = list == .conditionalToken
    stream.marksVanished = true
    stream.membership = Membership(
      table: "found", columns: [Column(name: "list", source: .constant("all"))],
      keyNames: ["thing_id"])
    stream.spends = ["hour": 1]
    var job = Job(
      name: "shop", about: "a shop", base: try WebAddress("https://api.example/v1"),
      streams: [stream], source: "a test")
    job.quotas = [Quota(name: "hour", allow: 1000, window: .rolling(.seconds(3600)))]
    return job
  }

  private static func answer(_ request: Request, _ list: List, _ time: VirtualTime) -> Answer {
    let query = SimulatedServer.parameters(request.address)
    let isSecond = query["page"] == "2" || query["token"] == "second"
    let isBeyond = (query["page"].flatMap { Int($0) } ?? 1) > 2
    let range =
      list == .singleAnswer
      ? 0..<records : isBeyond ? 0..<0 : isSecond ? size..<records : 0..<size
    let items = range.map { #"{"id":\#($0),"name":"thing \#($0)"}"# }.joined(separator: ",")
    let next = list == .conditionalToken && !isSecond ? #""second""# : "null"
    let body = #"{"items":[\#(items)],"total":\#(records),"next":\#(next)}"#
    let tag = #""\#(Digest64.of(body.utf8))""#
    let isKnown = request.fields.contains { $0.name == "If-None-Match" && $0.value == tag }
    return .json(
      request, isKnown ? "" : body, [HeaderField("ETag", tag)], status: isKnown ? 304 : 200,
      at: time.now)
  }
}
